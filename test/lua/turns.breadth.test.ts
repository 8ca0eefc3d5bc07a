/** How many requests one request becomes when everything leads back to the gateway: tries, copies, questions, error pages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { fc } from "../support/fast-check.js";
import { forwardAuth, text } from "../support/forward-auth.js";
import {
  authPolicy,
  LuaGateway,
  OWN_PORT,
  type TestRoute,
  withOwnPort,
} from "../support/lua-gateway.js";
import { say, ScriptedServer } from "../support/scripted-server.js";
import { until } from "../support/until.js";

/** What one request of a client may become, itself included. */
const MOST_REQUESTS = 100;
const MOST_TRIES = 10;
const MOST_COPIES = 10;

const scene = useScene();
/** nginx writes its log each second. */
const QUIET_MS = 1500;
const SELF = { upstream: "self", weight: 1, protocol: "http" } as const;
const copyTo = (upstream: string) =>
  ({ upstream, protocol: "http", numerator: 1, denominator: 1 }) as const;
const times = <T>(count: number, value: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => value(index));

/** What a host asks for. Where requests and questions go on to: a host, `end` (a backend that answers 503) or `mirror` (one that answers 200). */
interface Level {
  readonly next: string;
  readonly attempts?: number;
  readonly copies?: number;
  readonly copiesTo?: "self" | "mirror";
  readonly questions?: readonly string[];
  readonly page?: boolean;
}

function routeOf({ next, attempts, copies, copiesTo = "self", questions, page }: Level): TestRoute {
  return {
    backends: [next === "end" || next === "mirror" ? { ...SELF, upstream: next } : SELF],
    host: next,
    ...(attempts !== undefined && { retry: { attempts, codes: [500, 502, 503, 504] } }),
    ...(copies !== undefined && { mirrors: times(copies, () => copyTo(copiesTo)) }),
    ...(questions && {
      auth: questions.map((host) =>
        authPolicy({
          forward: forwardAuth(OWN_PORT, "/", {
            host: text(host),
            upstream: host === "mirror" ? host : "self",
          }),
        }),
      ),
    }),
    ...(page === true && { errorPages: { statuses: [503, 508], upstream: "self" } }),
  };
}

class Network {
  readonly #gateway: LuaGateway;
  readonly end: ScriptedServer;
  readonly mirror: ScriptedServer;

  private constructor(gateway: LuaGateway, end: ScriptedServer, mirror: ScriptedServer) {
    this.#gateway = gateway;
    this.end = end;
    this.mirror = mirror;
  }

