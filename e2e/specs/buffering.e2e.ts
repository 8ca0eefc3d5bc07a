import { EventEmitter, once } from "node:events";
import { selfSigned } from "../harness/certificates.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { gatewayOn, routeOf } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { type Request, type Target, formatRequest } from "../harness/http-client.js";
import { headerValues, readChunk } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { ingress, own, service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { within } from "../harness/wait.js";

const scene = useScene();
const HOST = "web.example";
const LIMITED = "limited.example";
const REWRITTEN = "rewritten.example";
const STREAMED = "streamed.example";
const RPC = "rpc.example";
/** Host of an HTTPRoute. */
const ROUTE = "route.example";
/** Host of an HTTPRoute whose auth service gets the body. */
const ASKED = "asked.example";
const LENGTH = { "Content-Length": "7" };
let gateway: Gateway;
/** Of the HTTPRoutes. */
let routePort: number;
let backend: EchoBackend;
let grpc: GrpcBackend;
/** Emits `begun` when the backend has sent the first part of a response. */
const events = new EventEmitter();
/** Sends the rest of it. */
let finish: () => void;

const annotated = (
  name: string,
  host: string,
  annotations: Readonly<Record<string, string>>,
  serviceName = "web",
) =>
  ingress(name, {
    tls: [{ hosts: [host], secretName: "web-tls" }],
    annotations: Object.fromEntries(
      Object.entries({ "ssl-redirect": "false", ...annotations }).map(([key, value]) => [
        `nginx.ingress.kubernetes.io/${key}`,
        value,
      ]),
    ),
    hosts: { [host]: [{ service: serviceName }] },
  });

const route = (
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  filters: readonly object[] = [],
) => {
  const { metadata, ...rest } = routeOf("HTTPRoute", name, [
    { backendRefs: [{ name: "web", port: 80 }], filters },
  ]);
  return { ...rest, metadata: { ...metadata, annotations: own(annotations) } };
};

const ASK = {
  type: "ExternalAuth",
  externalAuth: {
    ...{ protocol: "HTTP", backendRef: { name: "web", port: 80 } },
    ...{ http: { path: "/allow" }, forwardBody: { maxSize: 1024 } },
  },
};

async function files(port: number): Promise<Readonly<Record<string, string>>> {
  return {
    "web.yaml": yaml(
      service("web", [{ port: backend.port }]),
      service("rpc", [{ port: grpc.port }]),
      tlsSecret("web-tls", await selfSigned(HOST, LIMITED, REWRITTEN, STREAMED, RPC)),
      annotated("web", HOST, {}),
      annotated("limited", LIMITED, { "proxy-body-size": "1k" }),
      annotated("rewritten", REWRITTEN, { "rewrite-target": "/stream" }),
      annotated("streamed", STREAMED, { "proxy-buffering": "off" }),
      annotated("rpc", RPC, { "backend-protocol": "GRPC" }, "rpc"),
      gatewayOn({ http: port }),
      route("route"),
      route("asked", {}, [ASK]),
      route("streamed-route", { "proxy-buffering": "off" }),
    ),
  };
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  grpc = await scene.use(GrpcBackend.start());
  routePort = await freePort();
  for (const [path, headers] of [
    // nginx passes chunks on when they come, also where it buffers; other bodies show the difference.
    ["/stream", LENGTH],
    ["/unbuffered", { ...LENGTH, "X-Accel-Buffering": "no" }],
    ["/chunked", {}],
  ] as const) {
    backend.on(path, (request, response) => {
      request.resume();
      response.writeHead(200, headers);
      response.write("one ", () => events.emit("begun"));
      finish = () => response.end("two");
    });
  }
  gateway = await scene.use(Gateway.start({ files: await files(routePort) }));
});

const EVENTS = ["Accept", "text/event-stream"] as const;
const LISTED = ["Accept", "application/json, text/event-stream"] as const;

const POST = { host: HOST, method: "POST", body: "{}" } as const;

/** What gets each part of its response when it comes. */
const STREAMS: readonly (readonly [what: string, request: Request])[] = [
  ["a GET that accepts events", { host: HOST, headers: [EVENTS] }],
  ["a GET that accepts events among others", { host: HOST, headers: [LISTED] }],
  ["such a GET whose URI is rewritten", { host: REWRITTEN, headers: [EVENTS] }],
  ["such a GET where bodies are limited", { host: LIMITED, headers: [EVENTS] }],
  [
    "a POST that accepts events and whose body is limited",
    { host: LIMITED, method: "POST", body: "{}", chunked: true, headers: [EVENTS] },
  ],
  ["a GET whose backend says so", { host: HOST, path: "/unbuffered" }],
  ["a GET of an Ingress that says so", { host: STREAMED }],
  ["a GET whose response has no length", { host: HOST, path: "/chunked" }],
  ["a POST whose response has no length", { ...POST, path: "/chunked" }],
];

