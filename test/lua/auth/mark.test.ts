/**
 * A question that leads through the gateway is the same question behind it: its auth service judges the URL of the first request. Nobody
 * else can make one, and one that was seen is worth nothing in another place.
 */
import { AuthService } from "../../../e2e/harness/auth-service.js";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import type { HeaderLines } from "../../../e2e/harness/http-message.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { HeaderTemplate } from "../../../src/model/auth.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { forwardAuth, text } from "../../support/forward-auth.js";
import {
  authPolicy,
  LuaGateway,
  OWN_PORT,
  type TestRoute,
  withOwnPort,
} from "../../support/lua-gateway.js";

const scene = useScene();
const MARK = "x-albc-question";
const AUTH = "127.0.0.1";
const VICTIM = "victim.example";
const KEY = "k".repeat(32);
/** As a client may send them, and as a tenant may set them. */
const FORGED: HeaderLines = [
  ["X-Original-URL", "https://forged.example/public"],
  ["X-Original-URI", "/public"],
  ["X-Original-Method", "OPTIONS"],
  ["X-Original-Host", "forged.example"],
  ["X-Scheme", "https"],
  ["X-Sent-From", "forged"],
  ["X-Real-IP", "203.0.113.9"],
  ["X-Forwarded-Proto", "https"],
  ["X-Forwarded-Host", "forged.example"],
  ["X-Forwarded-Port", "4443"],
  ["X-Forwarded-Uri", "/public"],
  ["X-Auth-Request-Redirect", "/public"],
];

interface Suite {
  readonly gateway: LuaGateway;
  /** Sees what backends of `auth.example` see, and what tenants' own auth services see. */
  readonly behind: AuthService;
  readonly tenants: AuthService;
}

function routes(tenants: AuthService): Readonly<Record<string, TestRoute>> {
  const asks = (port: number, target: string, headers: readonly HeaderTemplate[] = []) => ({
    auth: [authPolicy({ forward: forwardAuth(port, target, { headers }) })],
  });
  const set = FORGED.map(([name, value]): HeaderTemplate => [name, text(value)]);
  const upstream = [{ upstream: "behind", weight: 1, protocol: "http" }] as const;
  return {
    "app.example": asks(OWN_PORT, "/verify?x=1"),
    "forging.example": asks(OWN_PORT, "/verify", set),
    "seen.example": asks(tenants.port, "/seen"),
    "naming.example": asks(tenants.port, "/seen", [["Host", text(VICTIM)]]),
    [VICTIM]: { backends: upstream },
    [AUTH]: { backends: upstream },
    "rewritten.example": { backends: upstream },
  };
}

async function start(
  trustedProxies: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Suite> {
  const backend = await scene.use(EchoBackend.start("web"));
  const behind = await scene.use(AuthService.start());
  const tenants = await scene.use(AuthService.start());
  const gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: routes(tenants),
      upstreams: [{ id: "behind", endpoints: [["127.0.0.1", behind.port]] }],
      options: { dataPlane: { ...DEFAULT_OPTIONS.dataPlane, accessLog: "off", trustedProxies } },
      environment,
      model: withOwnPort,
    }),
  );
  return { gateway, behind, tenants };
}

/** The headers that the service behind the gateway got, by name in lower case. */
function told({ behind }: Suite): Readonly<Record<string, string>> {
  const [request, ...more] = behind.requests.splice(0);
  if (request === undefined || more.length > 0) throw new Error("not asked once");
  return Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
}

const SUITES = { "no proxy is trusted": [], "a proxy is trusted": ["127.0.0.9/32"] } as const;

