/** limit-rps and limit-rpm of ingress-nginx, at ten times the rate, over two workers. */
import { setTimeout as delay } from "node:timers/promises";
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { ingress, nginx, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;

const RATE = 20;
const SLOW = { "limit-rpm": "2", "limit-burst-multiplier": "1" };

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const site = (name: string, annotations: Record<string, string>) =>
    ingress(name, {
      annotations: nginx(annotations),
      hosts: {
        [`${name}.example`]: [{ service: "web" }],
        [`more.${name}.example`]: [{ service: "web" }],
      },
    });
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [backend]),
          site("fast", { "limit-rps": String(RATE), "limit-burst-multiplier": "1" }),
          site("slow", SLOW),
          site("other", SLOW),
          site("both", { ...SLOW, "limit-rps": "100" }),
          site("allowed", { ...SLOW, "limit-allowlist": "127.0.0.0/8" }),
          site("unlimited", { "limit-rps": "0" }),
          site("guarded", { ...SLOW, "whitelist-source-range": "192.0.2.0/24" }),
        ),
      },
    }),
  );
});

async function statuses(host: string, count: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) found.push((await gateway.send({ host })).status);
  return found;
}

test("as many requests pass at ten times the rate as the limit says", async () => {
  const begin = performance.now();
  const sent: Promise<number>[] = [];
  for (let i = 0; i < 60; i += 1) {
    for (let k = 0; k < RATE / 2; k += 1) {
      sent.push(gateway.send({ host: "fast.example" }).then(({ status }) => status));
    }
    await delay(50);
  }
  const found = await Promise.all(sent);
  const seconds = (performance.now() - begin) / 1000;
  const passed = found.filter((status) => status === 200).length;
  const expected = 1 + RATE + RATE * seconds;

  expect(passed).toBeGreaterThan(expected * 0.95 - 1);
  expect(passed).toBeLessThan(expected * 1.05 + 1);
  expect(new Set(found)).toEqual(new Set([200, 503]));
});

it.each<[string, readonly number[]]>([
  ["slow.example", [200, 200, 200, 503, 503]],
  // The hosts of an Ingress count together, and other Ingresses apart.
  ["more.slow.example", [503, 503, 503, 503, 503]],
  ["other.example", [200, 200, 200, 503, 503]],
  ["both.example", [200, 200, 200, 503, 503]],
  ["allowed.example", [200, 200, 200, 200, 200]],
  ["unlimited.example", [200, 200, 200, 200, 200]],
  ["guarded.example", [403, 403, 403, 503, 503]],
])("%s answers five requests by %j", async (host, expected) => {
  expect(await statuses(host, 5)).toEqual(expected);
});

test("a refusal says why", async () => {
  expect((await gateway.send({ host: "slow.example" })).reason).toBe(
    "AccessFail : too many requests of the client",
  );
});
