/** Spellings of a protected host: none of them is served by a wider rule, which is open. */
import { fc, runs, timeoutOf } from "../../test/support/fast-check.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  authPolicy,
  GATEWAY_API,
  GATEWAY_NAMESPACE,
  gatewayOn,
  httpRoute,
} from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { sendBytes } from "../harness/http-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import {
  type Manifest,
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  rule,
  secret,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const NAME = "a.b.cafe";
const WILDCARD = "*.b.cafe";
const basicOf = (namespace: string) => ({
  basic: { secret: `${namespace}/users`, secret_type: "auth-file" },
});
/** Only a Rule can be for an address. */
const ADDRESSES = ["127.0.0.1", "2001:0DB8:0::1", "[::ffff:192.0.2.1]"];
const CLOSED = nginx({ "auth-type": "basic", "auth-secret": "users" });
const OWNER = { alb: "edge", frontend: "web" };
const PLACES = ["ingress", "rule", "route", "listener"] as const;
type Place = (typeof PLACES)[number];
const ports: Record<Place, number> = { ingress: 0, rule: 0, route: 0, listener: 0 };
let gateway: Gateway;

/** A Rule for the wildcard on a port whose default backend is open. */
function rules(): Manifest[] {
  const backend = { serviceGroup: serviceGroup({ web: 100 }) };
  return [
    namespace("default", { "cpaas.io/project": "shop" }),
    alb2("edge", { ingressHTTPPort: ports.ingress, ingressHTTPSPort: 0 }),
    frontend("web", "edge", { port: ports.rule, ...backend }),
    rule("closed", OWNER, {
      dslx: [{ type: "HOST", values: [["IN", WILDCARD, ...ADDRESSES, "Bücher.Example."]] }],
      config: { auth: basicOf("default") },
      ...backend,
    }),
  ];
}

/** A Gateway with an open listener for any host and a closed one for the wildcard. */
function listeners(): Manifest {
  const listener = {
    port: ports.listener,
    protocol: "HTTP",
    allowedRoutes: { namespaces: { from: "All" } },
  };
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "Gateway",
    metadata: { name: "guarded", namespace: GATEWAY_NAMESPACE },
    spec: {
      gatewayClassName: "albc",
      listeners: [
        { name: "open", ...listener },
        { name: "closed", hostname: WILDCARD, ...listener },
      ],
    },
  };
}

function routes(): Manifest[] {
  const web = [{ service: "web" }];
  return [
    ...gatewayOn({ route: ports.route }),
    listeners(),
    httpRoute("open", [], web),
    {
      ...httpRoute("guarded", [], web),
      spec: {
        parentRefs: [{ name: "guarded", namespace: GATEWAY_NAMESPACE }],
        rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
      },
    },
    httpRoute("closed", [WILDCARD], web),
    authPolicy("closed", basicOf("default"), ["HTTPRoute/closed"]),
    authPolicy("closed", basicOf(GATEWAY_NAMESPACE), ["Gateway/guarded#closed"], GATEWAY_NAMESPACE),
  ];
}

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  for (const place of PLACES) ports[place] = await freePort();
  const web = [{ service: "web" }];
  const users = { auth: await htpasswdLine("ann", "secret") };
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", users),
          ingress("open", { hosts: { "": web } }),
          ingress("closed", { annotations: CLOSED, hosts: { [WILDCARD]: web } }),
          rules(),
          routes(),
        ),
        "users.yaml": yaml(secret("users", users, GATEWAY_NAMESPACE)),
      },
    }),
  );
});

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

/** Asks for a host in a spelling, of which each character is a byte. */
async function ask(place: Place, host: string, target = "/"): Promise<HttpResponse> {
  const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  return sendBytes(gateway.target({ port: ports[place] }), bytesOf(head));
}

/** Why a spelling is refused: it is no host for us, or for nginx. */
const NO_HOST = [
  "BadRequest : Host is no DNS name or address",
  "BadRequest : malformed request",
  "BadRequest : host of the request target differs from the Host header",
];

/** A name of other hosts, of as many bytes. */
const long = (length: number): string =>
  `${`${"a".repeat(60)}.`.repeat(4)}cafe.example`.slice(-length);

