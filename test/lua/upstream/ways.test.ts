/** What holds for backends however they are spoken to: each line of each table runs over all of WAYS. */
import { readFileSync } from "node:fs";
import { Authority } from "../../../e2e/harness/certificates.js";
import { Connection, formatRequest, type Request } from "../../../e2e/harness/http-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { WebSocketClient } from "../../../e2e/harness/websocket.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import {
  HTTP1_WAYS,
  VERIFIED_WAYS,
  WAYS,
  WAY_NAMES,
  WayBackend,
  breaks,
  drips,
  issue,
  profilesOf,
  silent,
  status,
  type WayName,
} from "../../support/backend-ways.js";
import { freePort } from "../../support/free-port.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { until } from "../../support/until.js";

const scene = useScene();
const REFUSED = "BackendError : no valid response from backend";
let gateway: LuaGateway;
let pages: WayBackend;
let dead: number;
const backends = new Map<WayName, readonly [WayBackend, WayBackend]>();
const impostors = new Map<WayName, WayBackend>();

/** What each way has a route of, by the first label of its host. */
const ROUTES: Readonly<Record<string, TestRoute & { readonly upstream?: string }>> = {
  bare: {},
  rewritten: { rewrite: ["prefix", "/old", "/new"], host: "other.example" },
  none: { retry: { attempts: 0 } },
  few: { retry: { codes: [503], attempts: 3 } },
  "few-without-502": { retry: { codes: [500], attempts: 1 }, upstream: "half-dead" },
  "other-endpoint": { upstream: "half-dead" },
  "other-certificate": { upstream: "half-wrong" },
  dead: { upstream: "dead" },
  each: { deadlines: { backendRequest: 300 } },
  "each-again": { deadlines: { backendRequest: 200 }, retry: { codes: [504], attempts: 1 } },
  whole: { deadlines: { request: 300 } },
  patient: { deadlines: { request: 30_000 } },
  limited: { bodyLimit: 10 },
  "large-limit": { bodyLimit: 1000, retry: { codes: [503], attempts: 1 } },
  paged: { errorPages: { statuses: [503], upstream: "pages" } },
  "paged-again": {
    retry: { codes: [503], attempts: 1 },
    errorPages: { statuses: [503], upstream: "pages" },
  },
  session: { session: { in: "header", name: "X-Session", path: "/" }, upstream: "both" },
};

const hostOf = (route: string, way: WayName) => `${route}.${way}.example`;
const pairOf = (way: WayName): readonly [WayBackend, WayBackend] => {
  const pair = backends.get(way);
  if (pair === undefined) throw new Error(`no backend by ${way}`);
  return pair;
};
const first = (way: WayName) => pairOf(way)[0];
const second = (way: WayName) => pairOf(way)[1];

beforeAll(async () => {
  const authority = await Authority.create("backends");
  const pair = await issue(authority);
  const wrong = await authority.issue("elsewhere.example");
  pages = await scene.use(WayBackend.start("http", pair));
  dead = await freePort();
  for (const way of WAY_NAMES) {
    const start = () => scene.use(WayBackend.start(WAYS[way].protocol, pair));
    backends.set(way, [await start(), await start()]);
    impostors.set(way, await scene.use(WayBackend.start(WAYS[way].protocol, wrong)));
  }
  const to = (id: string, ...ports: readonly number[]) => ({
    id,
    endpoints: ports.map((port) => ["127.0.0.1", port] as const),
  });
  gateway = await scene.use(
    LuaGateway.start({
      backend: first("plain").port,
      routes: Object.fromEntries(WAY_NAMES.flatMap(routesOf)),
      upstreams: [
        to("pages", pages.port),
        ...WAY_NAMES.flatMap((way) => [
          to(`${way}/first`, first(way).port),
          to(`${way}/both`, first(way).port, second(way).port),
          to(`${way}/half-dead`, dead, first(way).port),
          to(`${way}/half-wrong`, impostors.get(way)?.port ?? 0, first(way).port),
          to(`${way}/dead`, dead),
        ]),
      ],
      options: {
        dataPlane: {
          ...DEFAULT_OPTIONS.dataPlane,
          workers: 1,
          accessLog: "logs/access.log",
          accessLogFields: ["path", "upstream_addr"],
        },
      },
      model: (model) => ({ ...model, backendTls: profilesOf(authority) }),
    }),
  );
});

