import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { loadAll } from "js-yaml";
import { CONTROLLER, gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { yaml } from "../harness/manifests.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const SERVICE = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
endpoints: [{ addresses: [127.0.0.1] }]
ports: [{ port: 8081 }]
`;

const INGRESS = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec:
  rules:
    - host: web.example
      http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
`;

/** What a command says of those two when all is well. */
const GARBAGE = Buffer.from("garbage").toString("base64");
const CERTIFICATE = { "client-certificate-data": GARBAGE, "client-key-data": GARBAGE };
const WELL = { status: 0, output: "", errors: "2 files, 3 objects: 0 errors, 0 warnings\n" };

const NOTHING = "albc: no object that albc reads was found; check the paths after -f\n";

let folder: string;
beforeEach(async () => {
  folder = await makeTempFolder();
});
afterEach(() => removeFolder(folder));

interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

function albc(
  words: readonly string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Outcome {
  const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: folder,
    encoding: "utf8",
    input: options.input ?? "",
    env: { ...process.env, ...options.env },
  });
  return { status, output: stdout, errors: stderr };
}

async function manifests(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(folder, "in"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "in", name), text);
}

test("a terminal says what is being done, and a pipe does not", async () => {
  await manifests({ "service.yaml": SERVICE, "ingress.yaml": INGRESS });
  const line = [process.execPath, MAIN, "render", "-f", "in", "-o", "out"].join(" ");
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, TERM: "xterm" },
  });
  const erased = "\r\u001b[K";
  const steps = ["reading files", "parsing 2 files", "compiling 3 objects"];
  const shown = (step: string) => `${erased}${step} …`;
  expect(stdout.replaceAll("\r\n", "\n")).toBe(
    [...steps.map(shown), erased, WELL.errors, shown("writing out"), erased].join(""),
  );
  expect(albc(["render", "-f", "in", "-o", "out"])).toEqual(WELL);
});

