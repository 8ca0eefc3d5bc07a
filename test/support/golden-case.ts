/**
 * A golden case is a folder: `case.yaml` says what it shows (with the options, and the files of `bases` that it uses), `input.yaml` is the
 * rest of the input (`before.yaml` what stood there earlier), `expected/` what compiling it gives. Its name is a sentence.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { load, loadAll } from "js-yaml";
import { contentsOf } from "../../src/render/rendered-file.js";
import { SecretText } from "../../src/support/secret-text.js";
import { type Compilation, compile } from "../../src/compile.js";
import { inOrder } from "../../src/diagnostics/sink.js";
import type { RefusedObject } from "../../src/model/options.js";
import { review } from "../../src/translate/review.js";
import { advance, initialInput } from "../../src/input/load.js";
import type { Source } from "../../src/input/documents.js";
import { compileOptions, resolveSettings } from "../../src/cli/settings.js";
import type { PolicyDocument } from "../../src/model/policy.js";
import { diagnosticsText } from "./diagnostics-text.js";
import { policyText } from "./policy-text.js";
import { featuresText, statusText } from "./status-text.js";

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
  /** Names of files in test/golden/bases, which come before input.yaml. */
  readonly use?: readonly string[];
  /** Options of docs/options.md, by key. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** What a run found out that it can't listen on. */
  readonly unavailablePorts?: readonly string[];
  /** Because of which nginx refuses its configuration. */
  readonly refusedObjects?: readonly RefusedObject[];
  /** When it is compiled, such as 2026-01-01T00:00:00Z; else no certificate has expired. */
  readonly now?: Date;
  /** Sources besides input.yaml, such as a file that is gone. */
  readonly also?: readonly Source[];
  /** What to compare besides statuses, diagnostics and small files: `policy` is policy.json as lines, `stream` the block of nginx.conf, `ports` its maps and servers of ports. */
  readonly show?: readonly (typeof SHOWN)[number][];
}

const SHOWN = ["policy", "policy.json", "nginx.conf", "stream", "ports", "features"] as const;

const KEYS = [
  "purpose",
  "use",
  "options",
  "unavailablePorts",
  "refusedObjects",
  "now",
  "also",
  "show",
];

/** `case.yaml`; throws when it lacks a purpose or has an unknown key. */
export function describeCase(golden: GoldenCase): CaseDescription {
  const description = load(readFileSync(join(golden.folder, "case.yaml"), "utf8"));
  if (typeof description !== "object" || description === null || !("purpose" in description)) {
    throw new Error(`${golden.name}: case.yaml needs a purpose`);
  }
  const unknown = Object.keys(description).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0)
    throw new Error(`${golden.name}: case.yaml has the unknown key ${unknown.join(", ")}`);
  const described = description as CaseDescription;
  if (described.show?.every((what) => SHOWN.includes(what)) === false)
    throw new Error(`${golden.name}: show of case.yaml lists ${SHOWN.join(", ")}`);
  return described;
}

const compiled = new Map<string, Compilation>();

/** Everything that compiling the case gives; a test file compiles each case once. */
export function compileCase(golden: GoldenCase): Compilation {
  const known = compiled.get(golden.name) ?? compileNow(golden);
  compiled.set(golden.name, known);
  return known;
}

function compileNow(golden: GoldenCase): Compilation {
  const detected = describeCase(golden);
  const { options = {}, unavailablePorts = [], refusedObjects = [], now } = detected;
  const settings = resolveSettings({
    flags: {},
    variables: {},
    file: { name: "case.yaml", contents: options },
  });
  let input = initialInput({ albGroup: settings.text("albApiGroup") });
  if (existsSync(join(golden.folder, "before.yaml")))
    input = advance(input, sourcesOf(golden, "before.yaml")).state;
  const { resources, diagnostics } = advance(input, sourcesOf(golden));
  const compilation = compile(
    resources,
    { ...compileOptions(settings), unavailablePorts, refusedObjects },
    now === undefined ? 0 : Number(new Date(now)),
  );
  const found = [...diagnostics, ...compilation.diagnostics];
  return { ...compilation, diagnostics: review(found, resources, compilation.config) };
}

