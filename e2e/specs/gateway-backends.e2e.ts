/** Backends of HTTPRoutes: kinds of Services, protocols, weights of valid and invalid ones, and time limits. */
import { type ServerHttp2Session, createServer } from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { selfSigned } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { type Fields, gatewayOn, routeOf } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { Http2Client } from "../harness/http2-client.js";
import { Load } from "../harness/load.js";
import { type Manifest, endpointSlices, service, yaml } from "../harness/manifests.js";
import { type Closable, useScene } from "../harness/scene.js";
import { WebSocketClient } from "../harness/websocket.js";

const scene = useScene();
/** Milliseconds for thousands of requests on a machine that is busy with other things. */
const PATIENCE = 100_000;
let gateway: Gateway;
let port: number;
let grpc: GrpcBackend;

const to = (name: string, more: Fields = {}): Fields => ({ name, port: 80, ...more });

/** A Service whose spec has more than ports, with hand-written slices. */
function serviceWith(name: string, spec: Fields, slices: readonly Manifest[]): Manifest[] {
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "default" },
      spec: { ports: [{ name: "http", port: 80, targetPort: 8080 }], ...spec },
    },
    ...slices,
  ];
}

/** A Service whose port has an appProtocol. */
function speaking(name: string, appProtocol: string, backendPort: number): Manifest[] {
  const ports = [{ name: "http", port: 80, appProtocol }];
  return serviceWith(name, { ports }, endpointSlices(name, [{ port: backendPort }]));
}

/** Speaks HTTP/2 with prior knowledge and nothing else. */
async function h2cBackend(): Promise<Closable & { readonly port: number }> {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => void sessions.add(session));
  server.on("stream", (stream, headers) => {
    stream.respond({ ":status": 200 });
    stream.end(`HTTP/2 ${String(headers[":path"])}`);
  });
  return {
    port: await listen(server),
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const PROTOCOLS = [
  "kubernetes.io/h2c",
  "kubernetes.io/ws",
  "kubernetes.io/wss",
  "grpc",
  "example.com/own",
];
const nameOf = (appProtocol: string): string => appProtocol.replace(/[^a-z0-9]/g, "-");

async function services(): Promise<Manifest[]> {
  const names = ["a", "b"];
  const [a, b] = await Promise.all(names.map((name) => scene.use(EchoBackend.start(name))));
  if (!a || !b) throw new Error("two backends");
  const pair = await selfSigned("secure.example");
  const secure = await scene.use(EchoBackend.start("secure", { tls: pair }));
  const h2c = await scene.use(h2cBackend());
  grpc = await scene.use(GrpcBackend.start());
  a.on("/drip", (_request, response) => {
    response.writeHead(200, { "Content-Length": "100" });
    const timer = setInterval(() => response.write("x"), 50);
    response.on("close", () => clearInterval(timer));
  });
  a.on("/slow", (_request, response) => {
    void delay(700).then(() => response.end("late"));
  });
  const ports = [h2c.port, a.port, secure.port, grpc.port, a.port];
  return [
    ...service("a", [{ port: a.port }]),
    ...service("b", [{ port: b.port }]),
    ...service("empty"),
    ...serviceWith(
      "headless",
      { clusterIP: "None" },
      endpointSlices("headless", [{ port: a.port }]),
    ),
    // Of two families, of which one has nobody.
    ...serviceWith("by-hand", {}, [
      ...endpointSlices("by-hand", [{ port: b.port }]),
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          name: "by-hand-v6",
          namespace: "default",
          labels: { "kubernetes.io/service-name": "by-hand" },
        },
        addressType: "IPv6",
        ports: [{ name: "http", port: b.port, protocol: "TCP" }],
        endpoints: [],
      },
    ]),
    ...serviceWith("elsewhere", { type: "ExternalName", externalName: "localhost" }, []),
    ...PROTOCOLS.flatMap((name, i) => speaking(nameOf(name), name, ports[i] ?? 0)),
  ];
}

const imported = { group: "multicluster.x-k8s.io", kind: "ServiceImport", name: "a", port: 80 };

