/** The commands that read a cluster once, as the plugin of kubectl. */
import { execFileSync, spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Scene } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { Cluster } from "./cluster.js";
import { endpointSlice, serviceOf } from "./local-backends.js";
import { ingressOf } from "./objects.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const AUTH = {
  "nginx.ingress.kubernetes.io/auth-type": "basic",
  "nginx.ingress.kubernetes.io/auth-secret": "missing",
};
const scene = new Scene();
let cluster: Cluster;
let folder: string;

beforeAll(async () => {
  cluster = await scene.use(Cluster.open());
  folder = await makeTempFolder();
  await symlink(MAIN, join(folder, "kubectl-albc"));
  execFileSync("chmod", ["+x", MAIN]);
  const place = { name: "web", namespace: cluster.namespace };
  await cluster.apply(serviceOf(place));
  await cluster.apply(endpointSlice(place, ["10.246.0.1"]));
  await cluster.apply(ingressOf({ ...place, annotations: AUTH }, "web.example", "web"));
}, 60_000);
afterAll(async () => {
  await removeFolder(folder);
  await scene.close();
}, 60_000);

/** `kubectl albc COMMAND --kubernetes …`, of the test's namespace. */
function albc(command: string, ...words: readonly string[]) {
  const flags = ["--namespaces", cluster.namespace, "--secret-namespaces", cluster.namespace];
  const args = ["albc", command, "--kubernetes", ...flags, "--ingress-without-class", ...words];
  const env = { ...process.env, PATH: `${folder}:${String(process.env["PATH"])}` };
  const { status, stdout, stderr } = spawnSync("kubectl", args, { encoding: "utf8", env });
  return { status, stdout, stderr };
}

test("validate names the object, the field and what to do", () => {
  const { status, stdout, stderr } = albc("validate");
  expect(stdout).toBe(
    [
      `error AUTH_REFERENCE_NOT_FOUND: secret ${cluster.namespace}/missing not found; this answers 503: web.example/`,
      `  Ingress ${cluster.namespace}/web, metadata.annotations["nginx.ingress.kubernetes.io/auth-secret"]`,
      "  hint: create the object, or correct its namespace and name\n",
    ].join("\n"),
  );
  expect(stderr).toMatch(/^the cluster, \d+ objects: 1 error, 0 warnings\n$/);
  expect(status).toBe(1);
});

test("explain says why a request is refused", () => {
  const { stdout } = albc("explain", "GET", "http://web.example/");
  const reason = `AuthFail : invalid cfg secret ${cluster.namespace}/missing not found`;
  expect(stdout).toContain(`answer      503 ${reason}\n`);
  expect(stdout).toContain("10.246.0.1:8080\n");
});

test("render has the policy that a pod would serve", () => {
  const { status, stdout } = albc("render", "--emit", "policy");
  expect(status).toBe(1);
  expect(stdout).toContain(`ingress/${cluster.namespace}/web/0-0`);
});

test("diff says what kubectl apply would do to requests", async () => {
  const place = { name: "web", namespace: cluster.namespace };
  const file = join(folder, "now.json");
  await writeFile(file, JSON.stringify(ingressOf(place, "web.example", "web")));
  const { status, stdout } = albc("diff", file);
  expect(stdout).toMatch(/^auth is lost \(1\)\n {2}https 443 web\.example, http 80 web\.example\n/);
  expect(status).toBe(1);
});
