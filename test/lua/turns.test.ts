import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import type { HeaderLines } from "../../e2e/harness/http-message.js";
import { useScene } from "../../e2e/harness/scene.js";
import type { Header } from "../../src/model/filters.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { externalAuth, forwardAuth, text } from "../support/forward-auth.js";
import {
  authPolicy,
  LuaGateway,
  OWN_PORT,
  type TestRoute,
  withOwnPort,
} from "../support/lua-gateway.js";
import { say, ScriptedServer } from "../support/scripted-server.js";
import { until } from "../support/until.js";

const scene = useScene();
const REASON = "InvalidBackend : the request came back too often";
const SELF = [{ upstream: "self", weight: 1, protocol: "http" }] as const;
const MIRROR = { upstream: "self", protocol: "http", numerator: 1, denominator: 1 } as const;
const HEADER = "X-Albc-Turns";
let gateway: LuaGateway;

const ask = (port: number, parts: Parameters<typeof forwardAuth>[2]): TestRoute => ({
  auth: [authPolicy({ forward: forwardAuth(port, "/", parts) })],
});
const askExternal = (port: number): TestRoute => ({
  auth: [authPolicy({ external: externalAuth(port, "/", { headers: ["x-albc-turns"] }) })],
});

/** Each leads back to itself. */
function loops(resetter: number): Readonly<Record<string, TestRoute>> {
  const at = (name: string) => ({ host: text(name), upstream: "self" });
  const set: Header = [HEADER, "1"];
  return {
    "backend.example": { backends: SELF },
    "deadline.example": { backends: SELF, deadlines: { request: 10_000 } },
    "forward.example": ask(OWN_PORT, at("forward.example")),
    "config.example": ask(OWN_PORT, {
      ...at("config.example"),
      headers: [[HEADER, text("1")]],
    }),
    "external.example": askExternal(OWN_PORT),
    "set.example": { backends: SELF, requestHeaders: { set: [set] } },
    "add.example": { backends: SELF, requestHeaders: { add: [set] } },
    "remove.example": {
      backends: SELF,
      requestHeaders: { remove: [HEADER, "x_albc_turns"] },
    },
    "filtered.example": {
      backends: [
        {
          ...SELF[0],
          filters: { requestHeaders: { set: [set], remove: ["x_albc-turns"] } },
        },
      ],
    },
    "answer.example": { ...ask(resetter, { responseHeaders: [HEADER] }), backends: SELF },
    "any-answer.example": { ...askExternal(resetter), backends: SELF },
  };
}

let names: readonly string[];

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const resetter = await scene.use(ScriptedServer.start());
  resetter.answer = say(`HTTP/1.1 200 OK\r\n${HEADER}: 1\r\nContent-Length: 0\r\n\r\n`);
  names = Object.keys(loops(resetter.port));
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        ...loops(resetter.port),
        "open.example": {},
        "mirror.example": { mirrors: [MIRROR, MIRROR, MIRROR, MIRROR] },
      },
      options: {
        dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "logs/access.log" },
      },
      model: withOwnPort,
    }),
  );
});

/** How many requests for the host have been answered. */
function served(host: string): number {
  const log = readFileSync(join(gateway.nginx.dir, "logs/access.log"), "utf8");
  return log.split("\n").filter((line) => line.includes(`"host":"${host}"`)).length;
}

it.each([
  ...["backend", "deadline", "forward", "config", "external", "set", "add", "remove", "filtered"],
  ...["answer", "any-answer"],
])("a request of %s.example ends when it comes back too often", async (name) => {
  const host = `${name}.example`;
  expect(names).toContain(host);
  const response = await gateway.send({ host });

  expect([response.status, response.reason]).toEqual([
    508,
    name === "forward" || name === "config" || name === "external"
      ? "AuthFail : auth-service-status: 508"
      : REASON,
  ]);
  // The request, its question, and the question of that, which is refused; or seven turns and the eighth.
  const times = ["forward", "config", "external"].includes(name) ? 3 : 9;
  await until(async () => served(host) >= times);
  expect(served(host)).toBe(times);
});

it("copies for mirrors are served, and not copied again", async () => {
  expect((await gateway.send({ host: "mirror.example" })).status).toBe(200);
  await until(async () => served("mirror.example") >= 1 + 4);
  // Copies of copies would have come by then.
  expect((await gateway.send({ host: "open.example" })).status).toBe(200);
  expect(served("mirror.example")).toBe(1 + 4);
});

describe("a client that sends the header", () => {
  const send = async (...values: readonly string[]) => {
    const headers: HeaderLines = values.map((value) => [HEADER, value]);
    const { status } = await gateway.send({ host: "open.example", headers });
    return status;
  };

  it("only comes to the end sooner", async () => {
    expect(await send()).toBe(200);
    expect(await send("62/10")).toBe(200);
    expect(await send("2/0")).toBe(200);
    for (const spent of [
      "1/10",
      "63/10",
      "99/10",
      "62/11",
      "a loop of words",
      "",
      "62/10/1",
      "+9/1",
    ]) {
      expect([spent, await send(spent)]).toEqual([spent, 508]);
    }
    expect(await send("62/10", "62/10")).toBe(508);
    const again = await gateway.send({
      host: "backend.example",
      headers: [
        ["Connection", HEADER],
        [HEADER, "8/10"],
      ],
    });
    expect([again.status, again.reason]).toEqual([508, REASON]);
  });
});