function routesOf(way: WayName): readonly (readonly [string, TestRoute])[] {
  const routes = Object.entries(ROUTES).map(([name, { upstream = "first", ...route }]) => {
    const backend = { upstream: `${way}/${upstream}`, weight: 1, ...WAYS[way] };
    return [hostOf(name, way), { ...route, backends: [backend] }] as const;
  });
  const mirror = { upstream: `${way}/first`, ...WAYS[way], numerator: 1, denominator: 1 };
  return [
    ...routes,
    [
      hostOf("mirrored", way),
      { mirrors: [mirror], backends: [{ upstream: "pages", weight: 1, protocol: "http" }] },
    ],
  ];
}

beforeEach(() => {
  pages.reset(status(200, "page"));
  for (const pair of backends.values()) for (const backend of pair) backend.reset();
  for (const backend of impostors.values()) backend.reset();
});

const send = (route: string, way: WayName, over: Request = {}) =>
  gateway.send({ host: hostOf(route, way), ...over });
const post = (route: string, way: WayName, body = "content") =>
  send(route, way, { method: "POST", body });

/** Leaves so many kept connections to the first backend. */
async function keepConnections(route: string, way: WayName, count: number): Promise<void> {
  const waiting: (() => void)[] = [];
  first(way).reset((...exchange) => {
    waiting.push(() => status(200)(...exchange));
    if (waiting.length === count) for (const answer of waiting) answer();
  });
  await Promise.all(Array.from({ length: count }, () => send(route, way)));
}

async function timed<T>(promise: Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now();
  return { result: await promise, ms: performance.now() - start };
}

