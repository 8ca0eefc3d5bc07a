/**
 * Divides the paths of a host into cells in which all literal patterns agree. Literal patterns (exact, prefix, start) are nested or
 * disjoint, so each pattern without the narrower ones inside it is one cell, and one path represents it.
 */
import type { PathMatch } from "../model/route.js";
import { getOrInsert } from "../support/collections.js";

export type LiteralPath = Exclude<PathMatch, readonly ["regex", string, string]>;

/** The pattern of every path. */
export const ANY_PATH: LiteralPath = ["prefix", ""];

export interface PathCell {
  readonly pattern: LiteralPath;
  /** In the pattern and in no narrower one. */
  readonly path: string;
  /** Keys of the patterns that contain the cell, the narrowest first. */
  readonly within: readonly string[];
}

export function literalKey([kind, value]: LiteralPath): string {
  return `${kind} ${value}`;
}

/** The same pattern in one form: several are for every path. */
export function literalOf(path: PathMatch | undefined): LiteralPath | undefined {
  if (path === undefined) return ANY_PATH;
  if (path[0] === "regex") return undefined;
  return path[0] === "start" && (path[1] === "" || path[1] === "/") ? ANY_PATH : path;
}

/** Names for paths: narrower patterns may start with any of them. */
const NAMES = [
  "any",
  ..."b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 - _ ~".split(" "),
];
const UNUSUAL = "\u{10fffd}";

export class PathCells {
  readonly #patterns = new Map<string, LiteralPath>([[literalKey(ANY_PATH), ANY_PATH]]);
  readonly #cells = new Map<string, PathCell>();

  /** All patterns are added before the first cell is asked for. */
  add(pattern: LiteralPath): void {
    this.#patterns.set(literalKey(pattern), pattern);
  }

  get all(): readonly PathCell[] {
    return Array.from(this.#patterns.values(), (pattern) => this.#cellOf(pattern));
  }

  /** Whether paths that start with `text` may be in the cell. */
  mayContain({ pattern, path }: PathCell, text: string): boolean {
    if (path.startsWith(text)) return true;
    const isWhole = (key: string): boolean => !key.startsWith("exact") && key !== `prefix ${text}`;
    return this.#around(text).find(isWhole) === literalKey(pattern);
  }

  /** Whether the path is in the cell itself. */
  contains({ pattern }: Pick<PathCell, "pattern">, path: string): boolean {
    return this.#around(path)[0] === literalKey(pattern);
  }

  #cellOf(pattern: LiteralPath): PathCell {
    return getOrInsert(this.#cells, literalKey(pattern), () => {
      const path = this.#pathIn(pattern);
      return { pattern, path, within: this.#around(path) };
    });
  }

  /** A path that is in no narrower pattern. */
  #pathIn(pattern: LiteralPath): string {
    const [kind, value] = pattern;
    if (kind === "exact") return value;
    const inside = value + (kind === "prefix" ? "/" : "");
    const paths = [value === "" ? "/" : value, ...NAMES.map((name) => inside + name)];
    return paths.find((path) => this.contains({ pattern }, path)) ?? `${inside}${UNUSUAL}`;
  }

  /** Keys of the patterns that contain a path, the narrowest first. */
  #around(path: string): readonly string[] {
    const found: string[] = [];
    const note = (key: string): void => {
      if (this.#patterns.has(key)) found.push(key);
    };
    note(`exact ${path}`);
    for (let length = path.length; length >= 0; length--) {
      const head = path.slice(0, length);
      if (length === path.length || path[length] === "/") note(`prefix ${head}`);
      note(`start ${head}`);
    }
    return found;
  }
}
