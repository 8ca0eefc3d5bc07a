/** YAML text (JSON is YAML) → the values of its documents, or what is wrong with it. Never throws for a text. */
import { EVENT_ID, type Event, YAMLException, constructFromEvents, parseEvents } from "js-yaml";
import { LOOKALIKE, TEMPLATE, TEMPLATE_HINT, lookalikeHint } from "../diagnostics/unrendered.js";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import { report, shown } from "./rules/names.js";
import { readPlainYaml } from "./plain-yaml.js";
import { MANIFEST_SCHEMA, type Positions, mayHoldSecrets, readPositions } from "./positions.js";
import {
  type MessageAndHint,
  explainUnclosed,
  explainYamlError,
  findUnclosed,
} from "./yaml-errors.js";

/** Something that keeps a text from being read; an offset into the text. */
export interface SyntaxProblem extends MessageAndHint {
  readonly code: "YAML_INVALID";
  readonly offset: number;
}

/** A key that stands twice in a document refuses the object that has it, and no other. */
export interface DuplicateKey {
  readonly document: number;
  readonly report: Report & { readonly field: FieldPath };
}

/** Collections inside collections; manifests of our kinds stay below 20. */
const MAX_DEPTH = 100;
/** What aliases may add to a text: more than the largest object that etcd takes. */
const MAX_EXPANSION = 10_000_000;

type ParsedYaml =
  | { readonly documents: readonly unknown[]; readonly duplicates: readonly DuplicateKey[] }
  | { readonly problems: readonly SyntaxProblem[] };

const NONE: readonly never[] = [];

export function parseYaml(text: string): ParsedYaml {
  const documents = readPlainYaml(text);
  return documents === undefined ? parseAnyYaml(text) : { documents, duplicates: NONE };
}

export function parseAnyYaml(text: string): ParsedYaml {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const parsed = construct(text, events);
    const { documents } = parsed;
    // Most texts hold no '*' at all, and looking for one is much cheaper than looking through the events.
    const hasAliases = text.includes("*") && events.some((event) => event.type === EVENT_ID.ALIAS);
    if (!hasAliases) return parsed;
    const expander = new Expander(text.length + MAX_EXPANSION);
    for (const document of documents) expander.expand(document, 0);
    if (expander.problem === undefined) return parsed;
    return { problems: [{ code: "YAML_INVALID", ...expander.problem, offset: 0 }] };
  } catch (error: unknown) {
    return { problems: [problemOf(text, error)] };
  }
}

/** Where the fields of a text stand; the text must be one that `parseYaml` could read. */
export function yamlPositions(text: string): Positions {
  return readPositions(text, parseEvents(text, { maxDepth: MAX_DEPTH }));
}

/** What the parser says of a value that the end of the text cuts off on a line of its own. */
const INDENTATION = "deficient indentation";
const UNEXPECTED_END = "unexpected end of the stream";

/** Of a key that stands twice the last value counts; what has such a key is refused. */
function construct(
  text: string,
  events: Event[],
): { readonly documents: readonly unknown[]; readonly duplicates: readonly DuplicateKey[] } {
  const options = { source: text, schema: MANIFEST_SCHEMA };
  try {
    return { documents: constructFromEvents(events, options), duplicates: NONE };
  } catch (error: unknown) {
    const isTwice = error instanceof YAMLException && error.reason === "duplicated mapping key";
    const duplicates = isTwice ? duplicatesIn(text, events) : NONE;
    if (duplicates.length === 0) throw error;
    return { documents: constructFromEvents(events, { ...options, json: true }), duplicates };
  }
}

function problemOf(text: string, error: unknown): SyntaxProblem {
  return error instanceof YAMLException
    ? syntaxProblem(text, error)
    : { code: "YAML_INVALID", ...explainYamlError("", false), offset: 0 };
}

function duplicatesIn(text: string, events: readonly Event[]): readonly DuplicateKey[] {
  const all = readPositions(text, events).duplicates;
  const own = all.filter(({ field }) => field.length === 1);
  const twice = new Set(
    own.map(({ document, field }) => `${String(document)} ${String(field[0])}`),
  );
  return all.flatMap(({ document, field, offset }): readonly DuplicateKey[] => {
    const isTwice = (key: string): boolean => twice.has(`${String(document)} ${key}`);
    // apiVersion and kind once more at the start of a line: another object begins there.
    const isOther = ["apiVersion", "kind"].every(isTwice) && isAtLineStart(text, offset);
    if (isOther && field.length === 1) return field[0] === "kind" ? [otherObject(document)] : [];
    return [{ document, report: duplicateKey(field) }];
  });
}

