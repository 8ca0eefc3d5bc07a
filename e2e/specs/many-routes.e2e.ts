/** What a change costs a worker beside thousands of routes that it has served: it has other clients to answer. */
import { setTimeout as pause } from "node:timers/promises";
import { cpuTime } from "../bench/cpu-time.js";
import { median } from "../bench/statistics.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { endpointSlices, ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const ROUTES = 4000;
const CHANGES = 9;
/** Milliseconds. */
const MOST = 5;

const ANN = [["Authorization", basic("ann", "secret")]] as const;
let gateway: Gateway;
let backend: EchoBackend;

const hostOf = (index: number): string => `host-${index}.example`;
const asked = (index: number) => ({ host: hostOf(index), headers: index % 10 === 0 ? ANN : [] });

/** One of ten has basic auth, all with one Secret; all have one Service but the one that changes. */
const routes = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    ingress(`route-${index}`, {
      annotations: index % 10 === 0 ? nginx({ "auth-type": "basic", "auth-secret": "users" }) : {},
      hosts: { [hostOf(index)]: [{ service: index === 1 ? "moving" : "web" }] },
    }),
  );

const CHANGE: Readonly<Record<string, (version: number) => Promise<readonly [string, string]>>> = {
  "an endpoint": async (version) => {
    const endpoints = [{ port: backend.port }, { address: `127.0.0.${2 + version}`, port: 9 }];
    return ["moving.yaml", yaml(...endpointSlices("moving", endpoints))];
  },
  "a route": async (version) => {
    const hosts = { "own.example": [{ path: `/v${version}`, service: "web" }] };
    return ["own.yaml", yaml(ingress("own", { hosts }))];
  },
  "the Secret of 400 routes": async (version) => {
    const lines = ["ann", `user-${version}`].map((name) => htpasswdLine(name, "secret"));
    return ["users.yaml", yaml(secret("users", { auth: (await Promise.all(lines)).join("\n") }))];
  },
};

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    Gateway.start({
      flags: ["--workers", "1"],
      files: {
        "users.yaml": yaml(secret("users", { auth: await htpasswdLine("ann", "secret") })),
        "moving.yaml": yaml(...endpointSlices("moving", [{ port: backend.port }])),
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          service("moving"),
          ...routes(ROUTES),
        ),
      },
    }),
  );
  const connection = await gateway.connect();
  for (let index = 0; index < ROUTES; index += 1) {
    expect((await connection.send(asked(index))).status).toBe(200);
  }
  connection.close();
}, 60_000);

/** Milliseconds that the worker was on a processor between two answers, at most, while `work` goes on and a little longer. */
async function longestBusy(pid: number, work: () => Promise<void>): Promise<number> {
  const connection = await gateway.connect();
  let [longest, isOver] = [0, false];
  const over = work().then(async () => {
    await pause(100);
    isOver = true;
  });
  let last = await cpuTime([pid]);
  for (let index = 0; !isOver; index += 10) {
    expect((await connection.send(asked(index % ROUTES))).status).toBe(200);
    const now = await cpuTime([pid]);
    [longest, last] = [Math.max(longest, (now - last) / 1e6), now];
    await pause(1);
  }
  await over;
  connection.close();
  return longest;
}

test.each(Object.keys(CHANGE))(
  "%s changes: the worker is not busy with it for 5 ms",
  async (what) => {
    const [pid = NaN] = await gateway.workerPids();
    const longest: number[] = [];
    for (let version = 0; version < CHANGES; version += 1) {
      const [file, text] = (await CHANGE[what]?.(version)) ?? ["", ""];
      await pause(300);
      longest.push(await longestBusy(pid, () => gateway.change(file, text)));
    }
    expect(await gateway.workerPids()).toEqual([pid]);
    expect(median(longest)).toBeLessThan(MOST);
  },
);
