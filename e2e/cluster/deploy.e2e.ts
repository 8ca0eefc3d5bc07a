/** What is in deploy/, as Helm renders it and the API server takes it; and albc with the permissions that it gives and no others. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, loadAll } from "js-yaml";
import { AlbcProcess } from "../harness/albc-process.js";
import { freePort } from "../harness/free-port.js";
import { Health } from "../harness/health.js";
import { type Closable, Scene } from "../harness/scene.js";
import { testNginx } from "../harness/test-nginx.js";
import { waitFor } from "../harness/wait.js";
import { Cluster, type Manifest } from "./cluster.js";
import { type PodSpec, containerOf, deployedPod } from "./deployed-pod.js";
import { gatewayOf, httpRoute } from "./objects.js";

const DEPLOY = fileURLToPath(new URL("../../deploy", import.meta.url));
const NAMESPACE = "albc";
const CONTROLLER = "example.com/deploy-test";
/** Of Gateways: an EndpointSlice takes no loopback address. */
const ADDRESSES = "192.0.2.72/29";

interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const scene = new Scene();
let cluster: Cluster;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "albc-deploy-"));
  // The cluster's network is gone with it.
  execFileSync("ip", ["route", "add", "local", ADDRESSES, "dev", "lo"]);
  cluster = await scene.use(Cluster.open());
  // ServiceMonitor and PrometheusRule.
  const definitions = join(process.env["CLUSTER_BIN"] ?? "", "crd/monitoring");
  kubectl(["apply", "--server-side", "-f", definitions]);
  kubectl(["wait", "--for=condition=Established", "-f", definitions]);
  for (const object of rendered().filter(({ kind }) => kind === "Namespace"))
    await cluster.apply(object);
});
afterAll(async () => {
  await scene.close();
  kubectl(["delete", "namespace", NAMESPACE, "--wait=false"]);
  kubectl(["delete", "gatewayclass", cluster.namespace, "--ignore-not-found"]);
  rmSync(folder, { recursive: true });
}, 60_000);

