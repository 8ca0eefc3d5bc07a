import { fc } from "../../support/fast-check.js";
import { type HostPattern, hostKey } from "../../../src/model/values.js";
import { intersect, parseHostPattern } from "../../../src/translate/hostnames.js";

function pattern(text: string): HostPattern {
  const parsed = parseHostPattern(text, "many");
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

/** Read from the API's text, not from the code: a wildcard stands for one label or more. */
function matches(text: string, host: string): boolean {
  if (text === "") return true;
  if (!text.startsWith("*.")) return text === host;
  return host.endsWith(text.slice(1)) && host.length > text.length - 1;
}

test.each([
  ["", "", ""],
  ["", "*.a.example", "**.a.example"],
  ["a.example", "a.example", "a.example"],
  ["a.example", "b.example", undefined],
  ["*.example", "a.b.example", "a.b.example"],
  ["*.example", "example", undefined],
  ["*.example", "*.b.example", "**.b.example"],
  ["*.b.example", "*.c.example", undefined],
  ["*.example", "*.anexample", undefined],
])("what %p and %p have in common is %p", (a, b, common) => {
  for (const found of [intersect(pattern(a), pattern(b)), intersect(pattern(b), pattern(a))])
    expect(found && hostKey(found)).toBe(common);
});

const label = fc.constantFrom("a", "b", "ab");
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
const written = fc.oneof(
  name,
  name.map((suffix) => `*.${suffix}`),
  fc.constant(""),
);

test("a host is in the intersection when both patterns match it", () => {
  fc.assert(
    fc.property(written, written, name, (a, b, host) => {
      const common = intersect(pattern(a), pattern(b));
      const inCommon = common !== undefined && matches(hostKey(common).replace("**", "*"), host);
      expect(inCommon).toBe(matches(a, host) && matches(b, host));
    }),
    { numRuns: 2000 },
  );
});
