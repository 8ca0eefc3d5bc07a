/** sessionPersistence of HTTPRoutes and GRPCRoutes, as clients see it: over every worker, and across a change of endpoints. */
import { asking, EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { type Fields, gatewayOn, routeOf } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { Http2Client, type Http2Response } from "../harness/http2-client.js";
import type { HttpResponse } from "../harness/http-message.js";
import { type Manifest, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const TRIES = 8;
let gateway: Gateway;
let port: number;
let backends: readonly EchoBackend[];
let calls: readonly GrpcBackend[];

/** sessionPersistence by the route's name. */
const SESSIONS: Readonly<Record<string, Fields>> = {
  plain: { cookie: {} },
  named: { type: "Cookie", cookie: { name: "My.sid", path: "/shop" } },
  session: { absoluteTimeout: "1h", cookie: { name: "sid", lifetimeType: "Session" } },
  permanent: { absoluteTimeout: "1h30m", cookie: { name: "sid", lifetimeType: "Permanent" } },
  // Whole seconds are counted, so it lasts between one and two.
  short: { absoluteTimeout: "2s", cookie: { name: "sid" } },
  header: { type: "Header", header: { name: "X-Session" } },
  // As v1.6 has it.
  legacy: {
    sessionName: "old",
    absoluteTimeout: "1h",
    cookieConfig: { lifetimeType: "Permanent" },
  },
  "two-services": { cookie: { name: "sid" } },
};

const pool = (members: readonly { readonly port: number }[]): Manifest[] =>
  service(
    "pool",
    members.map((each) => ({ port: each.port })),
  );

beforeAll(async () => {
  backends = await Promise.all(["a", "b", "c"].map((name) => scene.use(EchoBackend.start(name))));
  calls = [await scene.use(GrpcBackend.start()), await scene.use(GrpcBackend.start())];
  port = await freePort();
  const [first, second] = backends;
  if (!first || !second) throw new Error("backends");
  const one = [{ name: "pool", port: 80 }];
  const two = ["one", "two"].map((name) => ({ name, port: 80 }));
  gateway = await scene.use(
    Gateway.start({
      files: {
        "pool.yaml": yaml(pool(backends)),
        "site.yaml": yaml(
          gatewayOn({ http: port }),
          service("one", [{ port: first.port }]),
          service("two", [{ port: second.port }]),
          service(
            "calls",
            calls.map((each) => ({ port: each.port })),
          ),
          ...Object.entries(SESSIONS).map(([name, sessionPersistence]) =>
            routeOf("HTTPRoute", name, [
              { sessionPersistence, backendRefs: name === "two-services" ? two : one },
            ]),
          ),
          routeOf("GRPCRoute", "grpc", [
            {
              sessionPersistence: { type: "Header", header: { name: "X-Session" } },
              backendRefs: [{ name: "calls", port: 80 }],
            },
          ]),
        ),
      },
    }),
  );
});

const ask = (name: string, headers: readonly (readonly [string, string])[] = []) =>
  gateway.send({ port, host: `${name}.example`, headers });
const cookieOf = (response: HttpResponse): string => response.header("set-cookie") ?? "";
const sent = (response: HttpResponse) =>
  ["Cookie", `other=1; ${cookieOf(response).split(";")[0] ?? ""}`] as const;

/** The endpoint and the new cookies or tokens of several answers on connections of their own, which both workers take. */
async function repeated(name: string, header: readonly [string, string]) {
  const found = new Set<string>();
  for (let i = 0; i < TRIES; i += 1) {
    const response = await ask(name, [header]);
    found.add([echoOf(response).backend, cookieOf(response), response.header("x-session")].join());
  }
  return [...found];
}

describe("a session by cookie", () => {
  it.each([
    ["plain", /^session-[0-9a-f]{10}=[\w-]+; Path=\/; HttpOnly$/],
    ["named", /^My\.sid=[\w-]+; Path=\/shop; HttpOnly$/],
    ["session", /^sid=[\w-]+; Path=\/; HttpOnly$/],
    ["permanent", /^sid=[\w-]+; Max-Age=5400; Path=\/; HttpOnly$/],
    ["legacy", /^old=[\w-]+; Max-Age=3600; Path=\/; HttpOnly$/],
    ["two-services", /^sid=[\w-]+; Path=\/; HttpOnly$/],
  ])("%s begins with its cookie and goes on at its endpoint", async (name, cookie) => {
    for (let i = 0; i < 3; i += 1) {
      const first = await ask(name);

      expect(cookieOf(first)).toMatch(cookie);
      expect(await repeated(name, sent(first))).toEqual([`${echoOf(first).backend},,`]);
    }
  });

  it("ends after absoluteTimeout, however often it is used", async () => {
    const first = await ask("short");
    const start = performance.now();
    let renewed = await ask("short", [sent(first)]);
    while (cookieOf(renewed) === "" && performance.now() - start < 10_000) {
      renewed = await ask("short", [sent(first)]);
    }

    expect(cookieOf(renewed)).toMatch(/^sid=/);
    expect(cookieOf(renewed)).not.toBe(cookieOf(first));
    expect(performance.now() - start).toBeGreaterThan(900);
  });

  it("that nobody gave out begins anew", async () => {
    const response = await ask("named", [["Cookie", "My.sid=forged"]]);

    expect(response.status).toBe(200);
    expect(cookieOf(response)).toMatch(/^My\.sid=/);
  });

  it("begins with an error of the backend, too", async () => {
    const response = await ask("named", [asking({ status: 500 })]);

    expect([response.status, cookieOf(response)]).toEqual([
      500,
      expect.stringMatching(/^My\.sid=/),
    ]);
  });
});

describe("a session by header", () => {
  it("begins with a token in the answer and goes on at its endpoint", async () => {
    const first = await ask("header");
    const token = first.header("x-session") ?? "";

    expect(token).toMatch(/^[\w-]+$/);
    expect(cookieOf(first)).toBe("");
    expect(await repeated("header", ["X-Session", token])).toEqual([`${echoOf(first).backend},,`]);
  });

  it("holds for gRPC calls", async () => {
    const client = await scene.use(Http2Client.open({ port }));
    const call = (headers: Record<string, string> = {}): Promise<Http2Response> =>
      client.send(
        {
          ":method": "POST",
          ":path": "/shop.Cart/Add",
          ":authority": "grpc.example",
          "content-type": "application/grpc",
          te: "trailers",
          ...headers,
        },
        grpcMessage("x"),
      );
    const first = await call();
    const token = String(first.headers["x-session"]);
    const before = calls.map((each) => each.calls.length);
    for (let i = 0; i < TRIES; i += 1) await call({ "x-session": token });
    const made = calls.map((each, i) => each.calls.length - (before[i] ?? 0)).sort();

    expect(token).toMatch(/^[\w-]{20,}$/);
    expect(made).toEqual([0, TRIES]);
  });
});

describe("when the endpoints of its Service change", () => {
  it("goes on where its endpoint stays, and begins anew where it is gone", async () => {
    const sessions = await Promise.all(Array.from({ length: 9 }, () => ask("session")));
    const gone = "c";
    await gateway.change("pool.yaml", yaml(pool(backends.filter(({ name }) => name !== gone))));
    const outcomes = await Promise.all(
      sessions.map(async (first) => {
        const next = await ask("session", [sent(first)]);
        return {
          before: echoOf(first).backend,
          after: echoOf(next).backend,
          isNew: cookieOf(next) !== "",
        };
      }),
    );

    expect(new Set(outcomes.map(({ before }) => before))).toEqual(new Set(["a", "b", "c"]));
    for (const { before, after, isNew } of outcomes) {
      expect(isNew).toBe(before === gone);
      if (before === gone) expect(after).not.toBe(gone);
      else expect(after).toBe(before);
    }
  });
});
