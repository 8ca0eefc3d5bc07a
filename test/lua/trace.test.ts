/** W3C Trace Context: what backends and auth services get, and what is reported of sampled requests. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS, type TraceOptions } from "../../src/model/options.js";
import { externalAuth, forwardAuth } from "../support/forward-auth.js";
import { authPolicy, LuaGateway } from "../support/lua-gateway.js";
import { ScriptedServer } from "../support/scripted-server.js";
import { until } from "../support/until.js";

const scene = useScene();
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
let backend: ScriptedServer;
let authService: ScriptedServer;
let receiver: Socket;
let reports: Record<string, string>[];

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  authService = await scene.use(ScriptedServer.start());
  receiver = createSocket("udp4");
  receiver.bind(0, "127.0.0.1");
  await once(receiver, "listening");
  receiver.on("message", (bytes) => {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    reports.push(JSON.parse(text.slice(text.indexOf("{"))) as Record<string, string>);
  });
});

beforeEach(() => {
  reports = [];
});

afterAll(() => receiver.close());

async function start(trace: Partial<TraceOptions>): Promise<LuaGateway> {
  const { port } = receiver.address();
  const of = { ...DEFAULT_OPTIONS.dataPlane.trace, address: `127.0.0.1:${port}`, ...trace };
  return scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "open.example": {},
        "always.example": { traceRate: 100 },
        "never.example": { traceRate: 0 },
        "checked.example": { traceRate: 100, allow: ["127.0.0.0/8"] },
        "filtered.example": { traceRate: 100, requestHeaders: { set: [["X-A", "1"]] } },
        "forward.example": { auth: [authPolicy({ forward: forwardAuth(authService.port, "/") })] },
        "external.example": {
          auth: [
            authPolicy({
              external: externalAuth(authService.port, "/", {
                headers: ["traceparent", "tracestate"],
              }),
            }),
          ],
        },
      },
      options: {
        dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "off", trace: of },
      },
    }),
  );
}

type Headers = readonly (readonly [string, string])[];

/** Values of both headers in the request that the server got. */
function got(server: ScriptedServer): readonly (readonly string[])[] {
  const { head } = server.take();
  return ["traceparent", "tracestate"].map((name) =>
    [...head.matchAll(new RegExp(`^${name}: ?(.*?)\\r?$`, "gim"))].map(([, value = ""]) => value),
  );
}

async function ask(
  gateway: LuaGateway,
  headers: Headers,
  host = "open.example",
): Promise<readonly (readonly string[])[]> {
  backend.requests.length = authService.requests.length = 0;
  await gateway.send({ host, path: "/a?token=x", headers });
  return got(backend);
}

const NEW = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

