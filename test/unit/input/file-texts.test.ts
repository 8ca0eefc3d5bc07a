import { FileTexts, UnreadableError } from "../../../src/input/file-texts.js";
import type { Source } from "../../../src/input/documents.js";
import { DEFAULT_INPUT_OPTIONS } from "../../../src/input/kind-table.js";
import { type InputState, advance, initialInput, mayBeEdited } from "../../../src/input/load.js";
import { fc } from "../../support/fast-check.js";

/** Files are large from 64 KiB on. */
const PADDING = `# ${"x".repeat(2 ** 16)}\n`;
const MARK = [0xef, 0xbb, 0xbf];

/** Reads the contents one after the other, as a file that changes, and gives each source to `see` with the bytes. */
function readEach(
  contents: readonly Buffer[],
  see: (source: Source, bytes: Buffer) => boolean,
): void {
  const texts = new FileTexts();
  let last: Source | undefined;
  for (const bytes of contents) {
    const room = texts.room(bytes.length);
    bytes.copy(room);
    try {
      const source = texts.sourceOf("f", { room, length: bytes.length }, (it) => it === last);
      last = see(source, bytes) ? source : undefined;
    } catch (error: unknown) {
      expect(error).toBeInstanceOf(UnreadableError);
      expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow();
      last = undefined;
    }
  }
}

/** Mostly characters; now and then, what begins or continues one, or belongs to none. */
const bytes = fc
  .array(
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc
          .constantFrom("a", "é", "è", "€", "😀", "😁", "\n")
          .map((text) => [...Buffer.from(text)]),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(0xc3, 0xa9, 0xe2, 0x82, 0xf0, 0xff).map((byte) => [byte]),
      },
      { weight: 1, arbitrary: fc.constant(MARK) },
    ),
    { maxLength: 4 },
  )
  .map((parts) => Buffer.from(parts.flat()));
const head = fc.oneof(
  { weight: 4, arbitrary: fc.constant(Buffer.from("é")) },
  { weight: 1, arbitrary: bytes },
);

test("an edit of the last text gives the text of the bytes, wherever they differ", () => {
  let edits = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(head, bytes, bytes), { maxLength: 6 }), (files) => {
      const padding = Buffer.from(PADDING);
      const contents = files.map(([first, middle, tail]) =>
        Buffer.concat([first, padding, middle, padding, tail]),
      );
      let text = "";
      let before: Source | undefined;
      readEach(contents, (source, whole) => {
        const isNew = source !== before;
        before = source;
        if ("edit" in source && isNew) {
          const { start, end } = source.edit;
          text = text.slice(0, start) + source.edit.text + text.slice(end);
          edits += 1;
        } else if ("text" in source) text = source.text;
        expect(text === new TextDecoder().decode(whole)).toBe(true);
        return true;
      });
    }),
    { numRuns: 300 },
  );
  expect(edits).toBeGreaterThan(50);
});

const CONTENTS = ["a", "a", "b", "c", "c"].map((name) => Buffer.from(`${PADDING}${name}: é\n`));

test("an unchanged file is the same source, and a changed one an edit of what was read last", () => {
  const sources: Source[] = [];
  readEach(CONTENTS, (source) => sources.push(source) > 0);
  const [first, second, third, fourth, fifth] = sources;
  expect(first).toHaveProperty("text");
  expect(second).toBe(first);
  const edit = { start: PADDING.length, end: PADDING.length + 1 };
  expect(third).toEqual({ path: "f", edit: { ...edit, text: "b" } });
  expect(fourth).toEqual({ path: "f", edit: { ...edit, text: "c" } });
  expect(fifth).toBe(fourth);
});

test("what was given but not read is given whole", () => {
  const sources: Source[] = [];
  readEach(CONTENTS, (source) => sources.push(source) < 0);
  expect(sources.map((source) => "text" in source)).toEqual([true, true, true, true, true]);
});

test("a file with a byte order mark, a small one and one that was forgotten are given whole", () => {
  const given = (contents: readonly Buffer[]): readonly boolean[] => {
    const sources: Source[] = [];
    readEach(contents, (source) => sources.push(source) > 0);
    return sources.map((source) => "text" in source);
  };
  expect(given(CONTENTS.map((each) => Buffer.concat([Buffer.from(MARK), each])))).not.toContain(
    false,
  );
  expect(given(["a", "b"].map((text) => Buffer.from(text)))).toEqual([true, true]);
  const texts = new FileTexts();
  const read = (text: string): Source => {
    const room = texts.room(PADDING.length + 1);
    return texts.sourceOf("f", { room, length: room.write(PADDING + text) }, () => true);
  };
  expect(read("a")).toHaveProperty("text");
  texts.keepOnly(new Set(["f"]));
  expect(read("b")).toHaveProperty("edit");
  texts.keepOnly(new Set());
  expect(read("c")).toHaveProperty("text");
});

/** A document, whole or broken, of one of a few names. */
const document = fc.oneof(
  fc
    .tuple(fc.constantFrom("a", "b", "é"), fc.constantFrom("1", "2", "[", "€"))
    .map(
      ([name, value]) =>
        `kind: ConfigMap\napiVersion: v1\nmetadata: {name: ${name}}\ndata: {v: ${value}}\n`,
    ),
  fc.constantFrom("", "# nothing\n", "%TAG ! x\n", "a: [", "kind: Nothing\n"),
);

test("a changing file is read as its text is, with the same places", () => {
  fc.assert(
    fc.property(fc.array(fc.array(document, { maxLength: 4 }), { maxLength: 5 }), (files) => {
      const contents = files.map((documents) => Buffer.from(PADDING + documents.join("---\n")));
      let [edited, whole] = [initial(), initial()];
      const texts = new FileTexts();
      for (const each of contents) {
        const room = texts.room(each.length);
        each.copy(room);
        const state = edited;
        const source = texts.sourceOf("f", { room, length: each.length }, (it) =>
          mayBeEdited(state, it),
        );
        const [a, b] = [
          advance(edited, [source]),
          advance(whole, [{ path: "f", text: each.toString() }]),
        ];
        expect(a.diagnostics).toEqual(b.diagnostics);
        expect(a.resources.list("ConfigMap")).toEqual(b.resources.list("ConfigMap"));
        expect([a.stale, a.unreadable, a.objects]).toEqual([b.stale, b.unreadable, b.objects]);
        [edited, whole] = [a.state, b.state];
      }
    }),
    { numRuns: 300 },
  );
});

function initial(): InputState {
  return initialInput(DEFAULT_INPUT_OPTIONS);
}
