/** Any sequence of listeners that is applied live ends with the sockets that a fresh start opens. */
import { readFile } from "node:fs/promises";
import { randomNumbers } from "../cluster/random-numbers.js";
import { freePort } from "../harness/free-port.js";
import { CONTROLLER, type Fields, GATEWAY_API } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { type Manifest, ingress, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const STEPS = 12;
const ADDRESSES = ["127.62.0.1", "127.62.0.2"];
const PROTOCOLS = ["none", "HTTP", "TCP", "TLS", "UDP"] as const;

type Protocol = (typeof PROTOCOLS)[number];

/** What one step applies: whether there is an Ingress, and the protocol of each Gateway's listener by port. */
interface Step {
  readonly ingress: boolean;
  readonly gateways: readonly (readonly Protocol[])[];
}

function listener(protocol: Protocol, port: number): Fields | [] {
  if (protocol === "none") return [];
  const tls = protocol === "TLS" && { tls: { mode: "Passthrough" } };
  return { name: `p${String(port)}`, port, protocol, ...tls };
}

function manifests({ ingress: hasIngress, gateways }: Step, ports: readonly number[]): string {
  const objects = gateways.flatMap((protocols, index): Manifest | [] => {
    const listeners = ports.flatMap((port, i) => listener(protocols[i] ?? "none", port));
    if (listeners.length === 0) return [];
    return {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "Gateway",
      metadata: { name: `g${String(index)}`, namespace: "default" },
      spec: { gatewayClassName: "albc", listeners, ...(gateways.length > 1 && addressOf(index)) },
    };
  });
  const site = hasIngress
    ? [ingress("web", { hosts: { "web.example": [{ service: "web" }] } })]
    : [];
  return yaml(CLASS, ...objects, ...site);
}

const CLASS: Manifest = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: "GatewayClass",
  metadata: { name: "albc" },
  spec: { controllerName: CONTROLLER },
};

function addressOf(index: number): Fields {
  return { addresses: [{ value: ADDRESSES[index] }] };
}

/** The sockets of a fresh start. The first port is that of the Ingresses: without one, a Gateway that wants it has it alone. */
function expected(
  { ingress: hasIngress, gateways }: Step,
  ports: readonly number[],
): readonly string[] {
  const isWanted = gateways.some(([first = "none"]) => first !== "none" && first !== "UDP");
  const found = new Set(hasIngress || !isWanted ? [`*:${String(ports[0])}/tcp`] : []);
  for (const [index, protocols] of gateways.entries()) {
    const address = gateways.length > 1 ? ADDRESSES[index] : "*";
    for (const [i, protocol] of protocols.entries()) {
      if (protocol === "none") continue;
      found.add(`${String(address)}:${String(ports[i])}/${protocol === "UDP" ? "udp" : "tcp"}`);
    }
  }
  return [...found].sort();
}

/** What this machine listens on at the ports, over IPv4. */
async function sockets(ports: readonly number[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const [transport, state] of [
    ["tcp", "0A"],
    ["udp", "07"],
  ] as const) {
    const lines = (await readFile(`/proc/net/${transport}`, "utf8")).split("\n").slice(1);
    for (const [, local = "", , is] of lines.map((line) => line.trim().split(/\s+/))) {
      const port = parseInt(local.slice(9), 16);
      if (is !== state || !ports.includes(port)) continue;
      const bytes = [6, 4, 2, 0].map((at) => parseInt(local.slice(at, at + 2), 16));
      const address = bytes.join(".");
      found.add(`${address === "0.0.0.0" ? "*" : address}:${String(port)}/${transport}`);
    }
  }
  return [...found].sort();
}

async function walk(seed: number, gateways: number): Promise<void> {
  const random = randomNumbers(seed);
  const ports = [await freePort(), await freePort()];
  const pick = (): Protocol => PROTOCOLS[Math.floor(random() * PROTOCOLS.length)] ?? "none";
  const next = (): Step => ({
    ingress: random() < 0.5,
    gateways: Array.from({ length: gateways }, () => ports.map(pick)),
  });
  const gateway = await scene.use(
    Gateway.start({
      files: { "site.yaml": yaml(CLASS) },
      httpPort: ports[0] ?? 0,
      httpsPort: 0,
      flags: [
        ...["--drain-timeout", "1s", "--ipv6", "false"],
        ...(gateways > 1 ? ["--gateway-addresses", ADDRESSES.join(",")] : []),
      ],
      // Which listener has a port is no matter here.
      errors: [/LISTENER_CONFLICT|SERVICE|ENDPOINT|REFERENCE/],
    }),
  );
  for (let i = 0; i < STEPS; i++) {
    const step = next();
    await gateway.write("site.yaml", manifests(step, ports));
    const wanted = JSON.stringify(expected(step, ports));
    await waitFor(`step ${String(i)} of seed ${String(seed)} to serve ${wanted}`, async () => {
      const open = JSON.stringify(await sockets(ports));
      if (open !== wanted) throw new Error(`open are ${open}`);
      return true;
    });
  }
  expect(gateway.albc.log).not.toMatch(/PORT_UNAVAILABLE|can't be listened on/);
}

test.each([1, 2])("Gateways with addresses of their own, seed %d", async (seed) => {
  await walk(seed, 2);
});

test.each([3, 4])("a Gateway that shares the machine's addresses, seed %d", async (seed) => {
  await walk(seed, 1);
});
