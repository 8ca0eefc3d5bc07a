import { readdir } from "node:fs/promises";
import { DIAGNOSTIC_CATALOG, type DiagnosticCode } from "../../src/diagnostics/catalog.js";
import { formatText } from "../../src/diagnostics/format.js";
import { writeFiles } from "../../src/output/files.js";
import {
  actualOutput,
  compileCase,
  expectedOutput,
  goldenCases,
  updateExpected,
} from "../support/golden-case.js";
import { useTempFolder } from "../support/temp-folder.js";

/** A password hash of any kind, a private key, base64 of either. */
const SECRET = /\$(?:apr1|2[aby]|[156])\$|\{SHA\}|PRIVATE KEY|JGFwcjEk|UFJJVkFURSBLRV/;
const folder = useTempFolder();
const UPDATE = process.env["UPDATE_GOLDEN"] === "1";

test.each(goldenCases().map((golden) => [golden.name, golden] as const))("%s", (_name, golden) => {
  const actual = actualOutput(golden);
  if (UPDATE) updateExpected(golden, actual);
  const expected = expectedOutput(golden);
  expect(expected.size).toBeGreaterThan(0);
  expect([...expected.keys()].sort()).toEqual([...actual.keys()].sort());
  for (const [name, contents] of actual)
    expect({ name, contents: expected.get(name) }).toEqual({ name, contents });
});

test("every diagnostic code has a case that shows it", () => {
  const shown = new Set(
    goldenCases().flatMap((golden) => compileCase(golden).diagnostics.map(({ code }) => code)),
  );
  // Bugs are what no input is known to cause; test/unit/translate/faulty-objects.test.ts makes one. One needs hundreds of objects, and one an nginx.
  expect(
    Object.keys(DIAGNOSTIC_CATALOG).filter((code) => !shown.has(code as DiagnosticCode)),
  ).toEqual(["INTERNAL_ERROR", "RELOAD_WAITS", "BACKEND_TLS_OVER_BUDGET"]);
});

test("stale files of all that is written can be told from a user's", async () => {
  for (const golden of goldenCases()) {
    const { files } = compileCase(golden);
    await writeFiles(folder(), files);
    await writeFiles(folder(), []);
    const entries = await readdir(folder(), { recursive: true, withFileTypes: true });
    const left = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect({ golden: golden.name, left: left.sort() }).toEqual({
      golden: golden.name,
      left: ["nginx.conf", "policy.json"],
    });
  }
});

test("no expected file and no diagnostic holds a hash or a key", () => {
  for (const golden of goldenCases()) {
    const { diagnostics } = compileCase(golden);
    for (const [name, contents] of [
      ...expectedOutput(golden),
      ["diagnostics", formatText(diagnostics)] as const,
    ]) {
      expect({ golden: golden.name, name, secret: SECRET.exec(contents)?.[0] }).toEqual({
        golden: golden.name,
        name,
      });
    }
  }
});