describe.each(WAY_NAMES)("a backend by %s", (way) => {
  it("gets method, target, host, headers and body as they came", async () => {
    const path = "/a%2Fb%3B%2B%41//c/%C3%A4;d?x=%20y&z";
    const response = await send("bare", way, {
      method: "PUT",
      path,
      headers: [
        ["X-Test", "1"],
        ["X-Albc-Endpoint", "forged"],
      ],
      body: "the body",
    });
    const [received] = first(way).received;

    expect([response.status, response.text]).toEqual([200, "answer"]);
    expect(received).toMatchObject({ method: "PUT", url: path, body: "the body" });
    expect(received?.host).toBe(hostOf("bare", way));
    expect(received?.headers["x-test"]).toBe("1");
    expect(received?.headers["x-forwarded-host"]).toBe(hostOf("bare", way));
    const own = Object.keys(received?.headers ?? {}).filter((name) => name.includes("albc"));
    expect(own).toEqual(["x-albc-turns"]);
  });

  it("sees what filters have made of target and host", async () => {
    await send("rewritten", way, { path: "/old/a%20b?c" });

    expect(first(way).received[0]).toMatchObject({ url: "/new/a%20b?c", host: "other.example" });
  });

  it.each(["%2F", "%3B", "%2B", "%41"])(
    "sees %s of a rewritten path as it came, or is not asked",
    async (escape) => {
      const { status: answered } = await send("rewritten", way, { path: `/old/a${escape}b?c` });
      const urls = first(way).received.map(({ url }) => url);

      expect([answered, urls]).toEqual(
        WAYS[way].protocol.startsWith("http") ? [200, [`/new/a${escape}b?c`]] : [400, []],
      );
    },
  );

  it.each(["bare", "none", "few"])("gets each POST of %s once, done or not", async (route) => {
    for (let i = 0; i < 20; i += 1) {
      first(way).next = [status(200), breaks];
      // Leaves a connection that is kept.
      expect((await send(route, way)).status).toBe(200);
      expect((await post(route, way)).status).toBe(502);
    }
    const posts = first(way).received.filter(({ method }) => method === "POST");

    expect(posts).toHaveLength(20);
  });

  it("gets a request once if the route allows no other try", async () => {
    first(way).reset(status(200), breaks);
    expect((await send("none", way)).status).toBe(200);
    expect((await send("none", way)).status).toBe(502);
    expect((await send("none", way)).status).toBe(502);

    expect(first(way).received).toHaveLength(3);
  });

  // nginx doesn't count tries on kept connections. A client must pay for what it causes, whatever its backend does.
  it.each(["bare", "few", "patient"])(
    "gets a request ten times at most, however many kept connections it closes: %s",
    async (route) => {
      await keepConnections(route, way, 30);
      first(way).reset(breaks);
      expect((await send(route, way)).status).toBe(502);
      expect(first(way).received.length).toBeLessThanOrEqual(10);
    },
  );

  it("gets no more tries than the route allows", async () => {
    first(way).reset(status(503));
    const response = await send("few", way);

    expect([response.status, response.text]).toEqual([503, "answer"]);
    expect(first(way).received).toHaveLength(4);
    expect(first(way).connections).toBeLessThanOrEqual(4);
  });

  it.each(["bare", "few", "large-limit"])(
    "gets each part of a body without a length when it comes: %s",
    async (route) => {
      const connection = await Connection.open(gateway.target());
      const host = hostOf(route, way);
      connection.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (const bytes of [1, 2, 3]) {
        connection.write("1\r\nx\r\n");
        await until(() => first(way).bodyBytes === bytes);
      }
      connection.write("0\r\n\r\n");
      expect((await connection.receive()).status).toBe(200);
      connection.close();
    },
  );

  it.each([7, 100_000])("gets a body of %d bytes again with each try", async (size) => {
    const body = "x".repeat(size);
    await send("few", way);
    first(way).reset(status(503), status(503), status(200));
    const response = await post("few", way, body);

    expect(response.status).toBe(200);
    expect(first(way).received.map((request) => request.body === body)).toEqual([true, true, true]);
  });

  it.each(["other-endpoint", "few-without-502"])(
    "gets the request if another endpoint can't be reached: %s",
    async (route) => {
      for (let i = 0; i < 4; i += 1) {
        expect((await post(route, way, "x".repeat(50_000))).status).toBe(200);
      }
      expect(first(way).received).toHaveLength(4);
    },
  );

  it("that can't be reached is a 502", async () => {
    const response = await send("dead", way);

    expect([response.status, response.reason]).toEqual([502, REFUSED]);
  });

  it("that is too slow is a 504, or tried again if the route says so", async () => {
    first(way).reset(silent);
    const { result, ms } = await timed(send("each", way));
    expect([result.status, result.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(1500);
    expect(first(way).received).toHaveLength(1);

    first(way).reset(silent, status(200));
    expect((await send("each-again", way)).status).toBe(200);
    expect(first(way).received).toHaveLength(2);
  });

  it("answers until the deadline of the whole, and no longer", async () => {
    first(way).reset(drips(100));
    const { ms } = await timed(expect(send("whole", way)).rejects.toThrow());
    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(1500);

    first(way).reset(drips(2));
    expect((await send("whole", way)).text).toBe("xx");
  });

  it("may begin to answer early, and each part arrives at once", async () => {
    let finish: (() => void) | undefined;
    first(way).reset((response) => {
      response.writeHead(200, { "content-length": "7", "x-accel-buffering": "no" });
      response.write("one ");
      finish = () => response.end("two");
    });
    const connection = await Connection.open(gateway.target());
    connection.write(formatRequest({ host: hostOf("bare", way) }));
    const head = await connection.receiveHead();
    const part = String(await connection.reader.bytes(4));
    finish?.();
    const rest = String(await connection.reader.bytes(3));
    connection.close();

    expect([head.status, part, rest]).toEqual([200, "one ", "two"]);
  });

  it("keeps its sessions at one endpoint", async () => {
    for (let i = 0; i < 4; i += 1) {
      for (const each of [first(way), second(way)]) each.reset();
      const token = (await send("session", way)).header("x-session") ?? "";
      expect(token).toMatch(/^[\w-]{32}$/);
      for (let again = 0; again < 3; again += 1) {
        const next = await send("session", way, { headers: [["X-Session", token]] });
        expect(next.header("x-session")).toBeUndefined();
      }
      expect([first(way), second(way)].map(({ received }) => received.length).sort()).toEqual([
        0, 4,
      ]);
    }
  });

  it("is named in the log, each try of it", async () => {
    first(way).reset(status(503), status(200));
    await send("few", way, { path: `/tried/${way}` });
    await send("dead", way, { path: `/dead/${way}` });
    const lines = () =>
      readFileSync(`${gateway.nginx.dir}/logs/access.log`, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as Record<string, string>);
    const logged = (of: string) =>
      lines().find(({ path }) => path === `/${of}/${way}`)?.["upstream_addr"];
    await until(() => logged("dead") !== undefined);

    const { port } = first(way);
    expect(logged("tried")).toBe(`127.0.0.1:${port}, 127.0.0.1:${port}`);
    expect(logged("dead")).toBe(`127.0.0.1:${dead}`);
  });
});

describe.each(WAY_NAMES.filter((way) => !WAYS[way].protocol.startsWith("grpc")))(
  "a backend by %s, not by gRPC,",
  (way) => {
    it("gets no body without a length above the limit", async () => {
      const chunked = { method: "POST", chunked: true };

      expect((await send("limited", way, { ...chunked, body: "0123456789" })).status).toBe(200);
      expect((await send("limited", way, { ...chunked, body: "0123456789a" })).status).toBe(413);
      expect(first(way).received.map(({ body }) => body)).toEqual(["0123456789"]);
    });

    it.each(["paged", "paged-again"])("has errors replaced by pages: %s", async (route) => {
      first(way).reset(status(503));
      const response = await send(route, way);

      expect([response.status, response.text]).toEqual([200, "page"]);
      expect(first(way).received).toHaveLength(route === "paged" ? 1 : 2);
    });
  },
);

describe.each(HTTP1_WAYS)("a WebSocket to a backend by %s", (way) => {
  it.each(["bare", "whole", "few"])("outlives all deadlines: %s", async (route) => {
    const connection = await Connection.open(gateway.target());
    const { client } = await WebSocketClient.upgrade(connection, { host: hostOf(route, way) });
    expect(await client?.exchange("one")).toBe("one");
    await new Promise((resolve) => setTimeout(resolve, route === "whole" ? 600 : 0));
    expect(await client?.exchange("two")).toBe("two");
    connection.close();
  });
});

describe.each(["plain", "tls", "verified"] as const)("a restarted backend by %s", (way) => {
  it.each(["bare", "few", "patient"])("may have closed six kept connections: %s", async (route) => {
    await keepConnections(route, way, 30);
    first(way).reset(breaks, breaks, breaks, breaks, breaks, breaks, status(200));

    expect((await send(route, way)).status).toBe(200);
  });
});

describe.each(HTTP1_WAYS)("a mirror by %s", (way) => {
  it("gets copies", async () => {
    for (const path of ["/a%20b//c?d", "/e", "/f"]) {
      first(way).reset();
      await send("mirrored", way, {
        method: "POST",
        path,
        headers: [["X-Albc-Endpoint", "forged"]],
        body: "content",
      });
      await until(() => first(way).received.length === 1);
      const [copy] = first(way).received;
      expect(copy).toMatchObject({ method: "POST", url: path, body: "content" });
      expect(copy?.host).toBe(hostOf("mirrored", way));
      expect(copy?.headers["x-albc-endpoint"]).toBeUndefined();
    }
  });
});

describe.each(VERIFIED_WAYS)("an endpoint by %s whose certificate is another", (way) => {
  it("gets nothing, and another endpoint is tried", async () => {
    for (let i = 0; i < 4; i += 1) {
      expect((await post("other-certificate", way)).status).toBe(200);
    }

    expect(first(way).received).toHaveLength(4);
    expect(impostors.get(way)?.received).toEqual([]);
  });
});

it("logs no fault of its own", () => {
  expect(gateway.newLog()).not.toMatch(
    /\[(alert|crit|emerg)\]|attempt to|lua entry thread aborted/,
  );
});
