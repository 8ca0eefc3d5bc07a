/** The dashboards and alerts of the chart, asked of the real Prometheus while requests come. */
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { type Server, createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { load as parseYaml } from "js-yaml";
import { RunMetrics } from "../../src/health/metrics.js";
import { selfSigned } from "../harness/certificates.js";
import { asking, EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { apr1, basic } from "../harness/htpasswd.js";
import { ingress, nginx, secret, service, tlsSecret, yaml } from "../harness/manifests.js";
import { type Prometheus, startPrometheus } from "../harness/prometheus.js";
import { Scene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const FILES = join(import.meta.dirname, "../../deploy/chart/files");
const ALERTS = join(FILES, "alerts.yaml");
const LONGEST_START = 120_000;

const scene = new Scene();
let prometheus: Prometheus;
let ends = false;
let load: Promise<void> | undefined;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const [healthPort, collectorPort] = [await freePort(), await freePort()];
  const gateway = await scene.use(
    Gateway.start({
      files: { "site.yaml": await site(backend.port) },
      flags: [
        ...["--health-address", `127.0.0.1:${String(healthPort)}`],
        // The last of the routes has no metrics of its own.
        ...["--route-metrics", "5", "--ingress-nginx-metrics"],
        ...["--tracing", "spans", "--trace-address", `127.0.0.1:${await freePort()}`],
      ],
      // No collector listens there.
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}` },
      errors: [/no such secret|AUTH_|missing|spans can't be exported/i],
    }),
  );
  prometheus = await scene.use(startPrometheus([healthPort, await clusterMetrics()], ALERTS));
  load = sendUntilTheEnd(gateway);
}, LONGEST_START);

afterAll(async () => {
  ends = true;
  await load;
  await scene.close();
});

async function site(port: number): Promise<string> {
  const on = (host: string) => ({ hosts: { [host]: [{ service: "web" }] } });
  const withSecret = (name: string) => nginx({ "auth-type": "basic", "auth-secret": name });
  return yaml(
    service("web", [{ port }]),
    secret("users", { auth: `ann:${await apr1("secret")}` }),
    tlsSecret("tls", await selfSigned("open.example")),
    ingress("open", {
      ...on("open.example"),
      tls: [{ hosts: ["open.example"], secretName: "tls" }],
      annotations: nginx({ "ssl-redirect": "false" }),
    }),
    ingress("guarded", { ...on("guarded.example"), annotations: withSecret("users") }),
    ingress("broken", { ...on("broken.example"), annotations: withSecret("missing") }),
    ingress("last", on("last.example")),
  );
}

/** What only a run on a cluster reports, by the code that reports it. */
async function clusterMetrics(): Promise<number> {
  const metrics = new RunMetrics("0.0.0");
  metrics.leads(true);
  const server: Server = createServer((_request, response) => {
    metrics.watchFailed("Ingress");
    metrics.statusesWritten("Ingress", "error", 1);
    void metrics.text().then((text) => response.end(text));
  });
  const port = await listen(server);
  await scene.use(
    Promise.resolve({
      close: async () => {
        server.closeAllConnections();
        await promisify(server.close.bind(server))();
      },
    }),
  );
  return port;
}

/** Changes, and requests of all kinds, again and again. */
async function sendUntilTheEnd(gateway: Gateway): Promise<void> {
  for (let round = 0; !ends; round += 1) {
    const name = `change-${String(round % 2)}`;
    await gateway.write(
      "change.yaml",
      yaml(ingress(name, { hosts: { [`${name}.example`]: [{ service: "web" }] } })),
    );
    await gateway.send({ host: "open.example", method: "POST", body: "x" });
    await gateway.send({ host: "open.example", headers: [asking({ status: 503 })] });
    await gateway.send({ host: "open.example", headers: [asking({ status: 404 })] });
    await gateway.send({ host: "guarded.example" });
    await gateway.send({
      host: "guarded.example",
      headers: [["Authorization", basic("ann", "secret")]],
    });
    await gateway.send({
      host: "guarded.example",
      headers: [["Authorization", basic("ann", "wrong")]],
    });
    await gateway.send({ host: "broken.example" });
    await gateway.send({ host: "last.example" });
  }
}

/** Waits until the expression has a value. */
async function answered(expression: string): Promise<void> {
  await waitFor(`data for ${expression}`, async () => {
    const samples = await prometheus.query(expression);
    return samples.some(({ value }) => !Number.isNaN(value));
  });
}

/** What Grafana puts in place of variables; rates over a few scrapes. */
function withoutVariables(expression: string): string {
  return expression
    .replaceAll("$__rate_interval", "10s")
    .replace(/\$(?:instance|namespace|kind|name)\b/g, ".*");
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: {
    readonly list: readonly {
      readonly type: string;
      readonly query: string | { readonly query: string };
    }[];
  };
}

const dashboards = readdirSync(join(FILES, "dashboards")).map((file) => {
  const board = JSON.parse(readFileSync(join(FILES, "dashboards", file), "utf8")) as Dashboard;
  return [file, board] as const;
});

describe.each(dashboards)("%s", (_file, { panels, templating }) => {
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );

  it.each(queries)("%s: %s", async (_title, expression) => {
    await answered(withoutVariables(expression));
  });

  it("has values for its variables", async () => {
    for (const { type, query } of templating.list) {
      if (type !== "query") continue;
      const text = typeof query === "string" ? query : query.query;
      const [, metric = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(text) ?? [];
      await waitFor(`values of ${text}`, async () => {
        const found = await prometheus.query(`count by (${label}) (${withoutVariables(metric)})`);
        return found.some(({ labels }) => labels[label] !== undefined);
      });
    }
  });
});

const { groups } = parseYaml(readFileSync(ALERTS, "utf8")) as {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
};
const rules = groups.flatMap((group) => group.rules);

test.each(rules.map(({ alert, expr }) => [alert, expr] as const))(
  "both sides of %s exist: %s",
  async (_alert, expr) => {
    // The comparison gives 0 or 1 instead of nothing or the left side. Only operators have blanks around them.
    const compared = expr.replace(/ (==|!=|<|>) /, " $1 bool ");
    expect(compared).toContain(" bool ");
    await answered(compared.replaceAll(/\[\d+m\]/g, "[10s]"));
  },
);

test("promtool accepts the rules, and each alert fires in its state only", async () => {
  const run = promisify(execFile);
  await run("promtool", ["check", "rules", ALERTS]);
  const tests = join(import.meta.dirname, "monitoring.rules.yaml");
  const text = readFileSync(tests, "utf8");
  for (const { alert } of rules) expect(text).toContain(`alertname="${alert}"`);
  const page = readFileSync(join(FILES, "../../../docs/monitoring.md"), "utf8");
  for (const { alert } of rules) expect(page).toContain(`\`${alert}\``);
  await run("promtool", ["test", "rules", tests]);
});

test("an alert names the object whose auth is broken", async () => {
  const alert = await waitFor("the alert", async () => {
    const found = await prometheus.query('ALERTS{alertname="AlbcAuthBroken"}');
    return found.length > 0 && found;
  });
  expect(
    alert.map(({ labels: { namespace, kind, name, rule } }) => ({ namespace, kind, name, rule })),
  ).toEqual([{ namespace: "default", kind: "Ingress", name: "broken", rule: "0-0" }]);
});

test("the queries of ingress-nginx's dashboards have data with its names", async () => {
  const by = 'controller_class=~".*",namespace=~".*",ingress=~".*"';
  for (const expression of [
    `sum(rate(nginx_ingress_controller_requests{${by},status!~"[4-5].*"}[10s])) by (ingress)`,
    `sum(rate(nginx_ingress_controller_requests{${by},status=~"[4-5].*"}[10s])) by (ingress)`,
    `histogram_quantile(0.99, sum(rate(nginx_ingress_controller_request_duration_seconds_bucket{ingress!="",${by}}[10s])) by (le, ingress))`,
    `histogram_quantile(0.99, sum(rate(nginx_ingress_controller_response_duration_seconds_bucket{${by}}[10s])) by (le))`,
    `sum(irate(nginx_ingress_controller_request_size_sum{${by}}[10s]))`,
    `sum(irate(nginx_ingress_controller_response_size_sum{${by}}[10s]))`,
    "sum(avg_over_time(nginx_ingress_controller_nginx_process_connections[10s]))",
    'count(nginx_ingress_controller_config_last_reload_successful{controller_pod!=""} == 1)',
    // One series: the average would otherwise be of outcomes.
    'avg(irate(nginx_ingress_controller_success{controller_class=~".*"}[10s])) * 60 > 0',
    "sum(nginx_ingress_controller_errors) == 0",
    "avg(nginx_ingress_controller_ssl_expire_time_seconds) by (secret_name) - time()",
  ]) {
    await answered(expression);
  }
});
