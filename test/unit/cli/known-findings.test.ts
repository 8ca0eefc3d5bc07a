import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { baselineOf, unknownFindings } from "../../../src/cli/known-findings.js";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const OBJECT = { apiVersion: "v1", kind: "Service", namespace: "shop", name: "a" };
const FIRST: Diagnostic = {
  ...{ code: "SERVICE_NOT_FOUND", severity: "error", message: "first", resource: OBJECT },
  location: { file: "a.yaml", line: 1, column: 1 },
};
const OTHER: Diagnostic = { ...FIRST, resource: { ...OBJECT, namespace: "b" } };
const FILE: Diagnostic = {
  ...{ code: "FILE_UNREADABLE", severity: "error", message: "no" },
  location: { file: "a\nSERVICE_NOT_FOUND Service b/a", line: 1, column: 1 },
};

test("a problem is known by its code and object, or file", () => {
  const baseline = join(folder(), "known");
  writeFileSync(baseline, baselineOf([FILE, FIRST, FIRST]));
  const known = { ignore: [], baseline };
  const moved = { ...FIRST, message: "second" };
  expect(unknownFindings([moved, FIRST, FILE], known)).toEqual([]);
  // A file's name makes no line of its own.
  expect(unknownFindings([OTHER], known)).toEqual([OTHER]);
  const ignored = { ignore: ["SERVICE_NOT_FOUND"], baseline: undefined };
  expect(unknownFindings([FIRST, OTHER, FILE], ignored)).toEqual([FILE]);
});

test.each(["kind: Service", "SERVICE_NOT_FOUND", "NO_SUCH_CODE Service shop/a"])(
  "a baseline with the line %s is another file",
  (line) => {
    const baseline = join(folder(), "known");
    writeFileSync(baseline, `${baselineOf([FIRST])}\n${line}\n`);
    expect(() => unknownFindings([FIRST], { ignore: [], baseline })).toThrow(
      `${baseline}:3: ${JSON.stringify(line)} is not a code and an object; --write-baseline ${baseline} writes the file again`,
    );
  },
);
