/** Manifests whose text is dear to read for its length. Each is given a number of repetitions. */
const OBJECT = "apiVersion: v1\nkind: Service\nmetadata: ";

export const COSTLY_TEXTS: Readonly<Record<string, (n: number) => string>> = {
  "lines of ---": (n) => "---\n".repeat(20 * n),
  "lines of --- with comments": (n) => "---\n# x\n".repeat(10 * n),
  comments: (n) => "# a comment\n".repeat(8 * n),
  "blank lines": (n) => "\n".repeat(80 * n),
  "documents that can't be read": (n) => "---\na: [\n".repeat(8 * n),
  "duplicate keys": (n) => "a: 1\n".repeat(10 * n),
  keys: (n) => Array.from({ length: 4 * n }, (_, i) => `a${i}: 1\n`).join(""),
  "fields that are unknown": (n) =>
    `${OBJECT}{name: a}\nspec:\n${Array.from({ length: 4 * n }, (_, i) => `  x${i}: 1\n`).join("")}`,
  "brackets that stay open": (n) => `a: ${"[".repeat(80 * n)}`,
  "a long list that stays open": (n) => `a: [${"x, ".repeat(20 * n)}`,
  "a quote that stays open": (n) => `a: "${"x\n  ".repeat(20 * n)}`,
  "block scalars before an open bracket": (n) => `${"a: |\n b\n".repeat(4 * n)}c: [`,
  "deep lists": (n) => `${"- ".repeat(90)}x\n`.repeat(n / 2),
  "a long plain text": (n) => `a: ${"x ".repeat(40 * n)}`,
  "a plain text of many lines": (n) => `a: x\n${"  y\n".repeat(20 * n)}`,
  "blank lines in a block scalar": (n) => `a: |\n${"\n".repeat(80 * n)}  x\n`,
  "quotes in quotes": (n) => `a: '${"''".repeat(40 * n)}'`,
  aliases: (n) => `a: &a x\n${Array.from({ length: 4 * n }, (_, i) => `b${i}: *a\n`).join("")}`,
  "aliases of a long list": (n) =>
    `a: &a [${"x, ".repeat(4 * n)}]\n${Array.from({ length: 4 * n }, (_, i) => `b${i}: *a\n`).join("")}`,
  "merges of a large mapping": (n) =>
    `a: &a {${Array.from({ length: n }, (_, i) => `k${i}: 1`).join(", ")}}\n` +
    Array.from({ length: n }, (_, i) => `b${i}: {<<: *a}\n`).join(""),
  "one object again and again": (n) => `---\n${OBJECT}{name: a}\n`.repeat(2 * n),
  "a list in one line": (n) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: Array.from({ length: n }, (_, i) => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: `a${i}` },
        spec: { ports: [{ port: 80, nodePor: 1 }] },
      })),
    }),
};
