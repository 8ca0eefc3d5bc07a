/** `albc explain` of manifests, of what a run serves from them, and of the policy.json that it wrote. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { selfSigned } from "../harness/certificates.js";
import { Gateway } from "../harness/gateway.js";
import { ingress, nginx, service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const HOST = "shop.example";
const scene = useScene();
let gateway: Gateway;

beforeAll(async () => {
  const annotations = nginx({ "auth-type": "basic", "auth-secret": "missing" });
  const endpoints = [
    { port: 8081 },
    { address: "127.0.0.2", port: 8081, conditions: { ready: false } },
  ];
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", endpoints),
          tlsSecret("shop-tls", await selfSigned(HOST)),
          ingress("shop", {
            tls: [{ hosts: [HOST], secretName: "shop-tls" }],
            hosts: { [HOST]: [{ service: "web" }] },
          }),
          ingress("closed", {
            ...{ annotations, hosts: { [HOST]: [{ path: "/closed", service: "web" }] } },
          }),
        ),
      },
      errors: [/missing/],
    }),
  );
}, 60_000);

function explain(...words: readonly string[]) {
  const url = (path: string): string => `https://${HOST}:${String(gateway.httpsPort)}${path}`;
  return (path: string): string => {
    const args = [MAIN, "explain", ...words, "GET", url(path)];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
  };
}

const sources: readonly [string, () => readonly string[], unready: boolean, workers: boolean][] = [
  [
    "manifests",
    () => ["-f", gateway.manifests, "--https-port", String(gateway.httpsPort)],
    true,
    false,
  ],
  ["a policy.json", () => ["--policy", join(gateway.runFolder, "policy.json")], false, false],
  ["a running nginx", () => ["--running", gateway.runFolder], false, true],
];

test.each(sources)(
  "%s: the route, the losers, auth, endpoints and certificate",
  (_, words, unready, workers) => {
    const ask = explain(...words());
    const open = ask("/");
    expect(open).toMatch(/\n {2}answer +forwarded\n/);
    expect(open).toMatch(/\n {2}from +Ingress default\/shop spec\.rules\[0\]\.http\.paths\[0\]\n/);
    expect(open).toMatch(
      /\n {2}backend +100 % default\/web\/80 by http, 1 endpoint\n +127\.0\.0\.1:8081\n/,
    );
    expect(open.includes("not ready: 127.0.0.2\n")).toBe(unready);
    expect(/\n {2}workers +2 of 2 serve this\n/.test(open)).toBe(workers);
    expect(open).toMatch(/\/closed\): other path\n/);
    expect(open).toMatch(/\n {2}certificate +shop\.example until 20/);

    const closed = ask("/closed");
    expect(closed).toMatch(
      /answer +503 AuthFail : invalid cfg secret default\/missing not found\n/,
    );
    expect(closed).toMatch(/auth +broken, so closed/);
  },
);

test("what runs is explained as it is now, not as the manifests are", async () => {
  await gateway.write(
    "z.yaml",
    yaml(ingress("later", { hosts: { [HOST]: [{ service: "web", path: "/later" }] } })),
  );
  await gateway.settled();
  expect(explain("--running", gateway.runFolder)("/later")).toContain("Ingress default/later");
});
