import { countLineBreaks, lineStarts, splitDocuments } from "../../../src/input/text-chunks.js";

describe("splitDocuments", () => {
  it.each([
    ["", [""]],
    ["a: 1", ["a: 1"]],
    ["---\na: 1\n---\nb: 2\n", ["---\na: 1\n", "---\nb: 2\n"]],
    ["a\r\n--- b\r\n---", ["a\r\n", "--- b\r\n", "---"]],
    ["a: |\n  ---\n ---\n", ["a: |\n  ---\n ---\n"]],
    ["a: -----BEGIN\n-----END\n---x", ["a: -----BEGIN\n-----END\n---x"]],
    ["%TAG ! x\n---\na\n---\nb", ["%TAG ! x\n---\na\n---\nb"]],
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
