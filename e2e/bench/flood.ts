/** What a flood of wrong passwords does to others, and what one wrong password costs. */
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../harness/free-port.js";
import { send } from "../harness/http-client.js";
import { basic } from "../harness/htpasswd.js";
import { yaml, ingress, nginx, secret, service } from "../harness/manifests.js";
import { cpuTime } from "./cpu-time.js";
import type { Login } from "./credentials.js";
import { type GatewaySubject, startGatewayOn } from "./gateway-subject.js";
import { type Estimate, mean } from "./statistics.js";
import type { Upstreams } from "./upstreams.js";
import { wrk } from "./wrk.js";

export interface FloodResult {
  /** Wrong logins a second. */
  readonly rate: Estimate;
  /** Microseconds, of a route without auth: means of the rounds' p99. */
  readonly p99Before: Estimate;
  readonly p99During: Estimate;
  /** Share of one processor that the worker had during the flood. */
  readonly load: Estimate;
  /** Microseconds of CPU for one wrong password that is computed. */
  readonly wrongPassword: Estimate;
}

const OPEN = "open.bench.example";
const PRIVATE = "private.bench.example";
/** 20 connections that pause 20 ms: not quite 1,000 a second, so a few more. */
const FLOOD = { connections: 22, pause: 20 };
const PROBE = { connections: 8, pause: 10 };

export async function measureFlood(
  upstreams: Upstreams,
  login: Login,
  plan: { readonly rounds: number; readonly seconds: number },
): Promise<FloodResult> {
  const port = await freePort();
  const manifests = [
    yaml(
      service("web", [{ port: upstreams.backend }]),
      secret("users", { auth: login.htpasswd }),
      ingress("open", { hosts: { [OPEN]: [{ service: "web" }] } }),
      ingress("private", {
        annotations: nginx({ "auth-type": "basic", "auth-secret": "users" }),
        hosts: { [PRIVATE]: [{ service: "web" }] },
      }),
    ),
  ];
  const gateway = await startGatewayOn(manifests, { ports: { http: port } });
  try {
    const wrongPassword = await costOfWrongPassword(gateway, login);
    return { ...(await flood(gateway, login, plan)), wrongPassword };
  } finally {
    await gateway.close();
  }
}

async function flood(
  gateway: GatewaySubject,
  login: Login,
  plan: { readonly rounds: number; readonly seconds: number },
): Promise<Omit<FloodResult, "wrongPassword">> {
  const { port, pids } = gateway;
  const probe = async (): Promise<number> => {
    const words = [OPEN, String(PROBE.pause)];
    const { connections } = PROBE;
    const result = await wrk({ port, connections, seconds: plan.seconds, script: "paced", words });
    if (result.failures > 0) throw new Error(`${result.failures} requests failed in the flood`);
    return result.p99;
  };
  const attack = async (): Promise<number> => {
    const words = [PRIVATE, String(FLOOD.pause), login.user];
    const { connections } = FLOOD;
    const result = await wrk({ port, connections, seconds: plan.seconds, script: "paced", words });
    return result.requests / result.seconds;
  };
  const [before, during, rates, loads]: [number[], number[], number[], number[]] = [[], [], [], []];
  await probe();
  for (let round = 0; round < plan.rounds; round += 1) {
    before.push(await probe());
    const [started, used] = [performance.now(), await cpuTime(pids)];
    const [p99, rate] = await Promise.all([probe(), attack()]);
    loads.push(((await cpuTime(pids)) - used) / 1e6 / (performance.now() - started));
    during.push(p99);
    rates.push(rate);
  }
  return {
    rate: mean(rates),
    p99Before: mean(before),
    p99During: mean(during),
    load: mean(loads),
  };
}

/** Few enough at once that each one is computed: the gateway refuses a client that fails too often. */
async function costOfWrongPassword(gateway: GatewaySubject, login: Login): Promise<Estimate> {
  const { port, pids } = gateway;
  const attempt = async (guess: string): Promise<number> => {
    const headers = [["Authorization", basic(login.user, guess)]] as const;
    return (await send({ port }, { host: PRIVATE, headers })).status;
  };
  const series = async (name: string, count: number): Promise<number> => {
    // Long enough for the budget of failed logins to be full again, and for LuaJIT's work to be done.
    await delay(1200);
    const before = await cpuTime(pids);
    for (let i = 0; i < count; i += 1) {
      const status = await attempt(`${name}-${i}`);
      if (status !== 401) throw new Error(`a wrong password got ${status}`);
    }
    return (await cpuTime(pids)) - before;
  };
  const missing = async (count: number): Promise<number> => {
    const before = await cpuTime(pids);
    for (let i = 0; i < count; i += 1) await send({ port }, { host: PRIVATE });
    return (await cpuTime(pids)) - before;
  };
  await series("warm", 40);
  const costs: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const wrong = await series(`round-${round}`, 40);
    // The same answer without a password: what remains is the hash and its comparison.
    costs.push((wrong - (await missing(40))) / 40 / 1000);
  }
  return mean(costs);
}