  static async start(levels: Readonly<Record<string, Level>>): Promise<Network> {
    const end = await scene.use(ScriptedServer.start());
    end.answer = say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    const mirror = await scene.use(ScriptedServer.start());
    mirror.answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const ok = await scene.use(ScriptedServer.start());
    ok.answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const gateway = await scene.use(
      LuaGateway.start({
        backend: ok.port,
        routes: {
          "ok.example": {},
          ...Object.fromEntries(
            Object.entries(levels).map(([host, level]) => [host, routeOf(level)]),
          ),
        },
        upstreams: [
          { id: "end", endpoints: [["127.0.0.1", end.port]] },
          { id: "mirror", endpoints: [["127.0.0.1", mirror.port]] },
        ],
        options: {
          dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "logs/access.log" },
        },
        model: withOwnPort,
      }),
    );
    return new Network(gateway, end, mirror);
  }

  /** Requests that the gateway has answered. */
  get arrived(): number {
    const log = readFileSync(join(this.#gateway.nginx.dir, "logs/access.log"), "utf8");
    return log.split("\n").length - 1;
  }

  /** Sends one request, and returns what it became once nothing more comes. */
  async send(host: string): Promise<{ status: number; arrived: number }> {
    const before = this.arrived;
    const { status } = await this.#gateway.send({ host });
    await pause(QUIET_MS);
    return { status, arrived: this.arrived - before };
  }
}

/** Hosts that follow each other; the last one leads to `end`. */
function chain(length: number, level: Omit<Level, "next">): Readonly<Record<string, Level>> {
  return Object.fromEntries(
    times(length, (index) => [
      `l${String(index)}.example`,
      { ...level, next: index === length - 1 ? "end" : `l${String(index + 1)}.example` },
    ]),
  );
}

it.each([1, 2, 3])("tries of %s gateways in a row are ten at the backend", async (length) => {
  const network = await Network.start(chain(length, { attempts: 9 }));
  const { arrived } = await network.send("l0.example");
  expect(network.end.requests.length).toBe(MOST_TRIES);
  expect(arrived).toBeLessThanOrEqual(MOST_REQUESTS);
});

it("ten tries can't pass a fourth gateway", async () => {
  const network = await Network.start(chain(4, { attempts: 100 }));
  const { status, arrived } = await network.send("l0.example");
  expect([status, network.end.requests.length]).toEqual([508, 0]);
  expect(arrived).toBeLessThanOrEqual(MOST_REQUESTS);
});

it("two tries can pass five gateways", async () => {
  const network = await Network.start(chain(5, { attempts: 1 }));
  expect((await network.send("l0.example")).status).toBe(503);
  expect(network.end.requests.length).toBeLessThanOrEqual(MOST_TRIES);
});

it.each([1, 4])("copies of %s gateways in a row are ten", async (length) => {
  const network = await Network.start(chain(length, { copies: 10, copiesTo: "mirror" }));
  await network.send("l0.example");
  await until(async () => network.mirror.requests.length >= MOST_COPIES);
  expect(network.mirror.requests.length).toBe(MOST_COPIES);
});

it("some tries and copies leave some for the next gateway", async () => {
  const network = await Network.start(chain(2, { attempts: 1, copies: 2, copiesTo: "mirror" }));
  await network.send("l0.example");
  // Two tries with two each; two copies, and two of each of the two tries.
  expect(network.end.requests.length).toBe(4);
  await until(async () => network.mirror.requests.length >= 6);
  expect(network.mirror.requests.length).toBe(6);
});

it("an auth service behind the gateway may have auth there itself", async () => {
  const network = await Network.start({
    "app.example": { next: "ok.example", questions: ["service.example"] },
    "service.example": { next: "ok.example" },
    "guarded.example": { next: "ok.example", questions: ["asking.example"] },
    "asking.example": { next: "mirror", questions: ["mirror"] },
  });
  expect((await network.send("app.example")).status).toBe(200);
  expect((await network.send("guarded.example")).status).toBe(200);
});

it("whatever leads where, one request becomes at most a hundred (property)", async () => {
  const hosts = times(4, (index) => `l${String(index)}.example`);
  const anywhere = fc.constantFrom(...hosts, ...hosts, "end");
  const level: fc.Arbitrary<Level> = fc.record({
    next: anywhere,
    attempts: fc.constantFrom(1, 2, 4, 9, 100),
    copies: fc.constantFrom(1, 3, 10, 16),
    questions: fc.array(fc.constantFrom(...hosts, "ok.example"), { maxLength: 3 }),
    page: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.tuple(level, level, level, level), async (levels) => {
      const network = await Network.start(
        Object.fromEntries(levels.map((each, index) => [hosts[index] ?? "", each])),
      );
      const { arrived } = await network.send("l0.example");
      expect(arrived).toBeLessThanOrEqual(MOST_REQUESTS);
    }),
    { numRuns: 8 },
  );
}, 180_000);

it("everything at once, at every level, is at most a hundred requests", async () => {
  const wide = { attempts: 9, copies: 10, page: true };
  const network = await Network.start({
    ...chain(4, wide),
    "first.example": { ...wide, next: "l0.example", questions: ["ok.example", "ok.example"] },
  });
  const { arrived } = await network.send("first.example");
  expect(arrived).toBeLessThanOrEqual(MOST_REQUESTS);
  expect(arrived).toBeGreaterThan(30);
});
