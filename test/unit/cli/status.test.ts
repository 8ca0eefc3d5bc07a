import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatStatus, runStatus } from "../../../src/cli/status.js";
import type { RunStatus } from "../../../src/health/run-status.js";
import type { RecentChange } from "../../../src/output/recent-changes.js";
import { compiled } from "../../support/diffed.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const { policy } = compiled("");

const STATUS: RunStatus = {
  version: "a".repeat(32),
  listeners: [{ port: 443, tls: true, hosts: ["", "*.example"], names: 2, bindings: 3 }],
  routes: 3,
  protectedRoutes: 1,
  upstreams: 1,
  endpoints: 2,
  empty: ["shop/web/80"],
  broken: [
    {
      object: "Ingress shop/a\u001b[31m",
      paths: ["a.example/…", "b.example/x"],
      reason: `503 ${"x".repeat(100)}`,
    },
  ],
  run: { version: "1.2.3", pod: "albc-0", namespace: "albc" },
  ...{ brokenFiles: ["a.yaml", "b.yaml"], unreadable: ["b.yaml"] },
  workers: [
    { pid: 7, generation: 1, version: "a".repeat(32) },
    { pid: 8, generation: 1, version: "b".repeat(32) },
  ],
  expected: 2,
  out: [{ upstream: "shop/web/80", endpoint: "10.0.0.9:80", reason: "closed_early", since: 9 }],
  changes: [
    change("refused", ["Gateway shop/gw"], { reason: "bind() failed" }),
    change("swapped", ["Ingress shop/a", "Ingress shop/b (removed)"], { more: 3 }),
    change("swapped", []),
    ...Array.from({ length: 9 }, () => change("started", [], { cause: "all objects" })),
  ],
  waiting: [{ namespace: "shop", until: "2026-11-26T07:31:20Z", objects: ["TLSRoute shop/db"] }],
};

function change(
  outcome: string,
  objects: readonly string[],
  rest: Partial<RecentChange> = {},
): RecentChange {
  return { at: "2026-11-26T07:31:05.123Z", outcome, milliseconds: 38, objects, more: 0, ...rest };
}

test("the tables fit a terminal, and show workers, what is broken, listeners and changes", () => {
  const lines = formatStatus(STATUS, 80).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(80);
  expect(lines).toEqual(
    expect.arrayContaining([
      "state      1 of 2 workers serve the policy, 1 broken object, 2 unreadable files",
      "albc       1.2.3, pod albc/albc-0",
      "workers    1 of 2 serve it",
      `           pid 8 serves ${"b".repeat(32)}`,
      "routes     3, 1 with auth of their own",
      "BROKEN (1)",
      "UNREADABLE FILES (2)",
      "  FILE    SERVED",
      "  a.yaml  its last valid content",
      "  b.yaml  nothing of it",
      "ENDPOINTS THAT CAN'T BE REACHED (1)",
      "  10.0.0.9:80  shop/web/80  1970-01-01T00:00:09Z  closed_early",
      "WITHOUT ENDPOINTS (1)",
      "  PORT  SCHEME  NAMES  BINDINGS  HOSTS",
      "  443   https   2      3         any *.example",
      "RECENT CHANGES (12)",
      "  TIME                  OUTCOME  TOOK   CAUSE",
      "  2026-11-26T07:31:05Z  refused  38 ms  Gateway shop/gw: bind() failed",
      "  2026-11-26T07:31:05Z  swapped  38 ms  Ingress shop/a, Ingress shop/b (removed…",
      "  2026-11-26T07:31:05Z  started  38 ms  all objects",
      "  2026-11-26T07:31:05Z  swapped  38 ms  unknown",
      "  and 2 more",
    ]),
  );
  expect(lines.join("")).not.toContain("\u001b");
  const whole = `  Ingress shop/a\\u001b[31m  a.example/…, b.example/x  503 ${"x".repeat(100)}`;
  expect(formatStatus(STATUS, 200).split("\n")).toContain(whole);
  expect(formatStatus(STATUS).split("\n")).toContain(whole);
});

test("it is fine when every worker serves the policy and nothing is broken", () => {
  const workers = [{ pid: 7, generation: 1, version: "a".repeat(32) }];
  const text = formatStatus({
    ...STATUS,
    broken: [],
    brokenFiles: [],
    empty: [],
    workers,
    expected: 1,
  });
  expect(text).toMatch(/^state {6}all of the policy is served\n/);
  expect(text).not.toMatch(/BROKEN|WITHOUT/);
  const scaled = formatStatus({ ...STATUS, broken: [], brokenFiles: [], workers, expected: 1 });
  expect(scaled).toMatch(/^state {6}1 upstream without endpoints\n/);
});

test("a folder without a running nginx is no success", async () => {
  writeFileSync(join(folder(), "policy.json"), JSON.stringify(policy));
  const said: string[] = [];
  const write = (text: string) => void said.push(text);
  const status = await runStatus(
    {
      ...{ command: "status", paths: [], kubernetes: false, config: undefined, flags: {} },
      ...{ folder: folder(), watch: false, format: "text" },
    },
    {
      write,
      writeError: write,
      progress: () => undefined,
      colours: false,
      variables: {},
      readInput: () => Promise.resolve(""),
    },
  );
  expect(status).toBe(1);
  expect(said.join("")).toContain("workers    unknown: the data plane can't be reached");
});
