/** TCPRoutes and UDPRoutes: connections and datagrams reach backends, by weight, and a change of them loses none that is open. */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { type Manifest, endpointSlices, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import {
  answerTo,
  ask,
  DatagramBackend,
  firstWords,
  StreamBackend,
  talk,
} from "../harness/stream-backend.js";
import {
  datagramService,
  gatewayWith,
  streamRoute,
  webRoute,
} from "../harness/stream-manifests.js";
import { waitFor } from "../harness/wait.js";
import { ControlClient } from "../../src/output/control-client.js";

const scene = useScene();
let gateway: Gateway;
let blue: StreamBackend;
let green: StreamBackend;
let ports: Record<"tcp" | "half" | "nothing" | "idle" | "changing" | "shared" | "web", number>;
/** Of two Frontends: TCP and UDP. */
let entryPort: number;

const counts = (words: readonly (string | undefined)[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const word of words) found[String(word)] = (found[String(word)] ?? 0) + 1;
  return found;
};

async function wordsOf(port: number, times: number): Promise<string[]> {
  const words: string[] = [];
  for (let i = 0; i < times; i++) words.push(await firstWords(port));
  return words;
}

const changing = (backend: StreamBackend) =>
  yaml(endpointSlices("changing", [{ port: backend.port }]));

const younger = streamRoute("TCPRoute", "a-younger", [{ name: "green" }], {
  listener: "shared",
  created: "2026-02-01T00:00:00Z",
});
const older = streamRoute("TCPRoute", "b-older", [{ name: "blue" }], {
  listener: "shared",
  created: "2026-01-01T00:00:00Z",
});

function frontends(): readonly Manifest[] {
  const frontend = (protocol: string, ...services: readonly string[]): Manifest => ({
    apiVersion: "crd.alauda.io/v1",
    kind: "Frontend",
    metadata: {
      ...{ name: protocol, namespace: "default" },
      labels: { "alb2.cpaas.io/name": "ports" },
    },
    spec: {
      port: entryPort,
      protocol,
      serviceGroup: { services: services.map((name) => ({ name, port: 80 })) },
    },
  });
  const config = { projects: ["ALL_ALL"], ingressHTTPPort: 0, ingressHTTPSPort: 0 };
  return [
    {
      apiVersion: "crd.alauda.io/v2",
      kind: "ALB2",
      metadata: { name: "ports", namespace: "default" },
      spec: { type: "nginx", config },
    },
    frontend("tcp", "blue", "gone"),
    frontend("udp", "dns"),
  ];
}

async function manifests(): Promise<readonly Manifest[]> {
  const [dns, dns2, web] = await Promise.all([
    scene.use(DatagramBackend.start("one")),
    scene.use(DatagramBackend.start("two")),
    scene.use(EchoBackend.start("web")),
  ]);
  return [
    ...gatewayWith([
      ...Object.entries(ports).map(([name, port]) => ({
        name,
        port,
        protocol: name === "web" ? "HTTP" : "TCP",
      })),
      { name: "udp", port: ports.tcp, protocol: "UDP" },
      { name: "udp-half", port: ports.half, protocol: "UDP" },
      { name: "udp-changing", port: ports.changing, protocol: "UDP" },
    ]),
    streamRoute(
      "TCPRoute",
      "tcp",
      [
        { name: "blue", weight: 7 },
        { name: "green", weight: 3 },
      ],
      {
        listener: "tcp",
      },
    ),
    streamRoute("TCPRoute", "half", [{ name: "blue" }, { name: "gone" }], { listener: "half" }),
    streamRoute("TCPRoute", "nothing", [{ name: "empty" }], { listener: "nothing" }),
    streamRoute("TCPRoute", "changing", [{ name: "changing" }], { listener: "changing" }),
    streamRoute("UDPRoute", "udp", [{ name: "dns", weight: 3 }, { name: "dns2" }], {
      listener: "udp",
    }),
    streamRoute("UDPRoute", "udp-changing", [{ name: "changing-udp" }], {
      listener: "udp-changing",
    }),
    streamRoute("UDPRoute", "udp-half", [{ name: "dns" }, { name: "gone" }], {
      listener: "udp-half",
    }),
    ...service("blue", [{ port: blue.port }]),
    ...frontends(),
    // One that refuses connections: the next one is asked.
    ...service("green", [{ port: green.port }, { port: await freePort() }]),
    ...service("empty"),
    ...service("changing").slice(0, 1),
    ...service("web", [{ port: web.port }]),
    ...datagramService("changing-udp", 1).slice(0, 1),
    ...datagramService("dns", dns.port),
    ...datagramService("dns2", dns2.port),
  ];
}

beforeAll(async () => {
  blue = await scene.use(StreamBackend.start("blue"));
  green = await scene.use(StreamBackend.start("green"));
  const names = ["tcp", "half", "nothing", "idle", "changing", "shared", "web"] as const;
  const free = await Promise.all(names.map(() => freePort()));
  entryPort = await freePort();
  ports = Object.fromEntries(names.map((name, i) => [name, free[i]])) as typeof ports;
  gateway = await scene.use(
    Gateway.start({
      files: {
        "all.yaml": yaml(await manifests()),
        "changing.yaml": changing(blue),
        "shared.yaml": yaml(younger, older),
        "web.yaml": yaml(webRoute("a.example")),
      },
      errors: [/there is no Service default\/gone/],
    }),
  );
});

test("connections are shared out by weight, over all workers", async () => {
  const words = await wordsOf(ports.tcp, 100);
  // One endpoint of green is out of order, and is tried now and then.
  expect(words).not.toContain("closed");
  const { blue: ofBlue = 0, green: ofGreen = 0 } = counts(words);
  expect(ofBlue + ofGreen).toBe(100);
  expect(ofBlue).toBeGreaterThanOrEqual(68);
  expect(ofGreen).toBeGreaterThanOrEqual(13);
});

test("the share of a backend that is not there is closed, exactly", async () => {
  expect(counts(await wordsOf(ports.half, 20))).toEqual({ blue: 10, closed: 10 });
});

test("Frontends pass on connections and datagrams as routes do", async () => {
  expect(counts(await wordsOf(entryPort, 10))).toEqual({ blue: 5, closed: 5 });
  expect(await ask(entryPort, "q")).toBe("one q");
});

test("without endpoints, and without a route, connections are closed", async () => {
  expect(await wordsOf(ports.nothing, 2)).toEqual(["closed", "closed"]);
  expect(await wordsOf(ports.idle, 2)).toEqual(["closed", "closed"]);
});

test("datagrams reach backends on the port number that TCP has, too, by weight", async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => ask(ports.tcp, `q${String(i)}`)),
  );
  const names = answers.map((answer) => answer?.split(" ")[0]);
  expect(counts(names)).toEqual({ one: 30, two: 10 });
  expect(answers.map((answer) => answer?.split(" ")[1]).sort()).toEqual(
    Array.from({ length: 40 }, (_, i) => `q${String(i)}`).sort(),
  );
});

