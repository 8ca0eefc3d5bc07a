/** YAML text (JSON is YAML) → the values of its documents, or what is wrong with it. Never throws for a text. */
import { constructFromEvents, EVENT_ID, parseEvents, YAMLException } from "js-yaml";
import type { Event } from "js-yaml";
import { shown } from "./finding.js";
import { findUnclosed } from "./unclosed.js";
import { explainUnclosed, explainYamlError } from "./yaml-errors.js";
import { expansionProblem } from "./alias-expansion.js";
import { readPositions } from "./positions.js";
import type { DuplicateKey, Positions } from "./positions.js";
import { mayHoldSecrets } from "./secret-ranges.js";
import { MANIFEST_SCHEMA } from "./yaml-schema.js";

/** Something that keeps a text from being read; offsets into the text. */
export interface SyntaxProblem {
  readonly code: "YAML_INVALID" | "YAML_DUPLICATE_KEY";
  readonly message: string;
  readonly hint: string;
  readonly offset: number;
  /** An earlier place that the problem involves. */
  readonly related?: { readonly message: string; readonly offset: number };
}

export type YamlResult =
  { readonly documents: readonly unknown[] } | { readonly problems: readonly SyntaxProblem[] };

/** Collections inside collections; manifests of our kinds stay below 20. */
const MAX_DEPTH = 100;
/** What aliases may add to a text: more than the largest object that etcd takes. */
const MAX_EXPANSION = 10_000_000;

export function parseYaml(text: string): YamlResult {
  let events: Event[] = [];
  try {
    events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const documents = constructFromEvents(events, { source: text, schema: MANIFEST_SCHEMA });
    // Most texts hold no '*' at all, and looking for one is much cheaper than looking through the events.
    const hasAliases = text.includes("*") && events.some((event) => event.type === EVENT_ID.ALIAS);
    const limits = { maxDepth: MAX_DEPTH, maxSize: text.length + MAX_EXPANSION };
    const expansion = hasAliases ? expansionProblem(documents, limits) : undefined;
    if (expansion === undefined) return { documents };
    return { problems: [{ code: "YAML_INVALID", ...expansion, offset: 0 }] };
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
  if (error.reason === "duplicated mapping key") {
    const duplicates = readPositions(text, events).duplicates;
    const second = secondObject(text, duplicates);
    if (second !== undefined) return [second];
    if (duplicates.length > 0) return duplicates.map(duplicateKey);
  }
  // Blank lines at the end say nothing; the last character that is written does.
  const end = text.trimEnd().length;
  const position = error.mark?.position ?? 0;
  const reason = position >= end && error.reason === INDENTATION ? UNEXPECTED_END : error.reason;
  const unclosed = findUnclosed(text, Math.min(position + 1, end));
  const cause = unclosed && explainUnclosed(reason, unclosed);
  if (unclosed !== undefined && cause !== undefined) {
    return [{ code: "YAML_INVALID", ...cause, offset: unclosed.offset }];
  }
  const explanation = explainYamlError(reason, !mayHoldSecrets(text));
  return [{ code: "YAML_INVALID", ...explanation, offset: Math.min(position, end) }];
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
