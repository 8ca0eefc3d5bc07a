import { readFileSync } from "node:fs";
import { page, runSection, runsOf, withRun } from "../../e2e/bench/page.js";

const PAGE = new URL("../../docs/benchmarks.md", import.meta.url);

function run(day: number): string {
  const nothing = { value: NaN, error: NaN };
  const flood = {
    ...{ rate: nothing, p99Before: nothing, p99During: nothing },
    ...{ load: nothing, wrongPassword: nothing },
  };
  return runSection({
    date: new Date(Date.UTC(2026, 0, day, 12, 30)),
    machine: [`machine ${day}`],
    absences: [],
    results: { suites: [], flood, compile: [], changes: [], idle: [] },
  });
}

function headings(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("## Run of "));
}

test("a page keeps the runs that it has, each with its date and machine, newest first", () => {
  const text = withRun(withRun(page([]), run(1)), run(2));
  expect(headings(text)).toEqual([
    "## Run of 2026-01-02 12:30 UTC",
    "## Run of 2026-01-01 12:30 UTC",
  ]);
  expect(text.indexOf("machine 2")).toBeLessThan(text.indexOf("machine 1"));
  expect(runsOf(text)).toEqual([run(2), run(1)]);
});

test("a fourth run replaces the oldest", () => {
  const text = [1, 2, 3, 4].map(run).reduce(withRun, page([]));
  expect(headings(text)).toEqual([
    "## Run of 2026-01-04 12:30 UTC",
    "## Run of 2026-01-03 12:30 UTC",
    "## Run of 2026-01-02 12:30 UTC",
  ]);
  expect(text).not.toContain("machine 1");
});

test("docs/benchmarks.md describes the method as the bench does", () => {
  const text = readFileSync(PAGE, "utf8");
  expect(page(runsOf(text))).toBe(text);
});
