import {
  countLineBreaks,
  editedParts,
  lineStarts,
  splitDocuments,
} from "../../../src/input/text-locator.js";
import { fc } from "../../support/fast-check.js";

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

const piece = fc.constantFrom(
  "---",
  "\n---\n",
  "\n---x",
  "\r\n--- ",
  "%",
  "\n%A\n",
  A,
  "\n",
  "b: 2\n",
  "-",
);
const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));

test("the parts of a text that was edited are those of the text", () => {
  fc.assert(
    fc.property(text, text, text, text, (head, old, now, tail) => {
      const kept = splitDocuments(head + old + tail);
      const edit = { start: head.length, end: head.length + old.length, text: now };
      const { start, end, parts } = editedParts(edit, {
        length: (head + old + tail).length,
        chunks: kept.map((part) => ({ text: part })),
      });
      const all = [...kept.slice(0, start), ...parts, ...kept.slice(kept.length - end)];
      expect(all).toEqual(splitDocuments(head + now + tail));
    }),
    { numRuns: 100_000 },
  );
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
