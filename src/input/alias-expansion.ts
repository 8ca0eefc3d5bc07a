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
  const expander = new Expander(limits);
  for (const document of documents) expander.expand(document, 0);
  return expander.problem;
}

class Expander {
  problem: ExpansionProblem | undefined;
  readonly #limits: ExpansionLimits;
  readonly #known = new Map<object, Expansion | "open">();

  constructor(limits: ExpansionLimits) {
    this.#limits = limits;
  }

  /** Recursion ends at the depth limit at the latest. */
  expand(value: unknown, level: number): Expansion {
    if (typeof value === "string") return { size: 1 + value.length, depth: 0 };
    if (typeof value !== "object" || value === null) return SCALAR;
    const before = this.#known.get(value);
    if (before === "open") this.problem ??= RECURSIVE;
    const depth = typeof before === "object" ? before.depth : 0;
    if (level + depth > this.#limits.maxDepth) this.problem ??= tooDeep(this.#limits.maxDepth);
    if (this.problem !== undefined) return SCALAR;
    return typeof before === "object" ? before : this.#expandChildren(value, level);
  }

  #expandChildren(value: object, level: number): Expansion {
    this.#known.set(value, "open");
    let size = 1;
    let depth = 0;
    for (const [key, child] of Object.entries(value)) {
      const expansion = this.expand(child, level + 1);
      size += key.length + expansion.size;
      depth = Math.max(depth, expansion.depth + 1);
    }
    if (size > this.#limits.maxSize) this.problem ??= tooLarge(this.#limits.maxSize);
    this.#known.set(value, { size, depth });
    return { size, depth };
  }
}

const SCALAR: Expansion = { size: 1, depth: 0 };
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