test("the share of datagrams of a backend that is not there is dropped", async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(ports.half, "q", 1000)));
  expect(counts(answers)).toEqual({ "one q": 5, undefined: 5 });
});

test("endpoints change, and connections that are open stay", async () => {
  const open = await talk(ports.changing);
  expect(await firstWords(ports.changing)).toBe("blue");
  await gateway.write("changing.yaml", changing(green));
  await waitFor("connections reach the new endpoint", async () =>
    (await wordsOf(ports.changing, 4)).every((word) => word === "green"),
  );
  expect(await answerTo(open, "still there?")).toBe("still there?");
  open.destroy();
});

/** Milliseconds: changes gather for that long, and wait for that long for the next reload. */
const GATHERING = 400;
const INTERVAL = 1000;
/** Milliseconds for which endpoints change all the time. */
const CHURN = 6000;

interface Reload {
  readonly at: number;
  /** Milliseconds that it took, with compiling. */
  readonly took: number;
}

/** Those since then. */
function reloadsSince(begin: number): readonly Reload[] {
  return gateway.albc.lines
    .filter(({ text }) => text.includes('"kind":"reloaded"'))
    .map(({ text }) => JSON.parse(text) as { time: string; duration: number })
    .map(({ time, duration }) => ({ at: Date.parse(time), took: duration }))
    .filter(({ at }) => at >= begin);
}