/** The first part of a response that the backend has only begun. */
async function firstPart(
  at: Gateway,
  request: Request,
  over: Partial<Target> = {},
): Promise<string> {
  const connection = await at.connect(over);
  connection.write(formatRequest({ path: "/stream", ...request }));
  const head = await connection.receiveHead();
  expect(headerValues(head.headers, "x-accel-buffering")).toEqual([]);
  const isChunked = headerValues(head.headers, "transfer-encoding").length > 0;
  const part = isChunked ? readChunk(connection.reader) : connection.reader.bytes(4);
  const text = String(await part);
  finish();
  connection.close();
  return text;
}

/** The same by HTTP/2. */
async function firstPart2(client: Http2Client, request: Request): Promise<string> {
  const stream = client.begin({
    ":authority": request.host ?? "",
    ":path": request.path ?? "/stream",
    ":method": request.method ?? "GET",
    ...Object.fromEntries(request.headers ?? []),
    ...(request.body !== undefined &&
      !request.chunked && { "content-length": request.body.length }),
  });
  const part = new Promise<string>((resolve) =>
    stream.once("data", (data: Buffer) => resolve(String(data))),
  );
  stream.end(request.body);
  const first = await within("the first part", part);
  finish();
  stream.destroy();
  return first;
}

describe("each part passes on when it comes, for", () => {
  it.each(STREAMS)("%s", async (_, request) => {
    expect(await firstPart(gateway, request)).toBe("one ");
  });

  it.each(STREAMS)("%s by HTTP/2", async (_, request) => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpsPort, servername: HOST }));
    expect(await firstPart2(client, request)).toBe("one ");
  });

  it("a GET of an HTTPRoute that says so", async () => {
    const request = { host: "streamed-route.example" };
    expect(await firstPart(gateway, request, { port: routePort })).toBe("one ");
  });

  it("gRPC", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const call = client.begin({
      ":authority": RPC,
      ":path": "/a.Service/Method",
      ":method": "POST",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const first = once(call, "data") as Promise<[Buffer]>;
    call.write(grpcMessage("one"));
    const [data] = await within("the echo of the first message", first);
    call.end();

    expect(data).toEqual(grpcMessage("one"));
  });

  it("everything, with the option", async () => {
    const streaming = await scene.use(
      Gateway.start({ files: await files(await freePort()), flags: ["--buffering=false"] }),
    );
    for (const host of [HOST, REWRITTEN, LIMITED]) {
      expect(await firstPart(streaming, { host })).toBe("one ");
    }
  });
});

describe("the response to any other request", () => {
  const requests: readonly Request[] = [
    ...[HOST, REWRITTEN, LIMITED, ROUTE].map((host) => ({ host })),
    POST,
    { ...POST, host: ASKED },
    { ...POST, host: ASKED, chunked: true },
  ];
  it.each(requests)("is collected if it has a length (%j)", async (request) => {
    const connection = await gateway.connect(
      [ROUTE, ASKED].includes(request.host ?? "") ? { port: routePort } : {},
    );
    const begun = once(events, "begun");
    connection.write(formatRequest({ path: "/stream", ...request }));
    await within("the first part", begun);
    let hasBegun = false;
    connection.socket.once("data", () => (hasBegun = true));
    // Time in which nginx would pass the first part on.
    for (let i = 0; i < 10; i += 1) await gateway.send({ host: HOST });
    expect(hasBegun).toBe(false);
    finish();

    expect((await connection.receive()).text).toBe("one two");
    connection.close();
  });

  it("comes whole, however long the backend has waited (long polling)", async () => {
    const asked = new Promise<void>((resolve) => {
      backend.on("/poll", (_, response) => {
        finish = () => response.end("news");
        resolve();
      });
    });
    const connection = await gateway.connect();
    connection.write(formatRequest({ host: HOST, path: "/poll" }));
    await within("the poll's way to the backend", asked);
    finish();

    expect((await connection.receive()).text).toBe("news");
    // nginx did not wait for more: the connection serves the next request.
    expect((await connection.send({ host: HOST, path: "/next" })).status).toBe(200);
    connection.close();
  });
});