describe("render", () => {
  test("writes a folder that --check then finds equal", async () => {
    await manifests({ "service.yaml": SERVICE, "ingress.yaml": INGRESS });
    expect(albc(["render", "-f", "in", "-o", "out"])).toEqual(WELL);
    expect(await readdir(join(folder, "out"))).toEqual(
      expect.arrayContaining(["lua", "nginx.conf", "policy.json"]),
    );
    expect((await stat(join(folder, "out/policy.json"))).mode & 0o777).toBe(0o600);
    expect(albc(["render", "-f", "in", "-o", "out", "--check"])).toEqual(WELL);
  });

  test("--check shows a diff and changes nothing", async () => {
    await manifests({ "service.yaml": SERVICE, "ingress.yaml": INGRESS });
    albc(["render", "-f", "in", "-o", "out"]);
    const before = await readFile(join(folder, "out/policy.json"), "utf8");
    await manifests({ "ingress.yaml": INGRESS.replace("web.example", "other.example") });
    const checked = albc(["render", "-f", "in", "-o", "out", "--check"]);
    expect(checked.status).toBe(1);
    expect(checked.output).toContain("other.example");
    expect(await readFile(join(folder, "out/policy.json"), "utf8")).toBe(before);
  });

  test("gives the same bytes whatever the order and the form of the input", async () => {
    await manifests({ "a.yaml": SERVICE, "b.yaml": INGRESS });
    albc(["render", "-f", "in/a.yaml", "-f", "in/b.yaml", "-o", "one"]);
    albc(["render", "-f", "-", "-o", "two"], { input: `${INGRESS}---${SERVICE}` });
    expect(await readFile(join(folder, "two/policy.json"))).toEqual(
      await readFile(join(folder, "one/policy.json")),
    );
    expect(await readFile(join(folder, "two/nginx.conf"))).toEqual(
      await readFile(join(folder, "one/nginx.conf")),
    );
  });

  test("writes what is valid and exits 1 when something is not", async () => {
    await manifests({ "good.yaml": SERVICE + "---" + INGRESS, "bad.yaml": "kind: [\n" });
    const rendered = albc(["render", "-f", "in", "-o", "out"]);
    expect(rendered.status).toBe(1);
    expect(rendered.errors).toMatch(/^in\/bad\.yaml:\d+:\d+: error /m);
    expect(await readFile(join(folder, "out/policy.json"), "utf8")).toContain("web.example");
  });

  test.each(["resources", "ir", "nginx", "policy", "status"])(
    "--emit %s prints that stage alone",
    async (stage) => {
      await manifests({ "service.yaml": SERVICE, "ingress.yaml": INGRESS });
      const emitted = albc(["render", "-f", "in", "--emit", stage]);
      expect(emitted).toEqual({ ...WELL, output: emitted.output });
      if (stage === "nginx") expect(emitted.output).toContain("worker_processes");
      if (stage === "policy") expect(JSON.parse(emitted.output)).toMatchObject({ format: 5 });
      if (stage === "ir" || stage === "resources") expect(emitted.output).toContain("web.example");
    },
  );

  test("--emit status keeps what other controllers wrote", async () => {
    const entry = (controllerName: string, reason: string, parent: string) => ({
      parentRef: { name: parent },
      controllerName,
      conditions: [
        {
          type: "Accepted",
          status: "True",
          reason,
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    });
    const foreign = entry("example.com/other", "Foreign", "elsewhere");
    const route = {
      ...httpRoute("web", ["web.example"], [{ service: "web" }]),
      status: { parents: [foreign, entry(CONTROLLER, "Stale", "gone")] },
    };
    await manifests({
      "all.yaml": [SERVICE, yaml(...gatewayOn({ http: 80 }), route)].join("---\n"),
    });
    const { output } = albc(["render", "-f", "in", "--emit", "status"]);
    const statuses = loadAll(output);

    expect(statuses.at(-1)).toMatchObject({
      kind: "HTTPRoute",
      status: {
        parents: [foreign, { parentRef: { name: "edge" }, controllerName: CONTROLLER }],
      },
    });
    expect(output.match(/lastTransitionTime/g)).toHaveLength(1);
  });

  test("no stage shows what a secret holds", async () => {
    const secret = `
apiVersion: v1
kind: Secret
metadata: { name: users }
stringData: { auth: "ann:$apr1$saltsalt$0123456789abcdefghijkl" }
`;
    const annotated = INGRESS.replace(
      "metadata: { name: web }",
      "metadata: { name: web, annotations: { nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-secret: users } }",
    );
    await manifests({ "all.yaml": [SERVICE, secret, annotated].join("---") });
    const encoded = Buffer.from("ann:$apr1$saltsalt$0123456789abcdefghijkl").toString("base64");
    for (const stage of ["resources", "ir", "nginx", "policy", "status"]) {
      const { output, errors } = albc(["render", "-f", "in", "--emit", stage]);
      expect(output + errors).not.toMatch(/saltsalt|0123456789abcdef/);
      expect(output).not.toContain(encoded);
    }
  });
});

describe("validate", () => {
  test("says only how much it read and exits 0 when all is well", async () => {
    await manifests({ "service.yaml": SERVICE, "ingress.yaml": INGRESS });
    expect(albc(["validate", "-f", "in"])).toEqual(WELL);
  });

  test.each(["text", "json"])("says that it read nothing, as %s too", async (format) => {
    await manifests({ "empty.yaml": "# nothing yet\n" });
    expect(albc(["validate", "-f", "in", "--format", format])).toEqual({
      status: 0,
      output: "",
      errors: `1 file, 0 objects: 0 errors, 0 warnings\n${NOTHING}`,
    });
  });

  test("--require-objects fails without an object that albc reads", async () => {
    const unread = "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n";
    await manifests({ "pod.yaml": unread });
    const { status, errors } = albc(["validate", "-f", "in", "--require-objects"]);
    expect([status, errors]).toEqual([1, `1 file, 0 objects: 0 errors, 0 warnings\n${NOTHING}`]);
    const rendered = albc(["render", "-f", "in", "--emit", "status", "--require-objects"]);
    expect([rendered.status, rendered.errors]).toEqual([1, errors]);
    await manifests({ "service.yaml": SERVICE });
    expect(albc(["validate", "-f", "in", "--require-objects"]).status).toBe(0);
  });

  test("known problems are left out, by code or by a file of them", async () => {
    await manifests({ "ingress.yaml": INGRESS });
    const validate = (...flags: readonly string[]) => albc(["validate", "-f", "in", ...flags]);
    const known = {
      status: 0,
      output: "",
      errors: "1 file, 1 object: 0 errors, 0 warnings, 1 left out\n",
    };
    expect(validate().status).toBe(1);
    expect(validate("--ignore", "SERVICE_NOT_FOUND")).toEqual(known);
    expect(validate("--ignore", "FIELD_INVALID").status).toBe(1);
    expect(validate("--baseline", "known")).toEqual({
      ...{ status: 3, output: "" },
      errors: "albc: known does not exist; --write-baseline known writes it\n",
    });
    expect(validate("--write-baseline", "known").status).toBe(0);
    expect(await readFile(join(folder, "known"), "utf8")).toBe(
      "SERVICE_NOT_FOUND Ingress default/web\n",
    );
    expect(validate("--baseline", "known")).toEqual(known);
    // Another line of the same object is known, another object is not.
    await manifests({ "ingress.yaml": `# moved\n${INGRESS}` });
    expect(validate("--baseline", "known")).toEqual(known);
    await manifests({ "ingress.yaml": INGRESS.replace("name: web }", "name: new }") });
    expect(validate("--baseline", "known").output).toContain("Ingress default/new");
    expect(validate("--baseline", "known").status).toBe(1);
  });

  test("counts objects that can't be used too", async () => {
    await manifests({ "ingress.yaml": `${INGRESS.replace("web.example", "W_eb")}---${SERVICE}` });
    const { status, errors } = albc(["validate", "-f", "in"]);
    expect(status).toBe(1);
    expect(errors).toMatch(/^1 file, 3 objects: [1-9]\d* errors?, \d+ warnings?\n$/);
  });

  test("names file, line and column, with the line and a caret", async () => {
    await manifests({ "ingress.yaml": INGRESS.replace("host: web.example", "host: Web_Example") });
    const { status, output } = albc(["validate", "-f", "in"]);
    expect(status).toBe(1);
    expect(output).toMatch(/^in\/ingress\.yaml:7:\d+: error /m);
    expect(output).toContain("host: Web_Example");
    expect(output).toMatch(/^ *\|? *\^/m);
  });

  test("--format json prints one object a line", async () => {
    await manifests({ "ingress.yaml": INGRESS.replace("host: web.example", "host: Web_Example") });
    const { output } = albc(["validate", "-f", "in", "--format", "json"]);
    const lines = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(lines[0]).toMatchObject({
      severity: "error",
      field: "spec.rules[0].host",
      location: { file: "in/ingress.yaml", line: 7 },
      resource: { kind: "Ingress", name: "web", namespace: "default" },
    });
  });

  test("counts kinds that are not read", async () => {
    await manifests({
      "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\n",
    });
    const { status, output } = albc(["validate", "-f", "in"]);
    expect(status).toBe(0);
    expect(output).toContain("1 × apps/v1 Deployment");
  });
});

test.each([
  ["http://web.example/", 200, 0],
  ["http://web.example/", 404, 1],
  ["http://other.example/", 404, 0],
  ["http://other.example/", 200, 1],
  ["http://web.example:81/", 200, 1],
])(
  "explain %s --expect %d exits %d, also where manifests have errors",
  async (url, status, exit) => {
    await manifests({ "service.yaml": SERVICE, "ingress.yaml": INGRESS, "broken.yaml": "kind: [" });
    const words = ["explain", "-f", "in", "--expect", String(status), url];
    expect(albc(words).status).toBe(exit);
    expect(albc([...words, "--format", "json"]).status).toBe(exit);
  },
);

describe("exit statuses", () => {
  test.each([
    ["an unknown command", ["serve", "-f", "in"]],
    ["an unknown flag", ["validate", "-f", "in", "--wrokers", "2"]],
    ["no input", ["validate"]],
    ["one port for HTTP and HTTPS", ["validate", "-f", "in", "--http-port", "443"]],
    ["a value of the wrong kind", ["validate", "-f", "in", "--http-port", "eighty"]],
  ])("%s is usage: 2, with one line", (_what, words) => {
    const { status, output, errors } = albc(words);
    expect({ status, output }).toEqual({ status: 2, output: "" });
    expect(errors).toMatch(/^albc: .+\n$/);
  });

  test("an unknown key of the options file is usage", async () => {
    await writeFile(join(folder, "albc.yaml"), "htppPort: 1\n");
    const { status, errors } = albc(["validate", "-f", ".", "--config", "albc.yaml"]);
    expect(status).toBe(2);
    expect(errors).toContain('unknown key "htppPort"');
  });

  test("a path that is not there is the environment: 3", () => {
    const { status, errors } = albc(["validate", "-f", "nowhere"]);
    expect(status).toBe(3);
    expect(errors).toMatch(/^albc: nowhere does not exist.*\n$/);
  });

  test("no nginx is the environment: 3, with the command that mends it", async () => {
    await manifests({ "service.yaml": SERVICE });
    const { status, errors } = albc(["run", "-f", "in", "--nginx", "/nonexistent/nginx"]);
    expect(status).toBe(3);
    expect(errors).toContain("/nonexistent/nginx");
  });

  test.each([
    ["users:\n  - user: { token: secret\n", "can't be read: .*"],
    [kubeconfig("::nope", {}), 'server "::nope" is no https:// URL: .*'],
    [kubeconfig("https://127.0.0.1:1", CERTIFICATE), "certificates can't be used: .*PEM.*"],
  ])("the kubeconfig %j is the environment: 3, in one line", async (text, said) => {
    await writeFile(join(folder, "kubeconfig"), text);
    const words = ["run", "--kubernetes", "--nginx", process.env["ALBC_TEST_NGINX"] ?? ""];
    const { status, errors } = albc(words, { env: { KUBECONFIG: join(folder, "kubeconfig") } });
    expect(errors).toMatch(new RegExp(`^albc: the kubeconfig(?:'s)? ${said}\\n$`));
    expect(errors).not.toContain("secret");
    expect(status).toBe(3);
  });
});

test.each([
  [["validate", "-f", "in", "--config", "/dev/zero"], 2, "the options file: can't read /dev/zero"],
  [["validate", "-f", "in", "--config", "pipe"], 2, "the options file: can't read pipe"],
  [["explain", "--policy", "/dev/zero", "GET", "http://a/"], 3, "can't read /dev/zero"],
  [["validate", "--kubernetes"], 3, "can't read /dev/zero"],
])("a file that never ends is one message: %j", async (words, expected, said) => {
  await manifests({ "service.yaml": SERVICE });
  execFileSync("mkfifo", ["-m", "600", "pipe"], { cwd: folder });
  const { status, output, errors } = albc(words, { env: { KUBECONFIG: "/dev/zero" } });
  expect([status, output, errors]).toEqual([
    expected,
    "",
    `albc: ${said}: it is no regular file\n`,
  ]);
});

test("a wrong value in the options file is one message with file, line and key", async () => {
  await manifests({ "service.yaml": SERVICE });
  await writeFile(join(folder, "albc.yaml"), "httpPort: 8080\ntrustedProxies: [10.0.0.0/99]\n");
  expect(albc(["validate", "-f", "in", "--config", "albc.yaml"])).toEqual({
    ...{ status: 2, output: "" },
    errors: `albc: albc.yaml:2: trustedProxies must be a list of IP addresses and CIDRs, but is ["10.0.0.0/99"]\n`,
  });
});

function kubeconfig(server: string, user: object): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  });
}