describe.each(PLACES)("a host behind auth of a(n) %s", (place) => {
  it.each([
    "a.b.cafe",
    "A.B.CAFE",
    "a.b.cafe.",
    "a.b.cafe:8080",
    "a.b.cafe.:8080",
    "_.b.cafe",
    "-.b.cafe",
    `${"a".repeat(63)}.b.cafe`,
  ])("asks for credentials as %s", async (host) => {
    expect((await ask(place, host)).status).toBe(401);
    expect((await ask(place, "other.example", `http://${host}/`)).status).not.toBe(200);
  });

  it.each([
    "b.cafe",
    "a_c.example",
    "xn--4ca.example",
    "127.0.0.9",
    "[::1]:80",
    "[2001:db8::9]",
    "1.example",
    long(253),
  ])("leaves %s open", async (host) => {
    expect(echoOf(await ask(place, host)).backend).toBe("web");
  });

  it.each([
    ".b.cafe",
    "..b.cafe",
    ".a.b.cafe",
    "a..b.cafe",
    "a.b..cafe",
    "a.b.cafe..",
    "*.b.cafe",
    "**.b.cafe",
    "a.b.cafe,x",
    "x,a.b.cafe",
    "a,.b.cafe",
    "a.b.cafe;x",
    "x@a.b.cafe",
    "ann:secret@a.b.cafe",
    "a.b.cafe:80@x",
    "a.b.cafe:80:80",
    "a.b.cafe:x",
    "a.b.cafe#x",
    "a.b.cafe?x",
    "a.b.cafe/x",
    "a.b.cafe\\x",
    "a.b.cafe%00",
    "a.b.cafe%2e",
    "%61.b.cafe",
    "a%2eb.cafe",
    "a.b.cafe\0",
    "a.b.cafe\x0b",
    "a.b.cafe x",
    "a.b.cafe\tx",
    "[a.b.cafe]",
    "[a.b.cafe]:80",
    "[:a.b.cafe]",
    "[a.b.cafe:]",
    "[:a.b.cafe:]",
    "[::a.b.cafe]",
    "[::1%a.b.cafe]",
    "[::1].b.cafe",
    "[::1]x",
    "[a.b.cafe",
    "a.b.cafe]",
    '"a.b.cafe"',
    "<a.b.cafe>",
    "a.b.cafe|x",
    "a.b.cafe`x`",
    "a\xe3\x80\x82b.cafe",
    "\xef\xbd\x81.b.cafe",
    "\xe9.b.cafe",
    `${"a".repeat(64)}.b.cafe`,
    long(254),
  ])("is not to be had as %j", async (host) => {
    for (const target of ["/", `http://${host}/`]) {
      const { status, reason } = await ask(place, host, target);
      expect({ status, isKnown: NO_HOST.includes(reason ?? "") }).toEqual({
        status: 400,
        isKnown: true,
      });
    }
  });

  it(
    "is not to be had in any other spelling",
    async () => {
      const pieces = fc.constantFrom(
        ...["a", "b", "example", ".b.cafe", ".", ".", ":", "80", "*", "[", "]", "-", "_"],
        ...["a.b.cafe", "[a.b.cafe", ":]", "::"],
        ...[",", ";", "@", "%2e", "\\", "\xe9", "\x7f", "\t", " ", "\r", "a".repeat(63)],
      );
      const spelling = fc
        .tuple(fc.array(pieces, { maxLength: 4 }), fc.array(pieces, { maxLength: 3 }))
        .map(([before, after]) => `${before.join("")}.b.cafe${after.join("")}`);
      const isDeep = place === "route" || place === "listener";
      const covered = isDeep ? /\.b\.cafe\.?(?::\d*)?$/ : /^[^.]+\.b\.cafe\.?(?::\d*)?$/;
      await fc.assert(
        fc.asyncProperty(spelling, async (host) => {
          // What no host key of ours covers is another, well-formed host, or refused. Blanks at the ends are not of the value.
          const name = host.replace(/^[ \t]+|[ \t\r]+$/g, "");
          const isName = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?(?::\d*)?$/.test(name);
          const isOther = isName && !covered.test(name);
          const expected = isOther ? (name === host ? [200] : [200, 400]) : [400, 401];
          expect(expected).toContain((await ask(place, host)).status);
        }),
        runs(150),
      );
    },
    timeoutOf(60_000),
  );

  it("is there for those who sign in", async () => {
    const credentials = [["Authorization", basic("ann", "secret")]] as const;
    const response = await gateway.send({ port: ports[place], host: NAME, headers: credentials });
    expect(echoOf(response).backend).toBe("web");
  });
});

describe("a Rule for addresses and a name of other letters", () => {
  const send = (head: string) =>
    sendBytes(gateway.target({ port: ports.rule }), bytesOf(`${head}\r\n\r\n`));

  it.each([
    "127.0.0.1",
    "[2001:db8::1]",
    "[2001:0db8:0:0::1]:80",
    "[2001:DB8::0.0.0.1]",
    "192.0.2.1",
    "[::ffff:c000:201]",
    "xn--bcher-kva.example",
  ])("holds for %s", async (host) => {
    expect((await ask("rule", host)).status).toBe(401);
  });

  it.each([
    "127.1",
    "127.0.1",
    "127.0.0.01",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "0x7f000001",
  ])("is not walked around by %s", async (host) => {
    expect((await ask("rule", host)).status).toBe(400);
  });

  it.each(["GET / HTTP/1.0", "GET / HTTP/1.0\r\nConnection: close"])(
    "holds for a client that names no host (%j)",
    async (head) => {
      expect((await send(head)).status).toBe(401);
    },
  );

  it("leaves other addresses open", async () => {
    for (const host of ["127.0.0.2", "[2001:db8::2]"])
      expect((await ask("rule", host)).status).toBe(200);
  });
});