const ROUTES: readonly Manifest[] = [
  ...["headless", "by-hand", "elsewhere", "empty", ...PROTOCOLS.map(nameOf)].map((name) =>
    routeOf("HTTPRoute", name, [{ backendRefs: [to(name)] }]),
  ),
  routeOf("HTTPRoute", "imported", [{ backendRefs: [imported] }]),
  routeOf("HTTPRoute", "shares", [
    {
      backendRefs: [
        to("a", { weight: 5 }),
        to("b", { weight: 2 }),
        to("missing", { weight: 1 }),
        to("b", { weight: 0 }),
        to("empty", { weight: 2 }),
      ],
    },
  ]),
  routeOf("HTTPRoute", "limited", [{ timeouts: { request: "400ms" }, backendRefs: [to("a")] }]),
  routeOf("HTTPRoute", "each-limited", [
    {
      timeouts: { request: "0s", backendRequest: "300ms" },
      retry: { codes: [504], attempts: 1 },
      backendRefs: [to("a")],
    },
  ]),
  routeOf("HTTPRoute", "unlimited", [
    { timeouts: { request: "0s", backendRequest: "0s" }, backendRefs: [to("a")] },
  ]),
];

beforeAll(async () => {
  port = await freePort();
  gateway = await scene.use(
    Gateway.start({
      errors: [/ROUTE_BACKEND/],
      files: { "site.yaml": yaml(gatewayOn({ http: port }), await services(), ROUTES) },
    }),
  );
});

const ask = (name: string, path = "/") => gateway.send({ port, host: `${name}.example`, path });

describe("a Service", () => {
  it.each([
    ["headless", "a"],
    ["by-hand", "b"],
  ])("that is %s is served by its endpoints", async (name, backend) => {
    expect(echoOf(await ask(name)).backend).toBe(backend);
  });

  it.each([
    ["elsewhere", 500],
    ["imported", 500],
    ["example-com-own", 500],
    ["empty", 503],
  ])("that can't be used is answered for: %s", async (name, status) => {
    expect((await ask(name)).status).toBe(status);
  });
});

describe("appProtocol", () => {
  it("kubernetes.io/h2c is spoken by HTTP/2 with prior knowledge", async () => {
    const response = await ask("kubernetes-io-h2c", "/a?b=c");

    expect([response.status, response.text]).toEqual([200, "HTTP/2 /a?b=c"]);
  });

  it.each(["kubernetes-io-ws", "kubernetes-io-wss"])("%s carries a WebSocket", async (name) => {
    const connection = await gateway.connect({ port });
    const { head, client } = await WebSocketClient.upgrade(connection, { host: `${name}.example` });

    expect(head.status).toBe(101);
    expect(await client?.exchange("one")).toBe("one");
    connection.close();
  });

  it("grpc carries a call of an HTTPRoute", async () => {
    const client = await scene.use(Http2Client.open({ port }));
    const own = { ":method": "POST", ":path": "/shop.Cart/Add", ":authority": "grpc.example" };
    const type = { "content-type": "application/grpc", te: "trailers" };
    const response = await client.send({ ...own, ...type }, grpcMessage("two apples"));

    expect(response.trailers["grpc-status"]).toBe("0");
    expect(response.body).toEqual(grpcMessage("two apples"));
    expect(grpc.calls.at(-1)?.[":path"]).toBe("/shop.Cart/Add");
  });
});

describe("weights", () => {
  it(
    "hold within one percent over 10,000 requests, those of invalid backends too",
    async () => {
      const counts: Record<string, number> = {};
      const load = new Load({
        target: { port },
        requests: [{ host: "shares.example" }],
        connections: 8,
        pause: 0,
        check: (response) => {
          const outcome = response.header("x-echo") ?? String(response.status);
          counts[outcome] = (counts[outcome] ?? 0) + 1;
          return undefined;
        },
      });
      await load.more(10_000, PATIENCE);
      const { completed, failures } = await load.stop();

      expect(failures).toEqual([]);
      expect(Object.keys(counts).sort()).toEqual(["500", "503", "a", "b"]);
      for (const [outcome, share] of Object.entries({ a: 0.5, b: 0.2, 500: 0.1, 503: 0.2 })) {
        expect(Math.abs((counts[outcome] ?? 0) / completed - share)).toBeLessThan(0.01);
      }
    },
    PATIENCE,
  );
});

describe("timeouts", () => {
  it("end an answer that drips: its client never takes a part for the whole", async () => {
    const start = performance.now();

    await expect(ask("limited", "/drip")).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it("of each try leave the next one its time", async () => {
    const start = performance.now();
    const response = await ask("each-limited", "/slow");

    expect([response.status, response.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(performance.now() - start).toBeGreaterThan(550);
  });

  it("of 0s are none", async () => {
    expect((await ask("unlimited", "/slow")).text).toBe("late");
  });
});
