import { NATURAL, rowsOf } from "../../../../../src/translate/ingress/annotations/annotation.js";
import { readerOf } from "../../../../support/annotation-reader.js";
import { nginx, own } from "../../../../support/translated.js";

const row = rowsOf("access");
const SIZE = row("size", NATURAL, "");
const CLOSING = row("limit", NATURAL, "", { fallback: "closed" });

describe("a value", () => {
  it.each([
    ["compatible", nginx({ size: "1" }), 1],
    ["own before compatible", { ...nginx({ size: "1" }), ...own({ size: "2" }) }, 2],
    ["of the path before own", { ...own({ size: "2" }), ...own({ size: "3" }, "0-0") }, 3],
    ["of another path", own({ size: "3" }, "0-1"), undefined],
    [
      "empty, which hides the lower ones",
      { ...nginx({ size: "1" }), ...own({ size: "" }) },
      undefined,
    ],
    ["with blanks", nginx({ size: " 7\n" }), 7],
    ["malformed", nginx({ size: "big" }), undefined],
  ])("%s", (_, annotations, expected) => {
    expect(readerOf(annotations).get(SIZE)).toBe(expected);
  });

  it("is not read under a prefix that is not the row's", () => {
    const ownOnly = row("size", NATURAL, "", { prefixes: ["own"] });
    expect(readerOf(nginx({ size: "1" })).get(ownOnly)).toBeUndefined();
    expect(readerOf(own({ size: "1" }, "0-0")).get(ownOnly)).toBeUndefined();
  });
});

it("a malformed value closes if the annotation restricts access, once it was read", () => {
  const reader = readerOf(nginx({ size: "x", limit: "x" }));
  reader.get(SIZE);
  expect(reader.closers).toEqual([]);
  reader.get(CLOSING);
  expect(reader.closers.map(({ name }) => name)).toEqual(["limit"]);
});