function kubectl(words: readonly string[], input = ""): string {
  return execFileSync("kubectl", words, {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function helm(...words: readonly string[]): string {
  // Helm keeps its caches below the home folder.
  const env = { ...process.env, HOME: folder };
  return execFileSync("helm", words, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const CHART = join(DEPLOY, "chart");

/** What the chart makes of values, as `--set` takes them. */
function chart(...values: readonly string[]): string {
  const set = values.flatMap((value) => ["--set", value]);
  return helm("template", "albc", CHART, "--namespace", NAMESPACE, ...set);
}

const COLLECTOR = [
  "env[0].name=OTEL_EXPORTER_OTLP_ENDPOINT",
  "env[0].value=http://collector.monitoring:4318",
];

const MONITORING = ["serviceMonitor", "alerts", "dashboards"].map(
  (part) => `monitoring.${part}.enabled=true`,
);

function objectsOf(yaml: string): readonly Rendered[] {
  return (loadAll(yaml) as readonly (Rendered | null)[]).filter((object) => object !== null);
}

function rendered(): readonly Rendered[] {
  return objectsOf(kubectl(["kustomize", join(DEPLOY, "base")]));
}

test("deploy/base is what the chart renders", () => {
  const script = join(DEPLOY, "render-base");
  const text = execFileSync(script, ["helm"], { encoding: "utf8", env: { ...process.env } });
  expect(readFileSync(join(DEPLOY, "base/albc.yaml"), "utf8")).toBe(text);
});

test.each<readonly [string, () => string]>([
  ["deploy/base", () => kubectl(["kustomize", join(DEPLOY, "base")])],
  ["the chart", () => chart()],
  [
    "the chart with everything on",
    () =>
      chart(
        ...["gatewayClass.create=true", "secrets.allNamespaces=true", "ingressClass.default=true"],
        ...["autoscaling.enabled=true", "openresty.enabled=true", "options.httpPort=8080"],
        ...["ports[0].name=dns", "ports[0].port=53", "ports[0].protocol=UDP"],
        ...[`namespaces={${cluster.namespace}}`, ...MONITORING],
        ...["options.tracing=spans", ...COLLECTOR],
      ),
  ],
])("the API server takes %s as it is", (_name, yaml) => {
  const words = ["apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-"];
  const lines = kubectl(words, yaml()).trim().split("\n");
  expect(lines).toHaveLength(objectsOf(yaml()).length);
  for (const line of lines) expect(line).toMatch(/serverside-applied \(server dry run\)$/);
});

test("a further port reaches the container, the Service and the NetworkPolicy", () => {
  const yaml = chart("ports[0].name=dns", "ports[0].port=53", "ports[0].protocol=UDP");
  const found = objectsOf(yaml).flatMap((object) =>
    JSON.stringify(object).includes('"UDP"') ? [object.kind] : [],
  );
  expect(found.sort()).toEqual(["Deployment", "NetworkPolicy", "Service"]);
});

function portsOf(...values: readonly string[]): unknown {
  const deployment = objectsOf(chart(...values)).find(({ kind }) => kind === "Deployment");
  const { spec } = deployment?.spec?.["template"] as { readonly spec: PodSpec };
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.map(({ name, containerPort }) => [name, containerPort]),
  );
}

test("ports follow the options, and a port that is switched off is nowhere open", () => {
  const values = ["options.httpPort=0", "options.healthAddress=0.0.0.0:9000"];
  expect(portsOf(...values)).toEqual([
    ["health", 9000],
    ["https", 443],
  ]);
  expect(portsOf("options.httpPort=8080", "options.httpsPort=0")).toEqual([
    ["health", 10254],
    ["http", 8080],
  ]);
  // A NetworkPolicy without ports would let everything in.
  const none = ["options.httpPort=0", "options.httpsPort=0"];
  expect(() => chart(...none)).toThrow("no port is left");
  expect(() => chart("options.healthAddress=")).toThrow("options.healthAddress needs a port");
});

test("further variables reach albc, beside its own, and not nginx", () => {
  const deployment = objectsOf(chart(...COLLECTOR)).find(({ kind }) => kind === "Deployment");
  const { spec } = deployment?.spec?.["template"] as { readonly spec: PodSpec };
  const added = { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector.monitoring:4318" };
  expect(containerOf(spec, "controller").env).toEqual([
    ...(containerOf(deployedPod(), "controller").env ?? []),
    added,
  ]);
  expect(containerOf(spec, "nginx").env).not.toContainEqual(added);
});

const OWN_ACCOUNT = ["serviceAccount.create=false", "serviceAccount.name=mine"];

test.each([
  ["made by the chart", []],
  ["made by others", OWN_ACCOUNT],
])("only the container of albc has a token of an account %s", (_name, values) => {
  const deployment = objectsOf(chart(...values)).find(({ kind }) => kind === "Deployment");
  const { spec } = deployment?.spec?.["template"] as { readonly spec: PodSpec };
  expect(spec.automountServiceAccountToken).toBe(false);
  const projected = spec.volumes.filter((volume) => JSON.stringify(volume).includes("Token"));
  expect(projected.map(({ name }) => name)).toEqual(["token"]);
  const mounting = spec.containers.filter(({ volumeMounts }) =>
    volumeMounts.some(({ name }) => name === "token"),
  );
  expect(mounting.map(({ name }) => name)).toEqual(["controller"]);
});

/** Resources that it may write, statuses and events left out, and the kinds of roles that say so. */
function writable(...values: readonly string[]): unknown {
  return objectsOf(chart(...values)).flatMap(({ kind, ...object }) =>
    ((object["rules"] ?? []) as readonly { resources: readonly string[]; verbs: object }[])
      .filter(({ verbs }) => /create|update|patch|delete|\*/.test(JSON.stringify(verbs)))
      .flatMap(({ resources }) => resources)
      .filter((name) => name !== "events" && !name.endsWith("/status"))
      .map((name) => `${kind} ${name}`),
  );
}

test("Services and EndpointSlices may be written only where Gateways are served", () => {
  const lease = "Role leases";
  expect(writable()).toEqual([lease]);
  const all = ["ClusterRole services", "ClusterRole endpointslices", lease];
  expect(writable("gatewayClass.create=true")).toEqual(all);
  expect(writable("rbac.gateways=true")).toEqual(all);
});

test("both containers have a startup and a liveness probe", () => {
  const probes = deployedPod().containers.map(({ name, startupProbe, livenessProbe }) => [
    name,
    ...[startupProbe, livenessProbe].map((probe) => (probe?.exec ?? probe?.httpGet) !== undefined),
  ]);
  expect(probes).toEqual([
    ["controller", true, true],
    ["nginx", true, true],
  ]);
});

test("the files of alerts and dashboards reach the cluster as they are", () => {
  const objects = objectsOf(chart(...MONITORING));
  const { spec } = objects.find(({ kind }) => kind === "PrometheusRule") ?? {};
  const files = join(CHART, "files");
  expect(spec).toEqual(load(readFileSync(join(files, "alerts.yaml"), "utf8")));
  const data = objects.flatMap((object) =>
    Object.entries((object["data"] as object | undefined) ?? {}),
  );
  for (const name of readdirSync(join(files, "dashboards"))) {
    expect(data).toContainEqual([name, readFileSync(join(files, "dashboards", name), "utf8")]);
  }
});

test("the monitor finds the metrics of the pods, and nothing of theirs has an address outside", () => {
  const objects = objectsOf(chart("monitoring.serviceMonitor.enabled=true"));
  const monitor = objects.find(({ kind }) => kind === "ServiceMonitor");
  const { matchLabels } = monitor?.spec?.["selector"] as Selector;
  const chosen = objects.filter(
    ({ kind, metadata }) =>
      kind === "Service" &&
      Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value),
  );
  expect(chosen.map(({ spec }) => spec?.["clusterIP"])).toEqual(["None"]);
  const [endpoint] = monitor?.spec?.["endpoints"] as readonly { readonly port: string }[];
  const ports = chosen[0]?.spec?.["ports"] as readonly { name: string; targetPort: string }[];
  const named = ports.find(({ name }) => name === endpoint?.port);
  const container = containerOf(deployedPod(), "controller");
  expect(container.ports?.map(({ name }) => name)).toContain(named?.targetPort);
});

test.each([
  ["an unknown value", "replica=3", "'replica' not allowed"],
  ["an unknown option of albc", "options.worker=3", "'worker' not allowed"],
  ["an option of another type", "options.workers=two", "'/options/workers': got string"],
  ["a variable without a name", "env[0].nam=x", "'/env/0': missing property 'name'"],
])("Helm refuses %s", (_name, value, reason) => {
  expect(() => chart(value)).toThrow(reason);
});

test("Helm installs, upgrades and removes it; the definitions stay", () => {
  // The definitions of this cluster were installed by other means.
  const words = [
    CHART,
    "--namespace",
    NAMESPACE,
    "--wait",
    "--timeout=60s",
    "--set=crds.install=false",
  ];
  helm("install", "albc", ...words);
  const options = () => kubectl(["-n", NAMESPACE, "get", "configmap", "albc", "-o", "yaml"]);
  expect(options()).toContain("shutdownDelay: 5s");
  helm("upgrade", "albc", ...words, "--set=options.shutdownDelay=7s");
  expect(options()).toContain("shutdownDelay: 7s");
  helm("uninstall", "albc", "--namespace", NAMESPACE, "--wait");
  const kinds = "deployment,service,configmap,role,rolebinding,networkpolicy,poddisruptionbudget";
  const left = kubectl([
    "-n",
    NAMESPACE,
    "get",
    kinds,
    "-o",
    "name",
    "-l=app.kubernetes.io/name=albc",
  ]);
  expect(left).toBe("");
  expect(
    kubectl(["get", "ingressclass,clusterrole", "-o", "name", "-l=app.kubernetes.io/name=albc"]),
  ).toBe("");
  const kept = objectsOf(chart()).filter(({ kind }) => kind === "CustomResourceDefinition");
  expect(kept).toHaveLength(4);
  for (const { metadata } of kept) {
    expect(metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  }
}, 180_000);

test("the pods are what the strictest admission lets in", async () => {
  const deployment = rendered().find(({ kind }) => kind === "Deployment");
  const template = deployment?.spec?.["template"] as {
    readonly spec: { readonly containers: readonly object[] };
  };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "like-the-deployment", namespace: NAMESPACE },
    spec: template.spec,
  };
  const words = ["apply", "--server-side", "--dry-run=server", "-f", "-"];
  expect(kubectl(words, JSON.stringify(pod))).toMatch("server dry run");
  // The admission is there at all.
  const containers = template.spec.containers.map((container) => ({
    ...container,
    securityContext: { privileged: true },
  }));
  const loose = { ...pod, spec: { ...template.spec, containers } };
  expect(() => kubectl(words, JSON.stringify(loose))).toThrow(/violates PodSecurity/);
});

test("selectors find the pods", () => {
  const [deployment] = rendered().filter(({ kind }) => kind === "Deployment");
  const { labels } = (deployment?.spec?.["template"] as { metadata: { labels: object } }).metadata;
  const selectors = rendered().flatMap(({ kind, spec }) => {
    if (kind === "Service") return [spec?.["selector"]];
    if (kind === "NetworkPolicy") return [(spec?.["podSelector"] as Selector).matchLabels];
    if (kind === "PodDisruptionBudget") return [(spec?.["selector"] as Selector).matchLabels];
    return [];
  });
  expect(selectors).toEqual([labels, labels, labels]);
});

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

/** A kubeconfig of the service account, written where albc can read it. */
function kubeconfigOf(account: string): string {
  const token = kubectl(["-n", NAMESPACE, "create", "token", account]).trim();
  const path = join(folder, "kubeconfig");
  writeFileSync(path, kubectl(["config", "view", "--raw", "--minify", "--flatten"]), {
    mode: 0o600,
  });
  const at = ["--kubeconfig", path];
  kubectl([...at, "config", "set-credentials", account, `--token=${token}`]);
  kubectl([...at, "config", "set-context", "--current", `--user=${account}`]);
  return path;
}

/** `albc run --kubernetes` as that account. */
class Run implements Closable {
  readonly albc: AlbcProcess;
  readonly health: Health;

  constructor(ports: { readonly http: number; readonly health: number }, kubeconfig: string) {
    this.health = new Health(ports.health);
    const words = [
      ...["run", "--kubernetes", "--dir", join(folder, "run"), "--nginx", testNginx()],
      ...["--http-port", String(ports.http), "--https-port", "0", "--workers", "2"],
      // Objects of other tests are theirs.
      ...["--controller-name", CONTROLLER, "--publish-address", "192.0.2.7"],
      ...["--selector", "test=deploy", "--gateway-addresses", ADDRESSES],
      ...["--drain-timeout", "1s", "--shutdown-delay", "1s", ...this.health.flags],
    ];
    const env = { KUBECONFIG: kubeconfig, POD_NAMESPACE: NAMESPACE, POD_NAME: "deploy-test" };
    this.albc = new AlbcProcess(words, { cwd: folder, env });
  }

  async close(): Promise<void> {
    this.albc.signal("SIGTERM");
    await this.albc.exit();
  }
}

const LABELS = { test: "deploy" };

/** A Gateway with a route, and what makes albc look at them. */
async function applyGateway(): Promise<{ readonly gateway: Manifest; readonly route: Manifest }> {
  const { namespace } = cluster;
  await cluster.apply({
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "GatewayClass" },
    ...{ metadata: { name: namespace }, spec: { controllerName: CONTROLLER } },
  });
  const gateway = gatewayOf({ name: "edge", namespace, labels: LABELS }, [await freePort()]);
  const route = httpRoute({ name: "app", namespace, labels: LABELS }, "edge", "none");
  await cluster.apply(gateway);
  await cluster.apply(route);
  return { gateway, route };
}

/** Made, kept and removed again: each takes permissions of its own. */
async function expectObjectsOf(gateway: Manifest): Promise<void> {
  const at = { name: "edge-albc", namespace: cluster.namespace };
  const service = { apiVersion: "v1", kind: "Service", metadata: at };
  const slice = {
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" },
    metadata: { ...at, name: "edge-albc-ipv4" },
  };
  const isThere = (object: Manifest) => cluster.get(object).then(() => true);
  await waitFor("the Gateway has its Service", () => isThere(service));
  await waitFor("and its endpoints", () => isThere(slice));
  await cluster.remove(service);
  await waitFor("the Service is made again", () => isThere(service));
  const isGone = (object: Manifest) =>
    cluster.get(object).then(
      () => false,
      (error: unknown) => String(error).includes("not found"),
    );
  const spec = { ...(gateway["spec"] as object), gatewayClassName: "of-somebody-else" };
  await cluster.apply({ ...gateway, spec });
  await waitFor("what is not wanted any more goes", () => isGone(service));
  await waitFor("with its endpoints", () => isGone(slice));
}

test("albc needs no permission beyond those of deploy/, gets ready, and its metrics say so", async () => {
  const kinds = ["ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"];
  const objects = objectsOf(chart("rbac.gateways=true"));
  for (const object of objects.filter(({ kind }) => kinds.includes(kind)))
    await cluster.apply(object);
  const kubeconfig = kubeconfigOf("albc");
  const ports = { http: await freePort(), health: await freePort() };
  const { albc, health } = await scene.use(Promise.resolve(new Run(ports, kubeconfig)));
  // Beside other tests, the API server takes its time.
  await waitFor("it is ready", async () => (await health.ask("/readyz")) === "200 ok", {
    deadline: 40_000,
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${albc.log}`, { cause: error });
  });

  const ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name: "published",
      namespace: cluster.namespace,
      labels: LABELS,
    },
  };
  const backend = { service: { name: "none", port: { number: 80 } } };
  await cluster.apply({ ...ingress, spec: { ingressClassName: "nginx", defaultBackend: backend } });
  await waitFor("the Ingress has its address", async () =>
    JSON.stringify(await cluster.get(ingress)).includes('"ip":"192.0.2.7"'),
  );
  const { gateway, route } = await applyGateway();
  await waitFor("the Gateway is programmed", async () =>
    JSON.stringify(await cluster.get(gateway)).includes('"reason":"Programmed"'),
  );
  await waitFor("the route is accepted", async () =>
    JSON.stringify(await cluster.get(route)).includes(CONTROLLER),
  );
  await expectObjectsOf(gateway);
  const metrics = await health.metrics();
  expect(metrics.get("albc_leader")).toBe(1);
  expect(metrics.get("albc_nginx_up")).toBe(1);
  expect(metrics.get('albc_objects{kind="Ingress"}')).toBeGreaterThan(0);
  const written = metrics.get('albc_status_writes_total{kind="Ingress",result="written"}');
  expect(written).toBeGreaterThan(0);
  const errors = [...metrics.keys()].filter((name) => /watch_errors|result="error"/.test(name));
  expect(errors).toEqual([]);
  expect(albc.lines.filter(({ text }) => /forbidden/i.test(text))).toEqual([]);

  albc.signal("SIGTERM");
  await waitFor("it says so", async () => (await health.ask("/readyz")) === "503 stopping");
  expect(await health.ask("/healthz")).toBe("200 ok");
  expect((await albc.exit()).code).toBe(0);
}, 90_000);
