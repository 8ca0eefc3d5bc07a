import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatStatus, runStatus } from "../../../src/cli/status.js";
import { compiled } from "../../support/diffed.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const { policy } = compiled("");

const STATUS = {
  version: "a".repeat(32),
  listeners: [{ port: 443, tls: true, hosts: ["", "*.example"], names: 2, bindings: 3 }],
  routes: 3,
  protectedRoutes: 1,
  upstreams: 1,
  endpoints: 2,
  empty: ["shop/web/80"],
  broken: [{ object: "Ingress shop/a\u001b[31m", reason: `503 ${"x".repeat(100)}` }],
  workers: [
    { pid: 7, generation: 1, version: "a".repeat(32) },
    { pid: 8, generation: 1, version: "b".repeat(32) },
  ],
  expected: 2,
};

test("the table fits a terminal, and shows workers, listeners and what is broken", () => {
  const lines = formatStatus(STATUS).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(80);
  expect(lines).toEqual(
    expect.arrayContaining([
      "workers    1 of 2 serve it",
      `           pid 8 serves ${"b".repeat(32)}`,
      "routes     3, 1 with auth of their own",
      "443    https   2        3         any *.example",
      "BROKEN (1)",
      "WITHOUT ENDPOINTS (1)",
    ]),
  );
  expect(lines.join("")).not.toContain("\u001b");
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
      colours: false,
      variables: {},
      readInput: () => Promise.resolve(""),
    },
  );
  expect(status).toBe(1);
  expect(said.join("")).toContain("workers    unknown: the data plane can't be reached");
});
