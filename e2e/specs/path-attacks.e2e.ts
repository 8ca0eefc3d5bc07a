import { fc, runs, timeoutOf } from "../../test/support/fast-check.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  type Fields,
  GATEWAY_API,
  GATEWAY_NAMESPACE,
  authFilter,
  authPolicy,
  gatewayOn,
} from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { Connection } from "../harness/http-client.js";
import { Http2Client } from "../harness/http2-client.js";
import { type Manifest, ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { pathReadings } from "../harness/path-readings.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "web.example";
let gateway: Gateway;
/** Where HTTPRoutes with auth of their rules, of themselves and of their backends are served. */
const ports = { rules: 0, routes: 0, backends: 0 };

const INGRESSES = [
  ingress("open", { hosts: { [HOST]: [{ service: "web" }] } }),
  ingress("closed", {
    annotations: nginx({ "auth-type": "basic", "auth-secret": "users" }),
    hosts: {
      [HOST]: [
        { path: "/admin", service: "web" },
        { path: "/one/secret", pathType: "Exact", service: "web" },
      ],
    },
  }),
];

const BASIC: Fields = { basic: { secret: "default/users", secret_type: "auth-file" } };
const CLOSED = [
  { type: "PathPrefix", value: "/admin" },
  { type: "Exact", value: "/one/secret" },
];

/** An HTTPRoute of one of the Gateway's listeners. */
function route(name: string, sectionName: string, rules: readonly Fields[]): Manifest {
  const backendRefs = [{ name: "web", port: 80 }];
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: { name, namespace: "default" },
    spec: {
      parentRefs: [{ name: "edge", namespace: GATEWAY_NAMESPACE, sectionName }],
      hostnames: [HOST],
      rules: rules.map((rule) => ({ backendRefs, ...rule })),
    },
  };
}

function routes(): Manifest[] {
  const matches = CLOSED.map((path) => ({ path }));
  return [
    ...gatewayOn(ports),
    route("mixed", "rules", [{}, { matches, filters: [authFilter("by-rule")] }]),
    authPolicy("by-rule", BASIC),
    route("open", "routes", [{}]),
    route("closed", "routes", [{ matches }]),
    authPolicy("by-route", BASIC, ["HTTPRoute/closed"]),
    route("backends", "backends", [
      {},
      { matches, backendRefs: [{ name: "web", port: 80, filters: [authFilter("by-rule")] }] },
    ]),
  ];
}

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  ports.rules = await freePort();
  ports.routes = await freePort();
  ports.backends = await freePort();
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          INGRESSES,
          routes(),
        ),
      },
    }),
  );
});

function isClosed(target: string): boolean {
  return pathReadings(target).some((path) => {
    return path === "/admin" || path.startsWith("/admin/") || path === "/one/secret";
  });
}

