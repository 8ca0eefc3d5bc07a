/** A namespace that needs a reload every second waits; nobody else does, and connections live on. */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { type Connection, send } from "../harness/http-client.js";
import { type Manifest, endpointSlices, ingress, service, yaml } from "../harness/manifests.js";
import { processesIn } from "../harness/processes.js";
import { useScene } from "../harness/scene.js";
import { StreamBackend, firstWords } from "../harness/stream-backend.js";
import { gatewayWith, streamRoute, webRoute } from "../harness/stream-manifests.js";
import { waitFor } from "../harness/wait.js";
import { WebSocketClient } from "../harness/websocket.js";

const scene = useScene();
let gateway: Gateway;
let backend: EchoBackend;
let evilPort: number;

const inNamespace = (namespace: string, manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.map((each) => ({ ...each, metadata: { ...each.metadata, namespace } }));

const evil = (turn: number): string =>
  yaml(
    inNamespace("evil", [
      ...gatewayWith([
        { name: "tls", port: evilPort, protocol: "TLS", tls: { mode: "Passthrough" } },
      ]).slice(1),
      streamRoute("TLSRoute", "flap", [{ name: "web" }], {
        hostnames: [`turn-${String(turn)}.example`],
      }),
      ...service("web", [{ port: backend.port }]),
    ]),
  );

/** A Gateway with an HTTP port in a namespace. */
const site = (namespace: string, port: number): string =>
  yaml(
    inNamespace(namespace, [
      ...gatewayWith([{ name: "web", port, protocol: "HTTP" }]).slice(1),
      webRoute(`${namespace}.example`),
      ...service("web", [{ port: backend.port }]),
    ]),
  );

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

beforeEach(async () => {
  evilPort = await freePort();
  gateway = await Gateway.start({
    files: {
      "class.yaml": yaml(gatewayWith([]).slice(0, 1)),
      "victim.yaml": yaml(
        ingress("victim", {
          className: "nginx",
          hosts: { "victim.example": [{ path: "/", service: "web" }] },
        }),
        service("web", [{ port: backend.port }]),
      ),
      "evil.yaml": evil(0),
    },
    flags: ["--drain-timeout", "240s", "--health-address", ""],
  });
});

const connections: Connection[] = [];

afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  await gateway.close();
});

async function openWebSocket(host = "victim.example"): Promise<WebSocketClient> {
  const connection = await gateway.connect();
  connections.push(connection);
  const { client } = await WebSocketClient.upgrade(connection, { host });
  if (client === undefined) throw new Error("no WebSocket");
  expect(await client.exchange("hello")).toBe("hello");
  return client;
}

/** Milliseconds until the Gateway of the namespace answers on its new port. */
async function timeToLive(namespace: string): Promise<number> {
  const port = await freePort();
  const begin = performance.now();
  await gateway.write(`${namespace}.yaml`, site(namespace, port));
  await waitFor(`the port of ${namespace}`, async () => {
    const answer = await send({ port }, { host: `${namespace}.example` }).catch(() => undefined);
    return answer?.status === 200;
  });
  return performance.now() - begin;
}

test("a TLSRoute that changes every second ends no WebSocket, and holds up no other port", async () => {
  const clients = [await openWebSocket()];
  const workers: number[] = [];
  const attack = { isOver: false, turn: 0 };
  const attacking = (async () => {
    while (!attack.isOver) {
      await gateway.write("evil.yaml", evil((attack.turn += 1)));
      await pause(1000);
      // So all old workers have a reason to stay.
      clients.push(await openWebSocket());
    }
  })();
  const counting = (async () => {
    while (!attack.isOver) {
      // All but the master.
      workers.push((await processesIn(gateway.runFolder)).length - 1);
      await pause(100);
    }
  })();
  await pause(12_000);
  const first = await timeToLive("shop");
  await pause(16_000);
  const second = await timeToLive("cafe");
  await waitFor("forty turns", () => attack.turn >= 40);
  attack.isOver = true;
  await Promise.all([attacking, counting]);
  expect(first).toBeLessThan(6000);
  expect(second).toBeLessThan(6000);
  for (const client of clients) expect(await client.exchange("still there")).toBe("still there");
  expect(Math.max(...workers)).toBeGreaterThan(4);
  expect(Math.max(...workers)).toBeLessThanOrEqual(12);
  // What waits is said.
  await gateway.write("evil.yaml", evil((attack.turn += 1)));
  await waitFor("albc status", async () => {
    const { waiting } = JSON.parse(await gateway.readRunFile("changes.json")) as {
      readonly waiting: readonly object[];
    };
    const objects = ["TLSRoute evil/flap"];
    const untimed = waiting.map((each) => ({ ...each, until: "" }));
    return isDeepStrictEqual(untimed, [{ namespace: "evil", until: "", objects }]);
  });
  expect(gateway.albc.log).toContain("RELOAD_WAITS");
}, 240_000);

