/**
 * Aliases share values, so a short text can stand for an endless or astronomically large one ("billion laughs").
 * Whoever walks the value, or writes it out, would pay for all of it.
 */

interface Expansion {
  readonly size: number;
  readonly depth: number;
}

interface ExpansionLimits {
  /** Collections inside collections. */
  readonly maxDepth: number;
  /** Values plus characters of a document. */
  readonly maxSize: number;
}

interface ExpansionProblem {
  readonly message: string;
  readonly hint: string;
}

/** What is wrong with the expansion of the documents, if anything; linear in the text, not in what it stands for. */
export function expansionProblem(
  documents: readonly unknown[],
  limits: ExpansionLimits,
): ExpansionProblem | undefined {
  const { maxDepth, maxSize } = limits;
  const known = new Map<object, Expansion | "open">();
  let problem: ExpansionProblem | undefined;

  const expand = (value: unknown, level: number): Expansion => {
    if (typeof value === "string") return { size: 1 + value.length, depth: 0 };
    if (typeof value !== "object" || value === null) return { size: 1, depth: 0 };
    const before = known.get(value);
    if (before === "open") problem ??= RECURSIVE;
    if (level > maxDepth || (typeof before === "object" && level + before.depth > maxDepth)) {
      problem ??= tooDeep(maxDepth);
    }
    if (problem !== undefined) return { size: 1, depth: 0 };
    if (typeof before === "object") return before;
    known.set(value, "open");
    const expansion = { size: 1, depth: 0 };
    for (const [key, child] of Object.entries(value)) {
      const { size, depth } = expand(child, level + 1);
      expansion.size += key.length + size;
      expansion.depth = Math.max(expansion.depth, depth + 1);
    }
    if (expansion.size > maxSize) problem ??= tooLarge(maxSize);
    known.set(value, expansion);
    return expansion;
  };

  for (const document of documents) expand(document, 0);
  return problem;
}

const RECURSIVE: ExpansionProblem = {
  message: "an alias stands inside the value that it names, so the value has no end",
  hint: "write the value out, or move the anchor",
};
const tooLarge = (maxSize: number): ExpansionProblem => ({
  message: `aliases make a document stand for more than ${maxSize} values and characters`,
  hint: "use fewer aliases of aliases",
});
const tooDeep = (maxDepth: number): ExpansionProblem => ({
  message: `aliases nest values more than ${maxDepth} deep`,
  hint: "use fewer aliases of aliases",
});