describe.each([
  ["an Ingress", () => gateway.httpPort],
  ["an AuthPolicy of an HTTPRoute's rule", () => ports.rules],
  ["an AuthPolicy of an HTTPRoute", () => ports.routes],
  ["an AuthPolicy of a backend", () => ports.backends],
])("a path behind auth of %s", (_surface, port) => {
  it.each([
    "/admin",
    "/admin/",
    "/admin/x",
    "/admin?x=/../open",
    "//admin",
    "///admin//x",
    "/./admin",
    "/admin/.",
    "/open/../admin",
    "/open/..//admin/x",
    "/open/%2e%2e/admin",
    "/open/.%2E/admin",
    "/open%2f..%2fadmin",
    "/%2fadmin",
    "/%61dmin",
    "/%61%64%6d%69%6e/x",
    "/admin%2fx",
    "/admin%2f..%2fadmin",
    "/admin#/../../open",
    "/one//secret",
    "/one/%73ecret",
    "/one/x/../secret",
    "/one%2Fsecret",
    `http://${HOST}/admin`,
    `http://${HOST}//admin`,
    "/a/b/../../admin/x",
  ])("is not to be had as %s", async (path) => {
    expect([400, 401]).toContain((await gateway.send({ port: port(), host: HOST, path })).status);
  });

  it.each([
    "/admin%00",
    "/admin\0",
    "/open\0/admin",
    "/admin%00.png",
    "/../admin",
    "/open/../../admin",
    "/%2e%2e/admin",
    "/..%2fadmin",
    "/%zzadmin",
    "/%",
    "/admin%",
    "admin",
    "?/admin",
    "\\admin",
  ])("as %j is no valid request at all", async (path) => {
    const response = await gateway.send({ port: port(), host: HOST, path });

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("is open to those who may", async () => {
    const headers = [["Authorization", basic("ann", "secret")]] as const;

    for (const path of ["/admin", "//admin/x", "/open/%2e%2e/admin"]) {
      expect(echoOf(await gateway.send({ port: port(), host: HOST, path, headers })).url).toBe(
        path,
      );
    }
  });

  /** What backends of many kinds serve for it is behind auth, though the normalised path is not. */
  it.each([
    "/admin/../open",
    "/admin/x/%2e%2e/../open",
    "/admin/..%2fopen",
    "//admin/../open",
    "/%61dmin/../open",
    "/x/../admin/%2e%2e/open",
    "/x/%2e%2e/admin%2f../open",
    "/admin;x=1",
    "/admin;x=1/users?a=b",
    "/open/..;/admin/users",
    "/open/..;x/admin",
    "/.;/admin",
    "/open\\..\\admin",
    "/open%5c..%5cadmin",
    "/open\\..;\\admin",
    "/one/secret;x",
    "/open/..%3b/admin",
    "/open/..%3bx/admin",
    "/open/..;%2fadmin",
    "/open/%2e%2e%3B%2fadmin",
    "/open/%2e%2e%5cadmin",
    "/open\\..%3b\\admin",
    "/open/%252e%252e/admin",
    "/open/..%252fadmin",
    "/open/..%255cadmin",
    "/%2561dmin",
    "/admin\xa0",
    "/admin\x85",
    "/admin\xa0?x",
    "/admin%c2%a0/x",
    "/open/\xc0\xae\xc0\xae/admin",
    "/open#/../admin",
    "/open?x#/../admin",
  ])("is not to be had as %s, however the backend reads it", async (path) => {
    const response = await gateway.send({ port: port(), host: HOST, path });

    expect([response.status, response.reason]).toEqual([
      400,
      path.includes("#") ? "BadRequest : malformed request" : "BadRequest : ambiguous path",
    ]);
  });

  it("costs no other path its dots and parameters", async () => {
    for (const path of [
      "/a/../b",
      "/a;x=1/b;y",
      "/a/..;/b",
      "/a%2fb/../c",
      "/a\\b",
      "/{x}|^",
      "/x?y=/../admin;z",
    ]) {
      expect(echoOf(await gateway.send({ port: port(), host: HOST, path })).url).toBe(path);
    }
  });

  it("does not change its neighbours", async () => {
    for (const path of ["/", "/administrator", "/Admin", "/open/admin", "/one/secret/x", "/one"]) {
      expect([path, (await gateway.send({ port: port(), host: HOST, path })).status]).toEqual([
        path,
        200,
      ]);
    }
  });

  it("is not to be had over HTTP/2 either", async () => {
    const client = await scene.use(Http2Client.open({ port: port() }));
    for (const path of ["/admin", "//admin", "/open/../admin", "/%61dmin", "/open%2f..%2fadmin"]) {
      const { status } = await client.send({ ":path": path, ":authority": HOST });
      expect([path, status]).toEqual([path, 401]);
    }
  });

  it("is not to be had as a second request in the body of a first", async () => {
    const inner = `GET /admin HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
    const smuggling = [
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: xchunked\r\n\r\n${inner}`,
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`,
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${inner.length}\r\nContent-Length: 0\r\n\r\n${inner}`,
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`,
    ];
    for (const bytes of smuggling) {
      const connection = await Connection.open({ port: port() });
      connection.write(bytes);
      expect([400, 501]).toContain((await connection.receive()).status);
      connection.close();
    }
  });

  it(
    "is not to be had by any spelling (property)",
    async () => {
      const piece = fc.constantFrom(
        ...[
          "/",
          "//",
          "/.",
          "/..",
          "/./",
          "/../",
          "%2f",
          "%2F",
          "%2e",
          "%2e%2e",
          "%5c",
          "\\",
          ";",
          "%3b",
          ";x=1",
          "/..;",
          "/..%3b",
          "%252f",
          "%252e%252e",
          "%255c",
          "%c0%ae%c0%ae",
          "%c0%af",
          "..%20/",
          "\xa0",
          "%a0/",
          "\xc0\xae\xc0\xae",
        ],
        ...[
          "admin",
          "%61dmin",
          "adm%69n",
          "ADMIN",
          "open",
          "one",
          "secret",
          "%73ecret",
          "x",
          "%25",
          "%2561",
        ],
        ...["?", "?a=/admin", "#", "%3f", "%23", "%20", "~", "+", "%c3%bc", "&", "=", ":", "@"],
      );
      const target = fc
        .array(piece, { minLength: 1, maxLength: 9 })
        .map((parts) => `/${parts.join("")}`);
      const connect = () => Connection.open({ port: port() });
      const connection = { open: await connect() };
      await fc.assert(
        fc.asyncProperty(target, async (path) => {
          if (connection.open.reader.ended) connection.open = await connect();
          const response = await connection.open.send({ host: HOST, path });
          // nginx closes after a request that it can't read.
          if (response.status === 400) connection.open = await connect();
          if (response.status !== 200) return;
          const { url } = echoOf(response);
          expect([url, isClosed(url)]).toEqual([url, false]);
        }),
        runs(1500),
      );
      connection.open.close();
    },
    timeoutOf(60_000),
  );
});
