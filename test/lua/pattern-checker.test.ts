/** What the checker of patterns lets through is what PCRE compiles. */
import { fc } from "../support/fast-check.js";
import { regexProblem } from "../../src/translate/pattern/regex.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";

let nginx: LuaNginx;
beforeAll(async () => {
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());

/** PCRE's complaints about those patterns that the checker accepts. */
async function complaints(patterns: readonly string[]): Promise<readonly string[]> {
  const accepted = patterns.filter((pattern) => regexProblem(pattern) === undefined);
  if (accepted.length === 0) return [];
  const given = accepted.map((pattern) => Buffer.from(pattern));
  const [problems] = await nginx.call("regular_expressions", "problems", given);
  return accepted.flatMap((pattern, index) => {
    const problem = (problems as readonly string[])[index];
    return problem === "" ? [] : [`${JSON.stringify(pattern)}: ${String(problem)}`];
  });
}

// Pieces that mean something, side by side in any way: most are refused, and the ways to be wrong are many.
const PIECES = [
  ...Array.from("()[]{}|*+?^$.\\-,:=!<>a1bé#&'"),
  ..."(?: (?= (?! (?<= (?<! (?> (?<n> (?P<n> (?i) (?-s: \\1 \\2 \\k<n> \\d \\b \\B \\x41 \\x \\R \\Z".split(
    " ",
  ),
  ..."\\h \\v \\N \\Q \\E \\K \\G \\C \\X \\pL \\g1 \\0 \\c [^ [: :] [:alpha:] a-z {2} {1,3} {0,} {,2} {2,1}".split(
    " ",
  ),
  ..."{65535} {65536} (?R) (?1) (?#a) (?| (*FAIL) (?C) (?(1) {200} ?+ *? ++ é-a a-é \\e \\a \\u \\U".split(
    " ",
  ),
];
const anything = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
  .map((pieces) => pieces.join(""));

// Patterns of the right shape, in which counts, lengths and references go wrong.
const { pattern: shaped } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  pattern: fc
    .array(
      fc.tuple(
        tie("atom"),
        fc.constantFrom("", "", "*", "+?", "?", "{2}", "{1,3}", "{0,200}", "{40,}", "{65535}", "|"),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.flat().join("")),
  atom: fc.oneof(
    { maxDepth: 6, depthSize: "medium" },
    fc.constantFrom("a", "bc", "é", "[a-z]", "[^é]", "\\d", ".", "\\1", "\\R", "(?i)", "^", "$"),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>"), tie("pattern"))
      .map(([opening, inside]) => `${opening}${inside})`),
  ),
}));

it.each([
  ["pieces in any order", anything],
  ["nested groups and repetitions", shaped],
])("%s (property)", async (_, pattern) => {
  const batch = fc.array(pattern, { minLength: 200, maxLength: 200 });
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(batch, async (patterns) => {
      accepted += patterns.filter((each) => regexProblem(each) === undefined).length;
      expect(await complaints(patterns)).toEqual([]);
    }),
    { numRuns: 30 },
  );
  // Else nothing would have been compared.
  expect(accepted).toBeGreaterThan(500);
});

it("what is as large as it may be", async () => {
  // Each length, up to beyond what the checker accepts.
  const repeated = (atom: string) =>
    Array.from({ length: 60 }, (_, index) => atom.repeat(2 ** (index / 4)));
  const patterns = ["a", "[a-z]", "(a)", "(a|b)", "(?:a{1,9}){9}", "(?=a)", "(?:)", "|"].flatMap(
    repeated,
  );
  const nested = ["((a{1,9}){1,9}){1,9}", "((a){1,30}){1,30}", "(([a-z]{3}){20}){10}"];
  const counted = Array.from({ length: 200 }, (_, index) => `(?:ab|[cd]?){${String(index * 5)}}`);

  expect(await complaints([...patterns, ...nested, ...counted])).toEqual([]);
});