function isAtLineStart(text: string, offset: number): boolean {
  return offset === 0 || /[\r\n]/.test(text.charAt(offset - 1));
}

function otherObject(document: number): DuplicateKey {
  const message = "another object begins here, in the document of the one before";
  const hint = "put a line '---' before it";
  return {
    document,
    report: { ...report("YAML_DUPLICATE_KEY", [], message, hint), field: ["kind"], at: "key" },
  };
}

function duplicateKey(field: FieldPath): DuplicateKey["report"] {
  const message = `the key ${shown(field.at(-1))} stands twice in one mapping`;
  const hint = "remove one of the two, or merge them";
  return { ...report("YAML_DUPLICATE_KEY", field, message, hint), field, at: "key" };
}

function syntaxProblem(text: string, error: YAMLException): SyntaxProblem {
  // Blank lines at the end say nothing; the last character that is written does.
  const end = text.trimEnd().length;
  const position = error.mark?.position ?? 0;
  const reason = position >= end && error.reason === INDENTATION ? UNEXPECTED_END : error.reason;
  const unclosed = findUnclosed(text, Math.min(position + 1, end));
  const conflict = /^(?:<{7} |={7}$|>{7} )/m.exec(text);
  if (conflict !== null) return { code: "YAML_INVALID", ...CONFLICT, offset: conflict.index };
  const foreign = foreignTextAt(text, [position, unclosed?.offset ?? position]);
  if (foreign !== undefined) return foreign;
  const cause = unclosed && explainUnclosed(reason, unclosed);
  if (unclosed !== undefined && cause !== undefined) {
    return { code: "YAML_INVALID", ...cause, offset: unclosed.offset };
  }
  const explanation = explainYamlError(reason, !mayHoldSecrets(text));
  return { code: "YAML_INVALID", ...explanation, offset: Math.min(position, end) };
}

/** Characters of a line that may be a template. */
const LONGEST_LINE = 1000;

const CONFLICT = {
  message: "a merge conflict that was not resolved",
  hint: "keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>",
};

/** A template, or a character that only looks like one of YAML, in a line of the parser's complaint. */
function foreignTextAt(text: string, offsets: readonly number[]): SyntaxProblem | undefined {
  for (const offset of offsets) {
    const found = foreignTextInLine(text, offset);
    if (found !== undefined) return found;
  }
  return undefined;
}

function foreignTextInLine(text: string, offset: number): SyntaxProblem | undefined {
  const start =
    Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
  const [line = ""] = text.slice(start, start + LONGEST_LINE).split(/[\r\n]/, 1);
  const at = line.search(TEMPLATE);
  if (at >= 0) {
    const message = "a template that was not rendered";
    return { code: "YAML_INVALID", message, hint: TEMPLATE_HINT, offset: start + at };
  }
  const lookalike = LOOKALIKE.exec(line);
  if (lookalike === null) return undefined;
  return {
    code: "YAML_INVALID",
    message: "a character that only looks like one of YAML",
    hint: lookalikeHint(lookalike[0]),
    offset: start + lookalike.index,
  };
}

interface Expansion {
  readonly size: number;
  readonly depth: number;
}

/**
 * Aliases share values, so a short text can stand for an endless or huge one ("billion laughs"), and everything that walks or prints the
 * value would pay for all of it. This costs what the text costs. Limits: collections inside collections; values plus characters.
 */
class Expander {
  problem: MessageAndHint | undefined;
  readonly #maxSize: number;
  readonly #known = new Map<object, Expansion | "open">();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** Recursion ends at the depth limit at the latest. */
  expand(value: unknown, level: number): Expansion {
    if (typeof value === "string") return { size: 1 + value.length, depth: 0 };
    if (typeof value !== "object" || value === null) return SCALAR;
    const before = this.#known.get(value);
    if (before === "open") this.problem ??= RECURSIVE;
    const depth = typeof before === "object" ? before.depth : 0;
    if (level + depth > MAX_DEPTH) this.problem ??= TOO_DEEP;
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
    if (size > this.#maxSize) this.problem ??= tooLarge(this.#maxSize);
    this.#known.set(value, { size, depth });
    return { size, depth };
  }
}

const SCALAR: Expansion = { size: 1, depth: 0 };
const RECURSIVE: MessageAndHint = {
  message: "an alias stands inside the value that it names, so the value has no end",
  hint: "write the value out, or move the anchor",
};
const tooLarge = (maxSize: number): MessageAndHint => ({
  message: `aliases make a document stand for more than ${maxSize} values and characters`,
  hint: "use fewer aliases of aliases",
});
const TOO_DEEP: MessageAndHint = {
  message: `aliases nest values more than ${MAX_DEPTH} deep`,
  hint: "use fewer aliases of aliases",
};