/** The input of a case. What was there before has the name input.yaml, too: it is one file that has changed. */
function sourcesOf(golden: GoldenCase, file = "input.yaml"): readonly Source[] {
  const { use = [], also = [] } = describeCase(golden);
  const bases = use.map((name) => join(GOLDEN_ROOT, "bases", `${name}.yaml`));
  return [
    ...bases.map((path) => ({ path: basename(path), text: readFileSync(path, "utf8") })),
    { path: "input.yaml", text: readFileSync(join(golden.folder, file), "utf8") },
    ...also,
  ];
}

/** The documents of a case's input; none if one of its files is no YAML. */
export function documentsOf(golden: GoldenCase): readonly unknown[] {
  const texts = sourcesOf(golden).map((source) => ("text" in source ? source.text : ""));
  try {
    return texts.flatMap((text) => loadAll(text));
  } catch {
    return [];
  }
}

/** What is compared: file name → contents. Secret files are listed, their contents left out. */
export function actualOutput(golden: GoldenCase): ReadonlyMap<string, string> {
  const { show = [] } = describeCase(golden);
  const { files, statuses, diagnostics } = compileCase(golden);
  const output = new Map<string, string>();
  const secret: string[] = [];
  for (const file of files) {
    if (file.contents instanceof SecretText) secret.push(`${file.mode.toString(8)} ${file.path}\n`);
    else
      for (const [name, contents] of shownOf(file.path, contentsOf(file), show))
        output.set(name, contents);
  }
  if (secret.length > 0) output.set("secret-files.txt", secret.join(""));
  if (statuses.length > 0) output.set("status.txt", statusText(statuses));
  if (show.includes("features")) output.set("features.txt", featuresText(statuses));
  const sorted = inOrder(diagnostics);
  if (sorted.length > 0) output.set("diagnostics.txt", diagnosticsText(sorted));
  return output;
}

type Shown = readonly (readonly [name: string, contents: string])[];

function shownOf(
  path: string,
  contents: string,
  show: NonNullable<CaseDescription["show"]>,
): Shown {
  const asked = show as readonly string[];
  if ((path !== "policy.json" && path !== "nginx.conf") || asked.includes(path))
    return [[path, contents]];
  if (path === "policy.json" && asked.includes("policy"))
    return [["policy.txt", policyText(JSON.parse(contents) as PolicyDocument)]];
  if (path === "policy.json" || !/^(?:stream|ports)$/m.test(asked.join("\n"))) return [];
  const block = streamBlock(contents);
  return [[path, asked.includes("stream") ? block : ofPorts(block)]];
}

function streamBlock(conf: string): string {
  const block = /^stream \{\n(?:[ }].*\n|\n)*?\}\n/m.exec(conf)?.[0];
  if (block === undefined) throw new Error("nginx.conf has no block `stream`");
  return block;
}

/** The block less what every one begins and ends with. */
function ofPorts(block: string): string {
  return block
    .replace(/^ {4}map_hash_max_size [^]*? {4}limit_conn_log_level info;\n\n/m, "")
    .replace(
      /^ {4}# The share of backends that can't be used\.\n {4}server \{\n(?: {8}.*\n)* {4}\}\n/m,
      "",
    );
}

/** What the case expects: file name → contents. */
export function expectedOutput(golden: GoldenCase): ReadonlyMap<string, string> {
  const folder = join(golden.folder, "expected");
  const entries = existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true, recursive: true })
    : [];
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Replaces what the case expects. */
export function updateExpected(golden: GoldenCase, output: ReadonlyMap<string, string>): void {
  const folder = join(golden.folder, "expected");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of output) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contents);
  }
}
