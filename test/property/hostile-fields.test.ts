/**
 * Whatever stands in whichever field, nothing throws and nginx.conf holds no line that harmless input does not give, too,
 * but for numbers: text of users is in policy.json.
 */
import { fc } from "../support/fast-check.js";
import { compile } from "../../src/compile.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { compileCase, goldenCases } from "../support/golden-case.js";
import {
  HOSTILE,
  INHERITED,
  type Json,
  inputs,
  places,
  replaced,
  replacedEverywhere,
} from "../support/hostile-input.js";

/** Lines of nginx.conf; numbers, digests, names of locations, and the hostnames of streams and their classes made alike. */
function lines(conf: string): readonly string[] {
  return conf
    .split("\n")
    .map((line) => withoutNames(line.trim()).replace(/\b[0-9a-f]{20,}\b|\d+/g, "0"))
    .map((line) => line.replace(LOCATION, "@LOCATION"));
}
/** Of a way to backends, with statuses and a limit: golden cases don't have them all. */
const LOCATION = /@(?:(?:http|stream|h2c|try|page|limit|0(?:to0)?)_?)+/g;

/** DNS names are the one text of users that may be here, where a name can be nothing else. */
function withoutNames(line: string): string {
  const [, word = "", rest = ""] = MAP_LINE.exec(line) ?? [];
  if (rest !== "" && !MAP_WORDS.includes(word)) return `NAME ${rest}`;
  return line
    .replace(/^(proxy_ssl_name) [a-z0-9][-a-z0-9.]*;$/, "$1 NAME;")
    .replace(/^(?:\.c\d+)+ /, "CLASS ");
}
const MAP_LINE =
  /^((?:\*\.)?[a-z0-9][-a-z0-9.]*|\\[a-z]+) (unix:control\/|pool-|c)[-a-z0-9]+(?:\.sock|(?:\.c\d+)+)?;$/;
const MAP_WORDS = ["default", "hostnames", "include", "volatile"];

function confOf(objects: readonly Json[]): string {
  const { resources } = resourcesFromObjects(objects);
  const file = compile(resources, DEFAULT_OPTIONS).files.find(({ path }) => path === "nginx.conf");
  return file === undefined ? "" : contentsOf(file);
}

/** By the options of the cases, which may leave out what the default options give. */
const harmless = new Set([
  ...goldenCases().flatMap((golden) =>
    compileCase(golden).files.flatMap((file) =>
      file.path === "nginx.conf" ? lines(contentsOf(file)) : [],
    ),
  ),
  ...inputs.flatMap((objects) => lines(confOf(objects))),
]);

function expectHarmless(objects: readonly Json[]): void {
  expect(lines(confOf(objects)).filter((line) => !harmless.has(line))).toEqual([]);
}

test("one field at a time", () => {
  const cases = inputs.filter((objects) => objects.length > 0);
  const hostile = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...HOSTILE.slice(0, -1)) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  );
  fc.assert(
    fc.property(fc.constantFrom(...cases), fc.nat(), hostile, (objects, n, text) => {
      const all = places(objects);
      expectHarmless(replaced(objects, all[n % all.length] ?? [], text) as readonly Json[]);
    }),
    { numRuns: 1500 },
  );
});

test.each(HOSTILE.map((text) => [JSON.stringify(text.slice(0, 40)), text]))(
  "%s in every field that is no kind or version, in turn",
  (_name, text) => {
    // One case with everything of its kind is enough for the longest text.
    const step = text.length > 1000 ? 11 : 1;
    for (const objects of inputs.filter((_, i) => i % step === 0)) {
      expectHarmless(replacedEverywhere(objects, text));
    }
  },
);

/** Of each text field of each kind the first place where it is written: [objects, path from the list of them]. */
const fields = new Map<string, readonly [readonly Json[], readonly (string | number)[]]>();
for (const objects of inputs) {
  for (const path of places(objects)) {
    if (path[0] === "key") continue;
    const { kind } = objects[Number(path[0])] as { readonly kind?: string };
    const field = path.slice(1).map((step) => (typeof step === "number" ? "" : step));
    const isOfMap = /^metadata,(annotations|labels)/.test(String(field));
    if (isOfMap || ["kind", "apiVersion"].includes(String(field))) continue;
    const key = [kind, ...field].join(".");
    if (!fields.has(key)) fields.set(key, [objects, path]);
  }
}

test.each(INHERITED)("%s in every text field of every kind", (name) => {
  for (const [objects, path] of fields.values()) {
    confOf(replaced(objects, path, name) as readonly Json[]);
  }
});
