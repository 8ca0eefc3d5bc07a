import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { Connection, type Target } from "../harness/http-client.js";
import type { HeaderLines } from "../harness/http-message.js";
import { ingress, service, yaml } from "../harness/manifests.js";
import type { RecordedRequest } from "../harness/recorded-request.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "web.example";
/** Harmless characters only: it goes into logs. */
const GENERATED_ID = /^[\w.:-]{8,64}$/;
/** Everything that a client may claim about itself and its way. */
const CLAIMS: HeaderLines = [
  ["X-Forwarded-For", "192.0.2.1"],
  ["X-Real-IP", "192.0.2.2"],
  ["X-Forwarded-Proto", "https"],
  ["X-Forwarded-Host", "claimed.example"],
  ["X-Forwarded-Port", "8443"],
  ["X-Forwarded-Scheme", "https"],
  ["X-Scheme", "https"],
  ["X-Original-URI", "/claimed"],
  ["Forwarded", "for=192.0.2.3;proto=https"],
];
/** What a gateway says of the request that it got. */
const DESCRIPTIONS: HeaderLines = [
  ...["X-Forwarded-Uri", "X-Forwarded-Method", "X-Forwarded-Prefix", "X-Original-Method"],
  ...["X-Original-Host", "X-Original-For", "X-Original-Proto", "X-Original-Prefix"],
  ...["X-Original-Forwarded-For", "X-Auth-Request-Redirect", "X-Forwarded-Server"],
  ...["X-Sent-From"],
].map((name) => [name, "claimed"] as const);
let backend: EchoBackend;

async function startGateway(...flags: string[]): Promise<Gateway> {
  const files = {
    "web.yaml": yaml(
      service("web", [{ port: backend.port }]),
      ingress("web", { hosts: { [HOST]: [{ service: "web" }] } }),
      ingress("prefixed", {
        annotations: {
          "alb.ingress.cpaas.io/rewrite-request": '{"headers":{"X-Forwarded-Prefix":"/app"}}',
        },
        hosts: { "prefixed.example": [{ service: "web" }] },
      }),
      ingress("rewritten", {
        annotations: {
          "alb.ingress.cpaas.io/rewrite-request":
            '{"headers":{"Connection":"x-a","X-Real-IP":"mine"},"headers_var":{"X-User":"cookie_user"},"headers_remove":["X-Forwarded-For"]}',
        },
        hosts: { "rewritten.example": [{ service: "web" }] },
      }),
    ),
  };
  const gateway = await scene.use(Gateway.start({ files, flags }));
  gateway.expectErrors(/"object":"Ingress default\/rewritten"/);
  return gateway;
}

function forwarded(echo: RecordedRequest): Record<string, string | undefined> {
  const names = ["for", "proto", "host", "port"].map((part) => `x-forwarded-${part}`);
  return Object.fromEntries(["x-real-ip", ...names].map((name) => [name, echo.header(name)]));
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

describe("without trusted proxies", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway();
  });

  async function received(headers: HeaderLines, over: Partial<Target> = {}) {
    return echoOf(await gateway.send({ host: HOST, path: "/p?q=1", headers, ...over }));
  }

  it("the backend is told of the connection", async () => {
    const echo = await received([]);

    expect(forwarded(echo)).toEqual({
      "x-real-ip": "127.0.0.1",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": HOST,
      "x-forwarded-port": String(gateway.httpPort),
    });
    // The request line says it.
    expect(echo.all("x-original-uri")).toEqual([]);
    expect(echo.header("x-scheme")).toBe("http");
    expect(echo.header("x-request-id")).toMatch(GENERATED_ID);
  });

  it("nothing that a client claims is believed; its chain gets the peer appended", async () => {
    const echo = await received(CLAIMS, { from: "127.0.0.9" });

    expect(forwarded(echo)).toEqual({
      "x-real-ip": "127.0.0.9",
      "x-forwarded-for": "192.0.2.1, 127.0.0.9",
      "x-forwarded-proto": "http",
      "x-forwarded-host": HOST,
      "x-forwarded-port": String(gateway.httpPort),
    });
    expect(echo.all("x-original-uri")).toEqual([]);
    expect(echo.all("x-scheme")).toEqual(["http"]);
    expect(echo.all("x-forwarded-scheme")).not.toContain("https");
    expect(echo.all("forwarded")).toEqual([]);
  });

  it("a filter's X-Forwarded-Prefix reaches the backend in place of the client's", async () => {
    const headers = [["X-Forwarded-Prefix", "claimed"]] as const;
    const echo = echoOf(await gateway.send({ host: "prefixed.example", headers }));

    expect(echo.all("x-forwarded-prefix")).toEqual(["/app"]);
  });

  it("a setting that can be done in part loses no removal, and the client's value does not pass", async () => {
    const headers = [...CLAIMS, ["X-User", "claimed"], ["X-A", "kept"]] as const;
    const echo = echoOf(await gateway.send({ host: "rewritten.example", headers }));

    expect(forwarded(echo)).toMatchObject({
      "x-real-ip": "127.0.0.1",
      "x-forwarded-for": "127.0.0.1",
    });
    expect(echo.all("x-user")).toEqual([]);
    expect(echo.all("x-a")).toEqual(["kept"]);
  });

  it("no other description of the request is passed on", async () => {
    const underscored = DESCRIPTIONS.map(
      ([name]) => [name.replaceAll("-", "_"), "claimed"] as const,
    );
    for (const headers of [DESCRIPTIONS, underscored]) {
      expect((await received(headers)).headers.filter(([, value]) => value === "claimed")).toEqual(
        [],
      );
    }
  });

  it.each([
    "X_Real_IP",
    "X-Real_IP",
    "X_Forwarded_Proto",
    "X_Forwarded-For",
    "X-Forwarded_Host",
    "X_Original_URI",
  ])("a client's %s, which many backends take for ours, does not pass", async (name) => {
    expect((await received([[name, "192.0.2.66"]])).all(name)).toEqual([]);
  });

  it("other headers with underscores pass", async () => {
    expect((await received([["my_header", "kept"]])).header("my_header")).toBe("kept");
  });

  it("several X-Forwarded-For lines become one chain", async () => {
    const lines = ["192.0.2.1", "192.0.2.2, 192.0.2.3"].map((v) => ["X-Forwarded-For", v] as const);

    expect((await received(lines)).header("x-forwarded-for")).toBe(
      "192.0.2.1, 192.0.2.2, 192.0.2.3, 127.0.0.1",
    );
  });

  it("a client's harmless X-Request-ID is kept", async () => {
    expect((await received([["X-Request-ID", "trace-1.2"]])).header("x-request-id")).toBe(
      "trace-1.2",
    );
    const [one, other] = [await received([]), await received([])];
    expect(one.header("x-request-id")).not.toBe(other.header("x-request-id"));
    expect((await received([["X-Request-ID", 'a"b c']])).header("x-request-id")).toMatch(
      GENERATED_ID,
    );
  });
});

