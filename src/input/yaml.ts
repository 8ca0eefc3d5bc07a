/** YAML text (JSON is YAML) → the values of its documents, or what is wrong with it. Never throws for a text. */
import { EVENT_ID, type Event, YAMLException, constructFromEvents, parseEvents } from "js-yaml";
import { TEMPLATE, TEMPLATE_HINT } from "../diagnostics/unrendered.js";
import { shown } from "./rules/names.js";
import { readPlainYaml } from "./plain-yaml.js";
import {
  type DuplicateKey,
  MANIFEST_SCHEMA,
  type Positions,
  mayHoldSecrets,
  readPositions,
} from "./positions.js";
import {
  type MessageAndHint,
  explainUnclosed,
  explainYamlError,
  findUnclosed,
} from "./yaml-errors.js";

/** Something that keeps a text from being read; offsets into the text. */
export interface SyntaxProblem extends MessageAndHint {
  readonly code: "YAML_INVALID" | "YAML_DUPLICATE_KEY";
  readonly offset: number;
  /** An earlier place that the problem involves. */
  readonly related?: { readonly message: string; readonly offset: number };
}

/** Collections inside collections; manifests of our kinds stay below 20. */
const MAX_DEPTH = 100;
/** What aliases may add to a text: more than the largest object that etcd takes. */
const MAX_EXPANSION = 10_000_000;

type ParsedYaml =
  { readonly documents: readonly unknown[] } | { readonly problems: readonly SyntaxProblem[] };

export function parseYaml(text: string): ParsedYaml {
  const documents = readPlainYaml(text);
  return documents === undefined ? parseAnyYaml(text) : { documents };
}

export function parseAnyYaml(text: string): ParsedYaml {
  let events: Event[] = [];
  try {
    events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const documents = constructFromEvents(events, { source: text, schema: MANIFEST_SCHEMA });
    // Most texts hold no '*' at all, and looking for one is much cheaper than looking through the events.
    const hasAliases = text.includes("*") && events.some((event) => event.type === EVENT_ID.ALIAS);
    if (!hasAliases) return { documents };
    const expander = new Expander(text.length + MAX_EXPANSION);
    for (const document of documents) expander.expand(document, 0);
    if (expander.problem === undefined) return { documents };
    return { problems: [{ code: "YAML_INVALID", ...expander.problem, offset: 0 }] };
  } catch (error: unknown) {
    return { problems: problemsOf(text, events, error) };
  }
}

/** Where the fields of a text stand; the text must be one that `parseYaml` could read. */
export function yamlPositions(text: string): Positions {
  return readPositions(text, parseEvents(text, { maxDepth: MAX_DEPTH }));
}

/** What the parser says of a value that the end of the text cuts off on a line of its own. */
const INDENTATION = "deficient indentation";
const UNEXPECTED_END = "unexpected end of the stream";

function problemsOf(text: string, events: readonly Event[], error: unknown): SyntaxProblem[] {
  if (!(error instanceof YAMLException)) {
    return [{ code: "YAML_INVALID", ...explainYamlError("", false), offset: 0 }];
  }
  const duplicates = error.reason === "duplicated mapping key" ? duplicatesIn(text, events) : [];
  return duplicates.length > 0 ? duplicates : [syntaxProblem(text, error)];
}

function duplicatesIn(text: string, events: readonly Event[]): SyntaxProblem[] {
  const { duplicates } = readPositions(text, events);
  const second = secondObject(text, duplicates);
  return second === undefined ? duplicates.map(duplicateKey) : [second];
}

function syntaxProblem(text: string, error: YAMLException): SyntaxProblem {
  // Blank lines at the end say nothing; the last character that is written does.
  const end = text.trimEnd().length;
  const position = error.mark?.position ?? 0;
  const reason = position >= end && error.reason === INDENTATION ? UNEXPECTED_END : error.reason;
  const unclosed = findUnclosed(text, Math.min(position + 1, end));
  const template = templateAt(text, [position, unclosed?.offset ?? position]);
  if (template !== undefined) return template;
  const cause = unclosed && explainUnclosed(reason, unclosed);
  if (unclosed !== undefined && cause !== undefined) {
    return { code: "YAML_INVALID", ...cause, offset: unclosed.offset };
  }
  const explanation = explainYamlError(reason, !mayHoldSecrets(text));
  return { code: "YAML_INVALID", ...explanation, offset: Math.min(position, end) };
}

/** Characters of a line that may be a template. */
const LONGEST_LINE = 1000;

/** A template in a line of the parser's complaint. */
function templateAt(text: string, offsets: readonly number[]): SyntaxProblem | undefined {
  for (const offset of offsets) {
    const found = templateInLine(text, offset);
    if (found !== undefined) return found;
  }
  return undefined;
}

function templateInLine(text: string, offset: number): SyntaxProblem | undefined {
  const start =
    Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
  const [line = ""] = text.slice(start, start + LONGEST_LINE).split(/[\r\n]/, 1);
  const at = line.search(TEMPLATE);
  if (at < 0) return undefined;
  return {
    code: "YAML_INVALID",
    message: "a template that was not rendered",
    hint: TEMPLATE_HINT,
    offset: start + at,
  };
}

/** apiVersion and kind once more at the start of a line are no duplicates: another object begins there. */
function secondObject(
  text: string,
  duplicates: readonly DuplicateKey[],
): SyntaxProblem | undefined {
  const [one, other] = ["apiVersion", "kind"].map((name) =>
    duplicates.find(
      ({ key, second }) => key === name && /(?:^|[\r\n])$/.test(text.slice(0, second)),
    ),
  );
  if (one === undefined || other === undefined) return undefined;
  return {
    code: "YAML_DUPLICATE_KEY",
    message: "another object begins here, in the document of the one before",
    hint: "put a line '---' before it",
    offset: Math.min(one.second, other.second),
    related: {
      message: "the one before begins here",
      offset: Math.min(one.first, other.first),
    },
  };
}

function duplicateKey({ key, first, second }: DuplicateKey): SyntaxProblem {
  return {
    code: "YAML_DUPLICATE_KEY",
    message: `the key ${shown(key)} stands twice in one mapping`,
    hint: "remove one of the two, or merge them",
    offset: second,
    related: { message: "first here", offset: first },
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
