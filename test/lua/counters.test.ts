import { AuthService } from "../../e2e/harness/auth-service.js";
import { asking, EchoBackend } from "../../e2e/harness/echo-backend.js";
import { basic } from "../../e2e/harness/htpasswd.js";
import { useScene } from "../../e2e/harness/scene.js";
import type { ForwardAuth } from "../../src/model/auth.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { ControlClient, type DataPlaneCounters } from "../../src/output/control-client.js";
import { credentialSet } from "../support/credentials.js";
import { externalAuth, forwardAuth } from "../support/forward-auth.js";
import { authPolicy, LuaGateway } from "../support/lua-gateway.js";
import { until } from "../support/until.js";

const scene = useScene();
let gateway: LuaGateway;
let control: ControlClient;
let auth: AuthService;
let backend: EchoBackend;

const ANN = basic("ann", "secret");

function forward(path: string, parts: Partial<ForwardAuth> = {}): ForwardAuth {
  return forwardAuth(auth.port, path, parts);
}

beforeEach(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  // The same bytes each time: the date that Node.js adds itself changes with each second.
  auth.answer("/allow", { status: 200, headers: [["Date", new Date(0).toUTCString()]] });
  auth.answer("/deny", { status: 402 });
  auth.answer("/reset", "reset");
  auth.answer("/signin", { status: 401 });
  const signin = forward("/signin", { signin: ["https://login.example/"] });
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: [await credentialSet("users", { ann: "secret" })],
      routes: {
        "open.example": {},
        "basic.example": { auth: [authPolicy({ basic: { realm: "r", file: "users" } })] },
        "ranged.example": { deny: ["127.0.0.0/8"] },
        "broken.example": { auth: [authPolicy({ invalid: "auth-secret default/x" })] },
        "asked.example": { auth: [authPolicy({ forward: forward("/allow") })] },
        "denied.example": { auth: [authPolicy({ forward: forward("/deny") })] },
        "unanswered.example": { auth: [authPolicy({ forward: forward("/reset") })] },
        "external.example": {
          auth: [authPolicy({ external: externalAuth(auth.port, "/external") })],
        },
        "mirrored.example": {
          mirrors: [{ upstream: "backend", protocol: "http", numerator: 1, denominator: 1 }],
        },
        "signin.example": { auth: [authPolicy({ forward: signin })] },
      },
      options: { dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 2 } },
    }),
  );
  control = new ControlClient(gateway.nginx.dir);
  // nginx listens on one socket after the other; the first answers when this one may not yet.
  await until(() =>
    control.status().then(
      () => true,
      () => false,
    ),
  );
});
afterEach(() => gateway.close());

const get = (host: string, headers: readonly (readonly [string, string])[] = []) =>
  gateway.send({ host, headers });

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
const total = (counts: Readonly<Record<string, number>>) => sumOf(Object.values(counts));

/** Waits until all workers have told of so many responses; more would be as wrong as fewer. */
async function counted(responses: number): Promise<DataPlaneCounters> {
  let counters = await control.counters();
  await until(async () => {
    counters = await control.counters();
    return total(counters.responses) >= responses;
  });
  expect(total(counters.responses)).toBe(responses);
  return counters;
}

test("responses to clients are counted by status, what albc asks is not", async () => {
  for (let i = 0; i < 20; i++) await get("open.example");
  await get("unknown.example");
  await get("open.example", [asking({ status: 503 })]);
  await gateway.send({ host: "open.example", method: "TRACE" });
  await control.status();
  const { responses } = await counted(23);
  expect(responses).toEqual({ 200: 20, 404: 1, 405: 1, 503: 1 });
});

test("durations are counted in buckets of seconds", async () => {
  await get("open.example");
  await get("open.example", [asking({ delay: 120 })]);
  const { durations } = await counted(2);
  const { bounds, counts, sum } = durations;
  expect(bounds).toEqual([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
  expect(counts).toHaveLength(bounds.length + 1);
  expect(sumOf(counts)).toBe(2);
  // The slow one is no quicker than it was told to be.
  expect(sumOf(counts.slice(bounds.indexOf(0.25)))).toBeGreaterThanOrEqual(1);
  expect(sum).toBeGreaterThanOrEqual(0.12);
});

test("checks of access are counted by outcome", async () => {
  await get("basic.example", [["Authorization", ANN]]);
  await get("basic.example", [["Authorization", ANN]]);
  await get("basic.example");
  await get("basic.example", [["Authorization", basic("ann", "wrong")]]);
  const hosts = ["ranged", "broken", "asked", "denied", "signin", "open"];
  for (const host of hosts) await get(`${host}.example`);
  const counters = await counted(10);
  expect(counters.auth).toEqual({
    passed: 3,
    basic_missing: 1,
    basic_wrong: 1,
    source_refused: 1,
    auth_invalid: 1,
    forward_status: 1,
    signin: 1,
  });
});

test("answers of auth services are counted as known or parsed, answers to mirrors are not", async () => {
  await get("mirrored.example");
  await until(() => Promise.resolve(backend.requests.length === 2));
  for (const host of ["denied", "external", "unanswered"]) await get(`${host}.example`);
  for (let i = 0; i < 10; i++) await get("asked.example");
  const { answers } = await counted(14);
  // Each of the two workers parses the first answer that it gets from /allow.
  expect(total(answers)).toBe(12);
  expect([3, 4]).toContain(answers["parsed"]);
});

test("connections are nginx's own numbers", async () => {
  // Of this question itself at least.
  expect((await control.counters()).connections["active"]).toBeGreaterThan(0);
});

test("a reload loses no count, nor does a request that outlives its worker", async () => {
  for (let i = 0; i < 10; i++) await get("asked.example");
  const slow = get("open.example", [asking({ delay: 1500 })]);
  const before = await control.status();
  process.kill(gateway.nginx.pid, "SIGHUP");
  const old = new Set(before.workers.map(({ pid }) => pid));
  await until(async () => {
    const { workers, expected } = await control.status();
    return workers.length === expected && workers.every(({ pid }) => !old.has(pid));
  });
  for (let i = 0; i < 10; i++) await get("asked.example");
  expect((await slow).status).toBe(200);
  const { responses, answers } = await counted(21);
  expect(responses).toEqual({ 200: 21 });
  expect(total(answers)).toBe(20);
});

test("a worker that is killed takes along nothing that it has told", async () => {
  for (let i = 0; i < 10; i++) await get("open.example");
  await counted(10);
  const { workers } = await control.status();
  for (const { pid } of workers) process.kill(pid, "SIGKILL");
  const old = new Set(workers.map(({ pid }) => pid));
  await until(async () => {
    const now = await control.status().catch(() => undefined);
    return now?.workers.every(({ pid }) => !old.has(pid)) ?? false;
  });
  await get("open.example");
  await counted(11);
});
