import type { DslxTerm } from "../../../src/api/alb.js";
import { compareStrings } from "../../../src/support/collections.js";
import { type Rank, orderKey, specificity } from "../../../src/translate/precedence.js";

const HOST: DslxTerm = { type: "HOST", values: [["EQ", "a.example"]] };
const WILDCARD: DslxTerm = { type: "HOST", values: [["ENDS_WITH", "*.example"]] };

function url(...rows: readonly (readonly string[])[]): DslxTerm {
  return { type: "URL", values: rows };
}

function key(terms: readonly DslxTerm[], more: Partial<Rank> = {}): string {
  return orderKey({
    class: "rule",
    priority: 5,
    specificity: specificity(terms),
    metadata: { name: "a", namespace: "default" },
    position: [],
    ...more,
  });
}

describe("specificity", () => {
  it("orders matches as the origin does", () => {
    // From first to last tried.
    const expected: readonly (readonly DslxTerm[])[] = [
      [HOST, url(["EQ", "/a"])],
      [HOST, url(["STARTS_WITH", "/abc"])],
      [HOST, url(["REGEX", "/a.*"])],
      [HOST, url(["STARTS_WITH", "/"])],
      [WILDCARD, url(["REGEX", "/abcd.*"])],
      [WILDCARD, url(["STARTS_WITH", "/abc"])],
      [WILDCARD, url(["STARTS_WITH", "/ab"])],
      [WILDCARD, url(["REGEX", "/a.*"])],
      [WILDCARD, url(["STARTS_WITH", "/"])],
      [WILDCARD],
      [url(["STARTS_WITH", "/k8s"], ["REGEX", "^/v1/*"])],
      [url(["STARTS_WITH", "/abcde"])],
      [url(["REGEX", "/abcd.*"])],
      [url(["STARTS_WITH", "/abc"])],
      [url(["REGEX", "/a.*"])],
      [url(["STARTS_WITH", "/"])],
    ];
    const shuffled = [...expected].reverse();
    expect(shuffled.sort((a, b) => compareStrings(key(a), key(b)))).toEqual(expected);
  });

  it("never lets a long prefix outweigh an exact path", () => {
    const long = `/${"a".repeat(5000)}`;
    expect(key([HOST, url(["EQ", "/a"])]) < key([HOST, url(["STARTS_WITH", long])])).toBe(true);
  });

  it("tells long prefixes apart by their length", () => {
    const [long, longer] = ["a".repeat(5000), "a".repeat(5001)];
    expect(key([url(["STARTS_WITH", longer])]) < key([url(["STARTS_WITH", long])])).toBe(true);
  });

  it("counts further conditions", () => {
    const header: DslxTerm = { type: "HEADER", key: "x", values: [["EXIST"]] };
    expect(key([HOST, header]) < key([HOST])).toBe(true);
  });
});

describe("order keys", () => {
  const metadata = { name: "b", namespace: "b", creationTimestamp: "2024-01-02T00:00:00Z" };
  const first: Partial<Rank> = { metadata };

  it.each<[string, Partial<Rank>]>([
    ["a redirect of the port", { ...first, class: "first", priority: 9 }],
    ["a smaller priority", { ...first, priority: 4 }],
    ["a negative priority", { ...first, priority: -1 }],
    ["an older object", { metadata: { ...metadata, creationTimestamp: "2024-01-01T23:59:59Z" } }],
    [
      "an older object whose timestamp has an offset",
      { metadata: { ...metadata, creationTimestamp: "2024-01-02T00:30:00+01:00" } },
    ],
    ["an earlier namespace of two equally old", { metadata: { ...metadata, namespace: "a" } }],
    ["an earlier name", { metadata: { ...metadata, name: "a" } }],
    ["a name that the other begins with", { metadata: { ...metadata, name: "a-b" } }],
  ])("put %s first", (_what, rank) => {
    expect(key([HOST], rank) < key([HOST], first)).toBe(true);
  });

  it.each<[string, Partial<Rank>]>([
    ["a default backend", { ...first, class: "default", priority: 1 }],
    ["an object without timestamp", { metadata: { name: "a", namespace: "a" } }],
    [
      "an object whose timestamp is none",
      { metadata: { ...metadata, name: "a", creationTimestamp: "yesterday" } },
    ],
    ["a later position", { ...first, position: [0, 1] }],
    ["a name that begins with the other", { metadata: { ...metadata, name: "b-a" } }],
  ])("put %s last", (_what, rank) => {
    expect(key([HOST], rank) > key([HOST], { ...first, position: [0, 0] })).toBe(true);
  });

  it("compare numbers, not digits", () => {
    expect(key([HOST], { priority: 9 }) < key([HOST], { priority: 10 })).toBe(true);
    expect(key([HOST], { position: [9] }) < key([HOST], { position: [10] })).toBe(true);
  });
});
