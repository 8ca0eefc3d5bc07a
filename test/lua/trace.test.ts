/** W3C Trace Context: what backends, mirrors and auth services get. */
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS, type TraceOptions } from "../../src/model/options.js";
import { externalAuth, forwardAuth } from "../support/forward-auth.js";
import { authPolicy, LuaGateway } from "../support/lua-gateway.js";
import { ScriptedServer } from "../support/scripted-server.js";

const scene = useScene();
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
let backend: ScriptedServer;
let authService: ScriptedServer;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  authService = await scene.use(ScriptedServer.start());
});

async function start(trace: Partial<TraceOptions>): Promise<LuaGateway> {
  const of = { ...DEFAULT_OPTIONS.dataPlane.trace, ...trace };
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

test("without tracing, headers of clients pass as they are", async () => {
  const gateway = await start({ mode: "off" });
  const headers: Headers = [
    ["traceparent", "anything"],
    ["tracestate", "a=1"],
  ];
  expect(await ask(gateway, headers)).toEqual([["anything"], ["a=1"]]);
  expect(await ask(gateway, [])).toEqual([[], []]);
});