describe.each(Object.entries(SUITES))("where %s", (_, trusted) => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await start(trusted);
  });

  it("the question keeps what it says of the first request, and not its mark", async () => {
    const { gateway } = suite;
    const headers = [...FORGED, ["Content-Type", "application/grpc"]] as const;
    const path = "/admin?y=2";
    const from = "127.0.0.7";
    const { status } = await gateway.send({
      host: "app.example",
      path,
      method: "PUT",
      headers,
      from,
    });
    expect(status).toBe(200);
    const got = told(suite);
    expect(got).toMatchObject({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      "x-original-url": "http://app.example/admin?y=2",
      "x-original-uri": "/admin?y=2",
      "x-original-method": "PUT",
      "x-scheme": "http",
      "x-sent-from": "alb",
      "x-real-ip": "127.0.0.7",
      "x-forwarded-for": "127.0.0.7, 127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      "x-auth-request-redirect": "/admin?y=2",
    });
    expect(got).not.toHaveProperty(MARK);
    expect(got).not.toHaveProperty("x-original-host");
    expect(JSON.stringify(got)).not.toMatch(/forged|public|203\.0/);
  });

  it("what a config map says of the first request is not believed", async () => {
    await suite.gateway.send({ host: "forging.example", path: "/admin" });
    expect(JSON.stringify(told(suite))).not.toMatch(/forged|public|203\.0/);
  });

  it("a client's words with a mark of its own are not believed", async () => {
    const marks = [`${String(Math.floor(Date.now() / 1000))} AAAAAAAA AAAA`, "", "x", "1 ", "1 2 "];
    for (const mark of marks) {
      await suite.gateway.send({ host: AUTH, headers: [...FORGED, [MARK, mark]] });
      const got = told(suite);
      expect(JSON.stringify(got)).not.toMatch(/forged|public|203\.0/);
      expect(got).not.toHaveProperty(MARK);
    }
  });
});

describe("a mark that was seen", () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await start([]);
  });

  /** The whole question but its host, as a tenant's auth service gets it. */
  async function seen(host = "seen.example"): Promise<HeaderLines> {
    await suite.gateway.send({ host, path: "/admin" });
    const [request] = suite.tenants.requests.splice(0);
    return request?.headers.filter(([name]) => !/^host$/i.test(name)) ?? [];
  }

  const send = (headers: HeaderLines, { path = "/seen", host = "" } = {}) =>
    suite.gateway.send({ host: host || `${AUTH}:${String(suite.tenants.port)}`, path, headers });

  it("is good for the same question", async () => {
    await send(await seen());
    expect(told(suite)).toMatchObject({ "x-original-url": "http://seen.example/admin" });
  });

  it.each<[string, (lines: HeaderLines) => Parameters<typeof send>]>([
    ["for another target", (lines) => [lines, { path: "/verify" }]],
    ["for another query", (lines) => [lines, { path: "/seen?x" }]],
    ["for another host", (lines) => [lines, { host: VICTIM }]],
    ...["X-Original-URL", "X-Real-IP", "X-Scheme", "X-Original-Method", "X-Original-URI"].map(
      (changed): [string, (lines: HeaderLines) => Parameters<typeof send>] => [
        `with another ${changed}`,
        (lines) => [
          lines.map(([name, value]) => (name === changed ? [name, "/forged"] : [name, value])),
        ],
      ],
    ),
    ["with a value twice", (lines) => [[["X-Original-URL", "https://forged.example/"], ...lines]]],
    ["with its mark first", (lines) => [[...lines].reverse()]],
    ["when it is old", (lines) => [aged(lines)]],
  ])("is refused %s", async (_, change) => {
    const { status, reason } = await send(...change(await seen()));
    expect([status, reason]).toEqual([400, "BadRequest : not the question to an auth service"]);
    expect(suite.behind.requests).toEqual([]);
  });

  it("is refused at the host that a tenant's config map names", async () => {
    const lines = await seen("naming.example");
    expect((await send(lines, { host: VICTIM })).status).toBe(400);
  });

  it("is worthless at a gateway with another key, and good at one with the same", async () => {
    const [one, same, other] = [
      await start([], { "session.key": KEY }),
      await start([], { "session.key": KEY }),
      suite,
    ];
    await one.gateway.send({ host: "seen.example", path: "/admin" });
    const lines = one.tenants.requests[0]?.headers.filter(([name]) => !/^host$/i.test(name)) ?? [];
    const host = `${AUTH}:${String(one.tenants.port)}`;
    for (const [suiteOf, expected] of [
      [same, "http://seen.example/admin"],
      [other, undefined],
    ] as const) {
      await suiteOf.gateway.send({ host, path: "/seen", headers: lines });
      expect(told(suiteOf)["x-original-url"]).toBe(expected);
    }
  });
});

function aged(lines: HeaderLines): HeaderLines {
  return lines.map(([name, value]): readonly [string, string] => {
    const [time = "", ...rest] = value.split(" ");
    const old = [String(Number(time) - 60), ...rest].join(" ");
    return [name, name.toLowerCase() === MARK ? old : value];
  });
}