test("endpoints that change all the time reload once a second, the first time at once", async () => {
  const names = Array.from({ length: 40 }, (_, i) => `e${String(i)}`);
  const backends = await Promise.all(names.map((name) => scene.use(StreamBackend.start(name))));
  const datagrams = await Promise.all(names.map((name) => scene.use(DatagramBackend.start(name))));
  const change = (index: number) =>
    gateway.write(
      "changing.yaml",
      yaml(
        endpointSlices("changing", [{ port: backends[index % names.length]?.port ?? 0 }]),
        datagramService("changing-udp", datagrams[index % names.length]?.port ?? 0).slice(1),
      ),
    );
  const reaches = async (name: string) =>
    (await firstWords(ports.changing)) === name && (await ask(ports.changing, ""))?.trim() === name;
  await change(names.length - 1);
  await waitFor("the first endpoints are reached", () => reaches("e39"));

  // Quiet: nothing has been reloaded for an interval, and no old worker has a client. Those of UDP stay for 30 seconds.
  const control = new ControlClient(gateway.runFolder);
  await waitFor("no old worker", async () => (await control.draining()).generations.length === 0, {
    deadline: 45_000,
  });
  await pause(INTERVAL + GATHERING);
  const begin = Date.now();
  await change(0);
  const [first] = await waitFor("nginx reloads", () => {
    const found = reloadsSince(begin);
    return found.length > 0 && found;
  });
  if (first === undefined) throw new Error("no reload");
  expect(first.at - first.took - begin).toBeLessThan(INTERVAL);

  /** When each endpoint was replaced. */
  const replaced = new Map<string, number>();
  const late: number[] = [];
  const churn = { isOver: false };
  const probing = (async () => {
    while (!churn.isOver) {
      const name = await firstWords(ports.changing);
      late.push(Date.now() - (replaced.get(name) ?? Date.now()));
      await pause(20);
    }
  })();
  let index = 1;
  for (; Date.now() < begin + CHURN; index += 1) {
    replaced.delete(`e${String(index % names.length)}`);
    await change(index);
    replaced.set(`e${String((index - 1) % names.length)}`, Date.now());
    await pause(100);
  }
  churn.isOver = true;
  await probing;
  const reloads = reloadsSince(begin);
  const slowest = Math.max(...reloads.map(({ took }) => took));
  expect(reloads.length).toBeLessThanOrEqual(CHURN / INTERVAL + 1);
  expect(Math.max(...late)).toBeLessThan(INTERVAL + GATHERING + 2 * slowest);
  await waitFor("datagrams reach the last endpoint, too", () =>
    reaches(`e${String((index - 1) % names.length)}`),
  );
}, 120_000);

test("the older route has the port, and when it is gone the younger one", async () => {
  expect(await firstWords(ports.shared)).toBe("blue");
  await gateway.write("shared.yaml", yaml(younger));
  await waitFor("the younger one serves", async () => (await firstWords(ports.shared)) === "green");
});

test("routes of requests change without a reload, beside streams as without", async () => {
  // What was changed before is reloaded within an interval.
  const before = await waitFor("the same workers for an interval", async () => {
    const pids = await gateway.workerPids();
    await pause(INTERVAL + GATHERING);
    return isDeepStrictEqual(await gateway.workerPids(), pids) && pids;
  });
  await gateway.change("web.yaml", yaml(webRoute("b.example")));
  const answer = await gateway.send({ port: ports.web, host: "b.example" });
  expect(answer.status).toBe(200);
  expect(await gateway.workerPids()).toEqual(before);
});

test("the access log tells of connections", async () => {
  const entry = await waitFor("it is logged", async () => {
    const entries = await gateway.accessLog();
    return entries.find((each) => each["protocol"] === "TCP" && each["port"] === ports.tcp);
  });
  expect(entry).toMatchObject({ client: "127.0.0.1", status: 200 });
  expect(entry["upstream_addr"]).toMatch(/^127\.0\.0\.1:\d+$/);
});
