import {
  INGRESS_NGINX_NAMES,
  inIngressNginxNames,
} from "../../../src/health/ingress-nginx-names.js";
import {
  DATA_PLANE_METRICS,
  type MetricRow,
  ROUTE_METRICS,
  RUN_METRICS,
} from "../../../src/health/metrics-table.js";

const CONSTANT = { controller_class: "k8s.io/ingress-nginx", controller_pod: "albc-0" };
const ADDED = 'controller_class="k8s.io/ingress-nginx",controller_pod="albc-0"';

test("metrics of ingress-nginx are renamed, labels too, and others are left out", () => {
  const route = 'namespace="shop",kind="Ingress",name="web",rule="a\\",name=\\""';
  const text = [
    "# HELP albc_route_requests_total Requests.",
    "# TYPE albc_route_requests_total counter",
    `albc_route_requests_total{${route},status="2xx"} 7`,
    `albc_route_request_duration_seconds_bucket{${route},le="+Inf"} 9`,
    `albc_route_upstream_duration_seconds_sum{${route}} 2.25`,
    `albc_route_response_bytes_total{${route}} 900`,
    'albc_certificate_expire_time_seconds{namespace="n",name="s"} 1767225600',
    "# TYPE albc_config_hash gauge",
    "albc_config_hash 15",
    'albc_objects{kind="Ingress"} 2',
    "process_cpu_seconds_total 3",
    "",
  ].join("\n");
  const theirs = route.replace(',name="web"', ',ingress="web"');
  expect(inIngressNginxNames(text, CONSTANT).split("\n").slice(0, -7)).toEqual([
    "# HELP nginx_ingress_controller_requests Requests.",
    "# TYPE nginx_ingress_controller_requests counter",
    `nginx_ingress_controller_requests{${ADDED},${theirs},status="2xx"} 7`,
    `nginx_ingress_controller_request_duration_seconds_bucket{${ADDED},${theirs},le="+Inf"} 9`,
    `nginx_ingress_controller_response_duration_seconds_sum{${ADDED},${theirs}} 2.25`,
    `nginx_ingress_controller_response_size_sum{${ADDED},${theirs}} 900`,
    `nginx_ingress_controller_ssl_expire_time_seconds{${ADDED},namespace="n",secret_name="s"} 1767225600`,
    "# TYPE nginx_ingress_controller_config_hash gauge",
    `nginx_ingress_controller_config_hash{${ADDED}} 15`,
  ]);
});

test("what reached nginx is one series, and what did not another, as in ingress-nginx", () => {
  const outcomes = {
    started: 1,
    swapped: 20,
    reloaded: 300,
    unchanged: 4000,
    refused: 5,
    error: 60,
  };
  const text = Object.entries(outcomes)
    .map(([outcome, count]) => `albc_config_applies_total{outcome="${outcome}"} ${String(count)}\n`)
    .join("");
  const lines = inIngressNginxNames(text, CONSTANT)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual([
    `nginx_ingress_controller_success{${ADDED}} 321`,
    `nginx_ingress_controller_errors{${ADDED}} 65`,
  ]);
});

test("every renamed metric and label exists", () => {
  const tables: readonly Readonly<Record<string, MetricRow>>[] = [
    RUN_METRICS,
    DATA_PLANE_METRICS,
    ROUTE_METRICS,
  ];
  const rows = tables.flatMap((table) => Object.values(table));
  const labelsOf = new Map(rows.map(({ name, labels = [] }) => [name, labels]));
  for (const [own, { labels = {} }] of INGRESS_NGINX_NAMES) {
    expect(labelsOf.get(own)).toEqual(expect.arrayContaining(Object.keys(labels)));
  }
});
