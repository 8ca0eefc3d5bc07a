import { routeMetrics } from "../../../src/health/route-metrics.js";
import { type DataPlaneRows, readRows } from "../../../src/output/control-client.js";

const HEAD = { bounds: [5, 100], outcomes: ["passed", "signin"], width: 16 };

/** As lua/alb/phases/control.lua sends them. */
function sent(rows: Readonly<Record<string, readonly number[]>>, head: object = HEAD): Buffer {
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head)}\n`),
    ...Object.entries(rows).flatMap(([key, values]) => [
      Buffer.from(`${key}\n`),
      Buffer.from(Float64Array.from({ length: HEAD.width }, (_, i) => values[i] ?? 0).buffer),
    ]),
  ]);
}

function linesOf(rows: DataPlaneRows | undefined): readonly string[] {
  if (rows === undefined) throw new Error("the rows can't be read");
  return Buffer.concat(routeMetrics(rows))
    .toString()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
}

test("a route's classes, times and bytes, an auth policy's outcomes, and the others", () => {
  const rows = readRows(
    sent({
      // Classes, three buckets and their sum in ms twice, bytes sent and received.
      "qingress/shop/web/0-1": [0, 7, 0, 2, 0, 6, 2, 1, 2250, 5, 1, 1, 2000, 900, 400],
      qrule: [1],
      q: [0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 12, 10],
      "aauthpolicy/shop/users": [4, 1],
      "bhttproute/shop/api/0": [0, 2],
    }),
  );
  const web = 'namespace="shop",kind="Ingress",name="web",rule="0-1"';
  const other = 'namespace="",kind="other",name="",rule=""';
  expect(linesOf(rows)).toEqual([
    `albc_route_requests_total{${web},status="2xx"} 7`,
    `albc_route_requests_total{${web},status="4xx"} 2`,
    'albc_route_requests_total{namespace="",kind="Rule",name="",rule="",status="1xx"} 1',
    `albc_route_requests_total{${other},status="5xx"} 3`,
    `albc_route_request_duration_seconds_bucket{${web},le="0.005"} 6`,
    `albc_route_request_duration_seconds_bucket{${web},le="0.1"} 8`,
    `albc_route_request_duration_seconds_bucket{${web},le="+Inf"} 9`,
    `albc_route_request_duration_seconds_sum{${web}} 2.25`,
    `albc_route_request_duration_seconds_count{${web}} 9`,
    `albc_route_request_duration_seconds_bucket{${other},le="0.005"} 3`,
    `albc_route_request_duration_seconds_bucket{${other},le="0.1"} 3`,
    `albc_route_request_duration_seconds_bucket{${other},le="+Inf"} 3`,
    `albc_route_request_duration_seconds_sum{${other}} 0`,
    `albc_route_request_duration_seconds_count{${other}} 3`,
    `albc_route_upstream_duration_seconds_bucket{${web},le="0.005"} 5`,
    `albc_route_upstream_duration_seconds_bucket{${web},le="0.1"} 6`,
    `albc_route_upstream_duration_seconds_bucket{${web},le="+Inf"} 7`,
    `albc_route_upstream_duration_seconds_sum{${web}} 2`,
    `albc_route_upstream_duration_seconds_count{${web}} 7`,
    `albc_route_request_bytes_total{${web}} 400`,
    'albc_route_request_bytes_total{namespace="",kind="Rule",name="",rule=""} 0',
    `albc_route_request_bytes_total{${other}} 10`,
    `albc_route_response_bytes_total{${web}} 900`,
    'albc_route_response_bytes_total{namespace="",kind="Rule",name="",rule=""} 0',
    `albc_route_response_bytes_total{${other}} 12`,
    'albc_auth_policy_checks_total{namespace="shop",kind="AuthPolicy",name="users",rule="",outcome="passed"} 4',
    'albc_auth_policy_checks_total{namespace="shop",kind="AuthPolicy",name="users",rule="",outcome="signin"} 1',
    'albc_auth_policy_checks_total{namespace="shop",kind="HTTPRoute",name="api",rule="0",outcome="signin"} 2',
    "",
  ]);
});

test("numbers that contain a line break's byte are read", () => {
  const [breaks = 0] = new Float64Array(new Uint8Array(8).fill(10).buffer);
  const [row] = readRows(sent({ "qa/b/c/d": [breaks, 10] }))?.rows ?? [];
  expect(row?.id).toBe("a/b/c/d");
  expect(row?.values.slice(0, 2)).toEqual(Float64Array.of(breaks, 10));
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["no description", Buffer.from("{}\n")],
  ["half a row", sent({ q: [1] }).subarray(0, -1)],
  ["a row without numbers", Buffer.concat([sent({}), Buffer.from("q")])],
])("no rows: %s", (_, body) => {
  expect(readRows(body)).toBeUndefined();
});