test("a burst in one namespace is live at once, but for its last changes", async () => {
  const client = await openWebSocket();
  const port = await freePort();
  const begin = performance.now();
  for (let turn = 0; turn < 5; turn += 1) {
    await gateway.write("shop.yaml", site("shop", turn === 0 ? port : await freePort()));
    if (turn === 0) {
      await waitFor("the first port", async () => {
        const answer = await send({ port }, { host: "shop.example" }).catch(() => undefined);
        return answer?.status === 200;
      });
    }
    await pause(200);
  }
  expect(performance.now() - begin).toBeLessThan(6000);
  const last = await timeToLive("shop");
  expect(last).toBeLessThan(9000);
  expect(await client.exchange("still there")).toBe("still there");
}, 120_000);

test("changes of other namespaces, one after another, wait for nothing", async () => {
  const client = await openWebSocket();
  expect(await timeToLive("a")).toBeLessThan(6000);
  expect(await timeToLive("b")).toBeLessThan(6000);
  expect(await client.exchange("still there")).toBe("still there");
}, 120_000);

/** A Deployment behind a TCPRoute; its namespace has WebSockets, too. */
class Deployment {
  readonly port: number;
  readonly clients: WebSocketClient[] = [];
  /** Milliseconds until a port is live: many on a busy machine. */
  live = 0;
  /** What new connections got. */
  readonly words = new Set<string>();
  readonly #pods: StreamBackend[] = [];

  private constructor(port: number) {
    this.port = port;
  }

  static async start(replicas: number): Promise<Deployment> {
    const deployment = new Deployment(await freePort());
    const begin = performance.now();
    await gateway.write(
      "shop.yaml",
      yaml(
        inNamespace("shop", [
          ...gatewayWith([{ name: "tcp", port: deployment.port, protocol: "TCP" }]).slice(1),
          streamRoute("TCPRoute", "pods", [{ name: "pods" }]),
          ...service("pods").slice(0, 1),
          ingress("shop", {
            className: "nginx",
            hosts: { "shop.example": [{ path: "/", service: "web" }] },
          }),
          ...service("web", [{ port: backend.port }]),
        ]),
      ),
    );
    for (let i = 0; i < replicas; i += 1) await deployment.#add();
    await waitFor("it is served", async () => (await firstWords(deployment.port)) === "pod");
    deployment.live = performance.now() - begin;
    return deployment;
  }

  /** Each pod is replaced: a new one is ready, and later the old one's port is closed. */
  async rollOut(least: number): Promise<void> {
    const milliseconds = Math.max(least, 2 * this.live);
    for (let left = this.#pods.length; left > 0; left -= 1) {
      await this.#add();
      await this.serve(milliseconds);
      const old = this.#pods.shift();
      await this.#write();
      await old?.close();
      await this.serve(milliseconds);
    }
  }

  /** New connections, one after another, and two WebSockets that stay, so each reload leaves workers that drain. */
  async serve(milliseconds: number): Promise<void> {
    this.clients.push(await openWebSocket(), await openWebSocket("shop.example"));
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      this.words.add(await firstWords(this.port));
      await pause(10);
    }
  }

  async #add(): Promise<void> {
    this.#pods.push(await scene.use(StreamBackend.start("pod")));
    await this.#write();
  }

  #write(): Promise<void> {
    const endpoints = this.#pods.map(({ port }) => ({ port }));
    return gateway.write("pods.yaml", yaml(endpointSlices("pods", endpoints, "shop")));
  }
}

test.each([
  [3, 2000],
  [1, 3000],
])(
  "two rollouts of %i pods behind a TCPRoute refuse no connection, and WebSockets live on",
  async (replicas, milliseconds) => {
    const deployment = await Deployment.start(replicas);
    await deployment.rollOut(milliseconds);
    await deployment.rollOut(milliseconds);
    expect([...deployment.words]).toEqual(["pod"]);
    for (const client of deployment.clients)
      expect(await client.exchange("still there")).toBe("still there");
  },
  120_000,
);