describe("with headers", () => {
  let gateway: LuaGateway;

  beforeAll(async () => {
    gateway = await start({ mode: "headers", clients: "trust" });
  });

  test.each([
    ["sampled", `00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
    ["not sampled", `00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
    ["with other flags", `00-${TRACE}-${PARENT}-03`, `00-${TRACE}-${PARENT}-01`],
    ["of a later version", `cc-${TRACE}-${PARENT}-01-more`, `00-${TRACE}-${PARENT}-01`],
  ])("a context %s goes on with its tracestate", async (_, sent, expected) => {
    const headers: Headers = [
      ["traceparent", sent],
      ["tracestate", "a=1"],
      ["tracestate", "b=2"],
    ];
    expect(await ask(gateway, headers)).toEqual([[expected], ["a=1, b=2"]]);
  });

  test.each([
    ["no context", []],
    ["an empty one", ["", ""]],
    ["version ff", [`ff-${TRACE}-${PARENT}-01`]],
    ["version 00 with more", [`00-${TRACE}-${PARENT}-01-more`]],
    ["no trace", [`00-${"0".repeat(32)}-${PARENT}-01`]],
    ["no parent", [`00-${TRACE}-${"0".repeat(16)}-01`]],
    ["upper case", [`00-${TRACE.toUpperCase()}-${PARENT}-01`]],
    ["another length", [`00-${TRACE}1-${PARENT}-01`]],
    ["two", [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`]],
  ])("%s is replaced, and its tracestate is dropped", async (_, sent) => {
    const headers = sent.map((value) => ["traceparent", value] as const);
    const [parents, states] = await ask(gateway, [...headers, ["tracestate", "a=1"]]);
    expect(parents).toEqual([expect.stringMatching(NEW)]);
    expect(parents?.[0]).not.toContain(TRACE);
    expect(states).toEqual([]);
  });

  test("each new trace has other ids", async () => {
    const seen = new Set<string>();
    for (let n = 0; n < 20; n += 1) seen.add((await ask(gateway, []))[0]?.[0] ?? "");
    expect(seen.size).toBe(20);
  });

  test.each(["forward.example", "external.example"])(
    "the auth service of %s gets it",
    async (host) => {
      const headers: Headers = [
        ["traceparent", `00-${TRACE}-${PARENT}-01`],
        ["tracestate", "a=1"],
      ];
      await ask(gateway, headers, host);
      expect(got(authService)).toEqual([[`00-${TRACE}-${PARENT}-01`], ["a=1"]]);
      await ask(gateway, [["tracestate", "a=1"]], host);
      const [parents, states] = got(authService);
      expect(parents).toEqual([expect.stringMatching(NEW)]);
      expect(states?.join("")).toBe("");
    },
  );

  test("reports nothing", () => {
    expect(reports).toEqual([]);
  });
});

const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const UNSAMPLED = `00-${TRACE}-${PARENT}-00`;

describe.each([
  ["continue", 0, [SAMPLED, UNSAMPLED], UNSAMPLED],
  ["continue", 100, [SAMPLED, UNSAMPLED], SAMPLED],
  ["trust", 0, [SAMPLED], SAMPLED],
  ["trust", 100, [UNSAMPLED], UNSAMPLED],
] as const)("with traceClients %s at a rate of %s", (clients, rate, sent, expected) => {
  test.each(sent)("%s has the same ids, and is sampled as it should", async (traceparent) => {
    const gateway = await start({ mode: "headers", clients, rate });
    expect(await ask(gateway, [["traceparent", traceparent]])).toEqual([[expected], []]);
  });
});

test("with traceClients ignore, a client has no say", async () => {
  const gateway = await start({ mode: "headers", clients: "ignore", rate: 0 });
  const [parents, states] = await ask(gateway, [
    ["traceparent", SAMPLED],
    ["tracestate", "a=1"],
  ]);
  expect(parents).toEqual([expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)]);
  expect(parents?.[0]).not.toContain(TRACE);
  expect(states).toEqual([]);
});

test("a rate is a share of the requests", async () => {
  const gateway = await start({ mode: "headers", rate: 50 });
  let sampled = 0;
  for (let n = 0; n < 400; n += 1) {
    if ((await ask(gateway, [["traceparent", UNSAMPLED]]))[0]?.[0] === SAMPLED) sampled += 1;
  }
  // Ten standard deviations on each side.
  expect(sampled).toBeGreaterThan(100);
  expect(sampled).toBeLessThan(300);
});

describe("a route with a rate of its own", () => {
  test.each([
    ["always.example", 0, "01"],
    ["never.example", 100, "00"],
    ["checked.example", 0, "01"],
    ["filtered.example", 0, "01"],
  ])("%s samples by that, whatever the gateway's", async (host, rate, flags) => {
    const gateway = await start({ mode: "headers", rate });
    for (const headers of [[], [["traceparent", SAMPLED]], [["traceparent", UNSAMPLED]]] as const) {
      // Later requests take the path of known routes.
      for (let n = 0; n < 3; n += 1) {
        expect((await ask(gateway, headers, host))[0]?.[0]).toMatch(new RegExp(`-${flags}$`));
      }
    }
    expect((await ask(gateway, []))[0]?.[0]).toMatch(rate === 0 ? /-00$/ : /-01$/);
  });

  test("decides only about new traces if clients are trusted", async () => {
    const gateway = await start({ mode: "headers", clients: "trust", rate: 0 });
    const host = "always.example";
    expect(await ask(gateway, [["traceparent", UNSAMPLED]], host)).toEqual([[UNSAMPLED], []]);
    expect((await ask(gateway, [], host))[0]?.[0]).toMatch(/-01$/);
  });
});

describe("with spans", () => {
  test("a sampled request is reported, with a span of its own for backends and the auth service", async () => {
    const gateway = await start({ mode: "spans", clients: "trust", rate: 0 });
    const [[context = ""] = []] = await ask(gateway, [["traceparent", SAMPLED]], "forward.example");
    expect(got(authService)).toEqual([[context], []]);
    expect(context).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(context).not.toBe(SAMPLED);
    await until(async () => reports.length > 0);
    expect(reports).toMatchObject([
      {
        ...{ context, parent: PARENT, method: "GET", scheme: "http", host: "forward.example" },
        ...{ path: "/a", status: "200", route: "forward.example", upstream_status: "200" },
        addr: `127.0.0.1:${backend.port}`,
        auth: expect.stringMatching(/^\d+\.\d{3} \d\.\d{3} 200 127\.0\.0\.1:\d+$/) as unknown,
      },
    ]);
  });

  test.each([
    ["no request at rate 0", 0, "open.example", 0],
    ["each request at rate 100", 100, "open.example", 22],
    ["each request of a route at rate 100", 0, "always.example", 22],
    ["no request of a route at rate 0", 100, "never.example", 0],
  ])("%s is reported", async (_, rate, host, expected) => {
    const gateway = await start({ mode: "spans", rate });
    for (let n = 0; n < 20; n += 1) await ask(gateway, [], host);
    await ask(gateway, [["traceparent", UNSAMPLED]], host);
    await ask(gateway, [["traceparent", SAMPLED]], host);
    const last = rate === 0 ? "always.example" : "open.example";
    await gateway.send({ host: last, path: "/last" });
    await until(async () => reports.some(({ path }) => path === "/last"));
    expect(reports).toHaveLength(expected + 1);
  });

  test("a report is JSON in UTF-8 and short, whatever a client sends", async () => {
    const gateway = await start({ mode: "spans", rate: 100 });
    const odd = `"\\"},${"x".repeat(2000)}`;
    for (const text of [odd, "gr\xfcn", "\xff\xfe", "gr\xc3\xbcn"])
      await gateway.send({
        host: "open.example",
        path: `/${text}`,
        headers: [
          ["User-Agent", text],
          ["X-Request-ID", text],
          ["traceparent", text],
          ["tracestate", text],
        ],
      });
    await gateway.send({ host: "open.example", path: "/", method: "A".repeat(3000) });
    await until(async () => reports.length === 5);
    expect(reports.map(({ path }) => path?.length)).toEqual([1000, 3, 1, 3, 1]);
    expect(reports.map(({ agent }) => agent?.length)).toEqual([300, 2, 0, 2, 0]);
    expect(reports[4]?.["method"]).toHaveLength(32);
  });

  test("requests are served although nothing takes reports", async () => {
    const gateway = await start({ mode: "spans", rate: 100, address: "127.0.0.1:9" });
    for (let n = 0; n < 50; n += 1) {
      const { status } = await gateway.send({ host: "open.example", path: "/" });
      expect(status).toBe(200);
    }
  });
});

test("without tracing, headers of clients pass as they are", async () => {
  const gateway = await start({ mode: "off" });
  const headers: Headers = [
    ["traceparent", "anything"],
    ["tracestate", "a=1"],
  ];
  expect(await ask(gateway, headers)).toEqual([["anything"], ["a=1"]]);
  expect(await ask(gateway, [])).toEqual([[], []]);
});
