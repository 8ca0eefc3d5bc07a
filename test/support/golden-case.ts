/**
 * A golden case is a folder: `case.yaml` says what it shows (and the options), `input.yaml` is the whole input,
 * `expected/` what compiling it gives. Its name is a sentence.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { compile } from "../../src/compile.js";
import { formatText } from "../../src/diagnostics/format-text.js";
import { sortDiagnostics } from "../../src/diagnostics/sink.js";
import { loadResources } from "../../src/input/load.js";
import { compileOptions, resolveSettings } from "../../src/cli/settings.js";

export const GOLDEN_ROOT = join(import.meta.dirname, "../golden");

export interface GoldenCase {
  /** `<area>/<sentence>`. */
  readonly name: string;
  readonly folder: string;
}

/** Every case below test/golden, sorted. */
export function goldenCases(): readonly GoldenCase[] {
  return folders(GOLDEN_ROOT).flatMap((area) =>
    folders(join(GOLDEN_ROOT, area)).map((sentence) => ({
      name: `${area}/${sentence}`,
      folder: join(GOLDEN_ROOT, area, sentence),
    })),
  );
}

function folders(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

interface CaseDescription {
  /** One sentence: what the case shows. */
  readonly purpose: string;
  /** Options of docs/options.md, by key. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** `case.yaml`; throws when it lacks a purpose or has an unknown key. */
export function describeCase(golden: GoldenCase): CaseDescription {
  const description = load(readFileSync(join(golden.folder, "case.yaml"), "utf8"));
  if (typeof description !== "object" || description === null || !("purpose" in description)) {
    throw new Error(`${golden.name}: case.yaml needs a purpose`);
  }
  const unknown = Object.keys(description).filter((key) => key !== "purpose" && key !== "options");
  if (unknown.length > 0)
    throw new Error(`${golden.name}: case.yaml has the unknown key ${unknown.join(", ")}`);
  const options = "options" in description ? (description.options as Record<string, unknown>) : {};
  return { purpose: String(description.purpose), options };
}

/** What compiling the case gives: file name → contents. Secret files are listed, their contents left out. */
export function actualOutput(golden: GoldenCase): ReadonlyMap<string, string> {
  const { options } = describeCase(golden);
  const settings = resolveSettings({
    flags: {},
    variables: {},
    file: { name: "case.yaml", contents: options },
  });
  const text = readFileSync(join(golden.folder, "input.yaml"), "utf8");
  const input = loadResources([{ path: "input.yaml", text }], {
    albGroup: settings.text("albApiGroup"),
  });
  const { files, statuses, diagnostics } = compile(input.resources, compileOptions(settings));
  const output = new Map<string, string>();
  const listed: string[] = [];
  for (const file of files) {
    if (typeof file.contents === "string") output.set(file.path, file.contents);
    else listed.push(`${file.mode.toString(8)} ${file.path}\n`);
  }
  if (listed.length > 0) output.set("secret-files.txt", listed.join(""));
  if (statuses.length > 0)
    output.set("status.yaml", statuses.map((status) => `---\n${dump(status)}`).join(""));
  const all = sortDiagnostics([...input.diagnostics, ...diagnostics]);
  if (all.length > 0) output.set("diagnostics.txt", formatText(all, { colours: false }));
  return output;
}

/** What the case expects: file name → contents. */
export function expectedOutput(golden: GoldenCase): ReadonlyMap<string, string> {
  const folder = join(golden.folder, "expected");
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Replaces what the case expects. */
export function updateExpected(golden: GoldenCase, output: ReadonlyMap<string, string>): void {
  const folder = join(golden.folder, "expected");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of output) writeFileSync(join(folder, name), contents);
}
