import { countLineBreaks, lineStarts, splitDocuments } from "../../../src/input/text-locator.js";

/** As long as an object is. */
const A = `a: ${"x".repeat(40)}`;

describe("splitDocuments", () => {
  it.each([
    ["", [""]],
    ["a: 1", ["a: 1"]],
    [`---\n${A}\n---\nb: 2\n`, [`---\n${A}\n`, "---\nb: 2\n"]],
    [`${A}\r\n--- ${A}\r\n---`, [`${A}\r\n`, `--- ${A}\r\n`, "---"]],
    [`${A}: |\n  ---\n ---\n`, [`${A}: |\n  ---\n ---\n`]],
    [`${A}-----BEGIN\n-----END\n---x`, [`${A}-----BEGIN\n-----END\n---x`]],
    [`%TAG ! x\n---\n${A}\n---\nb`, [`%TAG ! x\n---\n${A}\n---\nb`]],
    [`---\n---\n--- ${A}\n---\n`, [`---\n---\n--- ${A}\n`, "---\n"]],
  ])("cuts %j", (text, parts) => {
    expect(splitDocuments(text)).toEqual(parts);
  });
});

describe("lines", () => {
  it.each([
    ["", [0]],
    ["a\nb", [0, 2]],
    ["a\r\nb\rc\n", [0, 3, 5, 7]],
  ])("begin in %j", (text, starts) => {
    expect(lineStarts(text)).toEqual(starts);
    expect(countLineBreaks(text)).toBe(starts.length - 1);
  });
});
