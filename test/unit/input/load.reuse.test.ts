import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { advance, initialInput } from "../../../src/input/load.js";

function textOf(names: string): string {
  const documents = Array.from(
    names,
    (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`,
  );
  return documents.join("---\n");
}

/** Reads a file with objects of the names (a letter each), then with others; which objects are the same ones. */
function reused(before: string, now: string, path = "file"): string {
  const initial = initialInput(DEFAULT_INPUT_OPTIONS);
  const first = advance(initial, [{ path: "file", text: textOf(before) }]);
  const second = advance(first.state, [{ path, text: textOf(now) }]);
  const known = new Set(first.resources.list("ConfigMap"));
  const objects = second.resources.list("ConfigMap");
  expect(objects.map(({ metadata }) => metadata.name).join("")).toBe(
    Array.from(now).sort().join(""),
  );
  return objects.flatMap((each) => (known.has(each) ? [each.metadata.name] : [])).join("");
}

test.each([
  ["bcdef", "bcxef", "bcef"],
  ["bcdef", "bcdxef", "bcdef"],
  ["bcdef", "bcef", "bcef"],
  ["bcdef", "bdcfe", "bcdef"],
  // The text of the first document has no `---` line.
  ["bcdef", "cdefb", "def"],
  ["bcdef", "bcdefx", "bcdef"],
  ["bc", "b", "b"],
  ["b", "bcd", "b"],
])("%s, then %s: %s are not parsed again", (before, now, same) => {
  expect(reused(before, now)).toBe(same);
});

test("the objects of a renamed file are not parsed again", () => {
  expect(reused("bcd", "bxd", "renamed")).toBe("bd");
});