describe("with trusted proxies", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway("--trusted-proxies", "127.0.0.1/32,10.0.0.0/8,::1/128");
  });

  async function received(headers: HeaderLines, over: Partial<Target> = {}) {
    return echoOf(await gateway.send({ host: HOST, headers, ...over }));
  }

  it("a trusted proxy's words are passed on", async () => {
    expect(forwarded(await received(CLAIMS))).toEqual({
      "x-real-ip": "192.0.2.1",
      "x-forwarded-for": "192.0.2.1, 127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "claimed.example",
      "x-forwarded-port": "8443",
    });
  });

  it("so are its descriptions of the request, and not those of another peer", async () => {
    const echo = await received(DESCRIPTIONS);
    for (const [name] of DESCRIPTIONS) expect([name, ...echo.all(name)]).toEqual([name, "claimed"]);

    const other = await received(DESCRIPTIONS, { from: "127.0.0.2" });
    expect(other.headers.filter(([, value]) => value === "claimed")).toEqual([]);
  });

  it("so are those of one that comes by IPv6", async () => {
    expect((await received(CLAIMS, { address: "::1" })).header("x-real-ip")).toBe("192.0.2.1");
  });

  it("the client is the last address of the chain that is not a trusted proxy's", async () => {
    const chain = [["X-Forwarded-For", "192.0.2.9, 198.51.100.7, 10.1.2.3"]] as const;

    expect((await received(chain)).header("x-real-ip")).toBe("198.51.100.7");
  });

  it("the port follows the forwarded scheme when the proxy names none", async () => {
    const echo = await received([["X-Forwarded-Proto", "https"]]);

    expect(echo.header("x-forwarded-port")).toBe("443");
    expect(echo.header("x-forwarded-host")).toBe(HOST);
  });

  it("a scheme that is none is not passed on", async () => {
    expect((await received([["X-Forwarded-Proto", "gopher"]])).header("x-forwarded-proto")).toBe(
      "http",
    );
  });

  it("another peer's words are worth nothing", async () => {
    expect(forwarded(await received(CLAIMS, { from: "127.0.0.2" }))).toEqual({
      "x-real-ip": "127.0.0.2",
      "x-forwarded-for": "192.0.2.1, 127.0.0.2",
      "x-forwarded-proto": "http",
      "x-forwarded-host": HOST,
      "x-forwarded-port": String(gateway.httpPort),
    });
  });
});

describe("with the PROXY protocol", () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway("--proxy-protocol");
  });

  async function exchange(preface: string): Promise<RecordedRequest> {
    const connection = await Connection.open(gateway.target());
    connection.write(`${preface}GET / HTTP/1.1\r\nHost: ${HOST}\r\nX-Real-IP: 192.0.2.2\r\n\r\n`);
    try {
      return echoOf(await connection.receive());
    } finally {
      connection.close();
    }
  }

  it("the client is the one that its first line names", async () => {
    const echo = await exchange("PROXY TCP4 203.0.113.7 198.51.100.1 56324 8080\r\n");

    expect(forwarded(echo)).toEqual({
      "x-real-ip": "203.0.113.7",
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-proto": "http",
      "x-forwarded-host": HOST,
      "x-forwarded-port": "8080",
    });
  });

  it("an IPv6 client is one too", async () => {
    const echo = await exchange("PROXY TCP6 2001:db8::7 2001:db8::1 56324 80\r\n");

    expect(echo.header("x-real-ip")).toBe("2001:db8::7");
  });

  it("a connection that does not begin with it is closed", async () => {
    await expect(exchange("")).rejects.toThrow("the connection ended");
  });
});
