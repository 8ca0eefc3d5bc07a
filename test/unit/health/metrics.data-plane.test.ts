import { dataPlaneMetrics } from "../../../src/health/metrics.js";
import { formatMetric } from "../../../src/health/text-format.js";
import { type DataPlaneCounters, readCounters } from "../../../src/output/control-client.js";

const COUNTERS: DataPlaneCounters = {
  responses: { "404": 1, "200": 7 },
  auth: { passed: 3, basic_wrong: 1 },
  answers: { parsed: 2, known: 5 },
  durations: { bounds: [0.005, 0.5], counts: [4, 3, 1], sum: 2.25 },
  connections: { active: 2 },
  outages: { "shop/web/80\tconnect_failed": 3 },
  out: { "shop/web/80": 1 },
};
const workers = [
  { pid: 1, generation: 1, version: "0000000000ff" },
  { pid: 2, generation: 1, version: "000000000001" },
];

const rows = () => Promise.resolve({ bounds: [], outcomes: [], rows: [] });

test("what the data plane counted, in Prometheus' format", async () => {
  const parts = await dataPlaneMetrics({
    status: () => Promise.resolve({ version: "v", expected: 2, workers }),
    counters: () => Promise.resolve(COUNTERS),
    rows,
  });
  const text = parts.join("");
  expect(text.split("\n").filter((line) => !line.startsWith("#"))).toEqual([
    "albc_nginx_up 1",
    "albc_nginx_workers_expected 2",
    'albc_nginx_worker_config_hash{worker="0"} 255',
    'albc_nginx_worker_config_hash{worker="1"} 1',
    'albc_http_responses_total{code="200"} 7',
    'albc_http_responses_total{code="404"} 1',
    'albc_http_header_duration_seconds_bucket{le="0.005"} 4',
    'albc_http_header_duration_seconds_bucket{le="0.5"} 7',
    'albc_http_header_duration_seconds_bucket{le="+Inf"} 8',
    "albc_http_header_duration_seconds_sum 2.25",
    "albc_http_header_duration_seconds_count 8",
    'albc_auth_checks_total{outcome="basic_wrong"} 1',
    'albc_auth_checks_total{outcome="passed"} 3',
    'albc_auth_answers_total{outcome="known"} 5',
    'albc_auth_answers_total{outcome="parsed"} 2',
    'albc_nginx_connections{state="active"} 2',
    'albc_endpoints_out{namespace="shop",service="web",port="80"} 1',
    'albc_endpoint_outages_total{namespace="shop",service="web",port="80",reason="connect_failed"} 3',
    "",
  ]);
  expect(text).toContain("# TYPE albc_http_header_duration_seconds histogram\n");
});

test("a data plane that does not answer is down, and nothing else is said of it", async () => {
  const parts = await dataPlaneMetrics({
    status: () => Promise.reject(new Error("away")),
    counters: () => Promise.resolve(COUNTERS),
    rows,
  });
  const text = parts.join("");
  expect(text.split("\n").filter((line) => !line.startsWith("#"))).toEqual(["albc_nginx_up 0", ""]);
});

test("labels and help are escaped", () => {
  const row = { name: "a", type: "gauge", help: "b\\\nc" } as const;
  expect(formatMetric(row, [{ labels: { l: 'x"\\\n' }, value: 1 }])).toBe(
    '# HELP a b\\\\\\nc\n# TYPE a gauge\na{l="x\\"\\\\\\n"} 1\n',
  );
});

test.each(["", "{}", "[]", '{"durations":{"bounds":[1],"counts":[1],"sum":0}}'])(
  "no counters: %s",
  (text) => {
    expect(readCounters(text)).toBeUndefined();
  },
);

test("counters are read as they are written", () => {
  expect(readCounters(JSON.stringify(COUNTERS))).toEqual(COUNTERS);
});
