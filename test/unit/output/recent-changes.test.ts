import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecentChanges, readChanges } from "../../../src/output/recent-changes.js";
import { useTempFolder } from "../../support/temp-folder.js";
import { until } from "../../support/until.js";

const folder = useTempFolder();
const RUN = { version: "1.2.3", pod: "albc-0", namespace: "albc" };

async function written(count: number) {
  let { changes } = await readChanges(folder());
  await until(async () => {
    ({ changes } = await readChanges(folder()));
    return changes.length === count;
  });
  return changes.map(({ outcome, cause, objects, more }) => [outcome, cause, objects, more]);
}

test("it keeps what changed, newest first, and what the run before has applied", async () => {
  const first = await RecentChanges.open(folder(), false, RUN);
  first.record({ outcome: "started", milliseconds: 9, version: "v1" });
  first.note(["Ingress a/one", "Service a/two"]);
  first.record({ outcome: "swapped", milliseconds: 8, version: "v2" });
  await written(2);
  const second = await RecentChanges.open(folder(), false, RUN);
  second.record({ outcome: "started", milliseconds: 7, version: "v2" });
  expect(await written(3)).toEqual([
    ["started", "all objects", [], 0],
    ["swapped", undefined, ["Ingress a/one", "Service a/two"], 0],
    ["started", "all objects", [], 0],
  ]);
  expect(statSync(join(folder(), "changes.json")).mode & 0o777).toBe(0o600);
});

test("a cause that is no object is that of the next change which is served", async () => {
  const changes = await RecentChanges.open(folder(), false, RUN);
  changes.record({ outcome: "error", milliseconds: 1, reason: "no" });
  changes.record({ outcome: "swapped", milliseconds: 1, version: "v1" });
  changes.because("certificate expired");
  changes.record({ outcome: "swapped", milliseconds: 1, version: "v2" });
  changes.because("nginx restarted");
  changes.record({ outcome: "unchanged", milliseconds: 1, version: "v2" });
  changes.note(["Ingress a/one"]);
  changes.record({ outcome: "swapped", milliseconds: 1, version: "v3" });
  expect(await written(4)).toEqual([
    ["swapped", undefined, ["Ingress a/one"], 0],
    ["swapped", "certificate expired", [], 0],
    ["swapped", "all objects", [], 0],
    ["error", "all objects", [], 0],
  ]);
});

test("a failure that is repeated is one change, and its objects stay changed until they are served", async () => {
  const changes = await RecentChanges.open(folder(), true, RUN);
  changes.record({ outcome: "started", milliseconds: 9, version: "v1" });
  changes.note(["Ingress a/one"]);
  for (let i = 0; i < 3; i++) {
    changes.record({ outcome: "refused", milliseconds: i, reason: "no" });
  }
  changes.note(["Ingress a/two"]);
  changes.record({ outcome: "reloaded", milliseconds: 8, version: "v2" });
  changes.note(["Ingress a/ignored"]);
  changes.record({ outcome: "unchanged", milliseconds: 1, version: "v2" });
  changes.note(["Ingress a/one"]);
  changes.record({ outcome: "swapped", milliseconds: 1, version: "v3" });
  expect(await written(4)).toEqual([
    ["swapped", undefined, ["Ingress a/one"], 0],
    ["reloaded", undefined, ["Ingress a/one", "Ingress a/two"], 0],
    ["refused", undefined, ["Ingress a/one"], 0],
    ["started", "all objects", [], 0],
  ]);
  expect(statSync(join(folder(), "changes.json")).mode & 0o777).toBe(0o640);
});

test("the file is small, whatever changes, and names endpoints last", async () => {
  const changes = await RecentChanges.open(folder(), false, RUN);
  const slices = Array.from({ length: 2000 }, (_, i) => `EndpointSlice a/${String(i)}`);
  for (let i = 0; i < 60; i++) {
    changes.note([...slices, "Ingress a/one"]);
    changes.record({ outcome: "swapped", milliseconds: i, version: "v", reason: "x".repeat(9999) });
  }
  const found = await written(50);
  expect(found[0]).toEqual(["swapped", undefined, ["Ingress a/one", ...slices.slice(0, 4)], 1996]);
  expect(readFileSync(join(folder(), "changes.json")).length).toBeLessThan(50_000);
});

test("a file of another form is no change", async () => {
  for (const text of ["", "{", '{"changes":3}', '{"changes":[{"at":"now","outcome":3}]}']) {
    writeFileSync(join(folder(), "changes.json"), text);
    expect(await readChanges(folder())).toEqual({
      changes: [],
      waiting: [],
      broken: [],
      unreadable: [],
    });
  }
});

test("it says which albc runs, and which files can't be read", async () => {
  const changes = await RecentChanges.open(folder(), false, RUN);
  const input = { waiting: [], broken: ["a.yaml", "b.yaml"], unreadable: ["b.yaml"] };
  changes.know(input);
  let known = await readChanges(folder());
  await until(async () => {
    known = await readChanges(folder());
    return known.run !== undefined;
  });
  expect(known).toEqual({ run: RUN, changes: [], ...input });
});
