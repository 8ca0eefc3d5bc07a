/** Patterns of users that PCRE is to compile. Against PCRE itself: test/lua/regular-expressions.test.ts. */
import { regexProblem } from "../../../../src/translate/pattern/regex.js";

it.each([
  "",
  "^/api/v[0-9]+/(users|groups)/.*$",
  "/{id}",
  "a{2}b{2,}c{0,65535}?d++",
  "(?i)foo",
  "(?i:foo)(?-i)b",
  "(?<year>[0-9]{4})\\k<year>",
  "(?P<a>x)\\1",
  "\\1(a)",
  "(?<=ab|c)d(?<!x)(?=y)(?!z)",
  "[]a]",
  "[^]a-]",
  "[[:alpha:]_\\d\\-.-]",
  "[a[b]",
  "[.]b[.]",
  "\\.\\/\\x41\\bfoo\\h",
  "ü+[à-é]",
  "(?>a|b)*",
  "]}",
])("accepts %s", (pattern) => {
  expect(regexProblem(pattern)).toBeUndefined();
});

it.each([
  ["(a", "a group is not closed"],
  ["a)", "a ) closes no group"],
  ["[a", "it ends too early"],
  ["a\\", "it ends too early"],
  ["[b-a]", "a range of characters is out of order"],
  ["[é-a]", "a range of characters is out of order"],
  ["[\\d-z]", "a range begins or ends with a set of characters"],
  ["[[:foo:]]", "[: in a class begins no known set"],
  ["[:alpha:]", "a named set stands outside of a class"],
  ["[:\\:]", "a named set stands outside of a class"],
  ["*a", "a quantifier has nothing before it"],
  ["a|+", "a quantifier has nothing before it"],
  ["^*", "a quantifier follows an assertion"],
  ["a**", "a quantifier follows a quantifier"],
  ["a{3,2}", "the counts of a quantifier are out of order"],
  ["a{65536}", "a count is above 65535"],
  ["a{,3}", "{ begins no quantifier"],
  ["(?<=a+)b", "a lookbehind has no fixed length, or is too long"],
  ["(?<=a(b|cd))", "a lookbehind has no fixed length, or is too long"],
  ["(?<!a{256})", "a lookbehind has no fixed length, or is too long"],
  ["(a)\\2", "there is no group 2"],
  ["\\k<b>", "there is no group b"],
  ["(?<a>x)(?<a>y)", "two groups have the name a"],
  ["(a|(?R))", "groups that begin with (? in this way are not supported"],
  ["(?C1)a", "groups that begin with (? in this way are not supported"],
  ["(?x)a #", "groups that begin with (? in this way are not supported"],
  ["(*UTF)a", "groups that begin with (* in this way are not supported"],
  ["\\Ca", "\\C is not supported there"],
  ["\\y", "\\y is not supported there"],
  ["((a{1,200}){1,200}){1,200}", "it is too large, with what it repeats"],
  ["(".repeat(101) + ")".repeat(101), "its groups are nested too deep"],
  ["a\0", "it holds NUL"],
])("refuses %j", (pattern, problem) => {
  expect(regexProblem(pattern)).toBe(
    `${JSON.stringify(pattern)} is not a regular expression: ${problem}`,
  );
});
