import {
  type Directive,
  parseSnippet,
} from "../../../../../src/translate/ingress/snippets/parse.js";

/** As `name arg arg { … }`, arguments as JSON. */
function shown({ name, args, block }: Directive): string {
  const head = [name, ...args.map((arg) => JSON.stringify(arg))].join(" ");
  return block === undefined ? head : `${head} { ${block.map(shown).join("; ")} }`;
}

const CASES: readonly (readonly [string, readonly string[], string?])[] = [
  ["", []],
  ["# a;\n a b; # c", ['a "b"']],
  ["a b#c;", ['a "b#c"']],
  ["a\tb\r\nc;", ['a "b" "c"']],
  [`a "b c" 'd;}' "";`, ['a "b c" "d;}" ""']],
  [String.raw`a "b\"c" 'd\'e' f\ g \;;`, [String.raw`a "b\"c" "d'e" "f\\ g" "\\;"`]],
  [String.raw`a "\t\\\.\$";`, [String.raw`a "\t\\\\.\\$"`]],
  ["a b'c d;", [`a "b'c" "d"`]],
  ["a ${b}c $d;", ['a "${b}c" "$d"']],
  ["a { b c; d { } } e;", ['a { b "c"; d {  } }', "e"]],
  ["if ($a = b) { c; }", ['if "($a" "=" "b)" { c }']],
  ["a b", ['a "b"'], 'has "a" without a ; at its end'],
  ["a { b }", ["a { b }"], 'has "b" without a ; at its end'],
  ["a;;", ["a"], "has a ; without a directive"],
  ["{ a; }", [" { a }"], "has a { without a directive"],
  ["a; } b;", ["a", "b"], "has a } without its {"],
  ["a { b;", ["a { b }"], "has a { without its }"],
  ['a "b; c;', ['a "\\"b"', "c"], "has a quote without its end"],
  ['a "b"c;', ['a "b" "c"'], "has a quoted text without a blank after it"],
];

it.each(CASES.map(([text, ...rest]) => ({ text, rest })))("$text", ({ text, rest }) => {
  const parsed = parseSnippet(text);
  const [directives, problem] = rest;
  expect([parsed.directives.map(shown), parsed.problem]).toEqual([directives, problem]);
});

it.each(["{", "}", "a{", "a{}", '"', "'", '"\\', "\\", "${", "#", ";", " ", "a ", '"" ', "a\n"])(
  "reads 256 KiB of %j in time",
  (part) => {
    const start = performance.now();
    parseSnippet(part.repeat((256 * 1024) / part.length));
    expect(performance.now() - start).toBeLessThan(2000);
  },
);
