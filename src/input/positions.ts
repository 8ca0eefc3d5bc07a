/** Where each field of a YAML text is, and which of its parts hold secrets and must not be shown. */
import {
  CORE_SCHEMA,
  EVENT_ID,
  type Event,
  NOT_RESOLVED,
  SCALAR_STYLE,
  type ScalarEvent,
  boolYaml11Tag,
  defineScalarTag,
  getScalarValue,
  load,
  mergeTag,
} from "js-yaml";
import type { FieldPath } from "../diagnostics/diagnostic.js";
import { own } from "../support/json-object.js";

/** A value's place, as offsets into the text. */
export interface PositionNode {
  /** Where its key begins; for a list item or a document, the value. */
  readonly key: number;
  /** Where the value begins; where the key does if the value is empty. */
  readonly start: number;
  /** Past the value's last character. */
  readonly end: number;
  /** The scalar's text; undefined for collections and aliases. */
  readonly scalar?: string;
  /** Named values of a mapping or numbered ones of a list; of an alias, those of its anchor. */
  readonly children?: ReadonlyMap<string | number, PositionNode>;
  /** What `<<` keys of a mapping bring in; own children come first. Undefined for other values. */
  readonly merged?: readonly PositionNode[];
}

/** A field whose key its mapping has already. `offset`: where it stands for the second time. */
interface DuplicateField {
  readonly document: number;
  readonly field: FieldPath;
  readonly offset: number;
}

export interface Positions {
  /** One for each document, empty ones included. */
  readonly documents: readonly PositionNode[];
  readonly duplicates: readonly DuplicateField[];
  readonly hasAliases: boolean;
}

interface NearestNode {
  readonly node: PositionNode;
  readonly exact: boolean;
}

/** The node of a field, or of the innermost of its parents that is written down. */
export function nearestNode(document: PositionNode, path: FieldPath): NearestNode {
  const found = nearest(document, path);
  if (found.exact) return found;
  // A Secret's stringData is a part of data once it has been read.
  const written = nearest(
    document,
    path.map((step) => (step === "data" ? "stringData" : step)),
  );
  return written.exact ? written : found;
}

function nearest(document: PositionNode, path: FieldPath): NearestNode {
  let node = document;
  for (const step of path) {
    const child = childNode(node, step);
    if (child === undefined) return { node, exact: false };
    node = child;
  }
  return { node, exact: true };
}

/** The place of one member of a collection, merged ones included. */
export function childNode(node: PositionNode, step: string | number): PositionNode | undefined {
  const own = node.children?.get(step);
  if (own !== undefined || node.merged === undefined) return own;
  for (const source of node.merged) {
    const found = childNode(source, step);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function readPositions(text: string, events: readonly Event[]): Positions {
  return new PositionReader(text, events).read();
}

type Mutable = { -readonly [K in keyof PositionNode]: PositionNode[K] };

/** Walks the events once. Nesting is bounded by the parser's depth limit, so recursion is. */
class PositionReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #duplicates: DuplicateField[] = [];
  readonly #documents: PositionNode[] = [];
  /** Of the value that is being read, in its document. */
  readonly #path: (string | number)[] = [];
  #anchors = new Map<string, PositionNode>();
  #next = 0;
  #offset = 0;
  #hasAliases = false;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  read(): Positions {
    const documents = this.#documents;
    while (this.#next < this.#events.length) {
      this.#next += 1;
      this.#anchors = new Map();
      documents.push(this.#node());
      this.#next += 1;
    }
    return { documents, duplicates: this.#duplicates, hasAliases: this.#hasAliases };
  }

  #peek(): Event | undefined {
    return this.#events[this.#next];
  }

  #node(key?: number): PositionNode {
    const event = this.#events[this.#next++];
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event, key);
      case EVENT_ID.ALIAS:
        return this.#alias(
          this.#text.slice(event.anchorStart, event.anchorEnd),
          event.anchorStart - 1,
          key,
        );
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING: {
        const node: Mutable = { key: key ?? event.start, start: event.start, end: event.start };
        this.#anchor(event, node);
        if (event.type === EVENT_ID.SEQUENCE) this.#items(node);
        else this.#fields(node);
        this.#next += 1;
        node.end = this.#offset;
        return node;
      }
      case EVENT_ID.DOCUMENT:
      case EVENT_ID.POP:
      case undefined:
        throw new Error("a value was expected in the YAML events");
    }
  }

  #scalar(event: ScalarEvent, key: number | undefined): PositionNode {
    const written = event.valueStart >= 0;
    const start = written ? quoteStart(event) : (key ?? this.#offset);
    const end = written ? event.valueEnd : start;
    const node = { key: key ?? start, start, end, scalar: getScalarValue(this.#text, event) };
    this.#offset = Math.max(this.#offset, end);
    this.#anchor(event, node);
    return node;
  }

  #alias(name: string, start: number, key: number | undefined): PositionNode {
    this.#hasAliases = true;
    const end = start + 1 + name.length;
    this.#offset = Math.max(this.#offset, end);
    const target = this.#anchors.get(name);
    return { ...target, key: key ?? start, start, end };
  }

  #items(list: Mutable): void {
    const children = new Map<number, PositionNode>();
    list.children = children;
    while (this.#peek()?.type !== EVENT_ID.POP) {
      children.set(children.size, this.#child(children.size));
    }
  }

  #fields(mapping: Mutable): void {
    const children = new Map<string, PositionNode>();
    const merged: PositionNode[] = [];
    const twice = new Set<string>();
    mapping.children = children;
    mapping.merged = merged;
    while (this.#peek()?.type !== EVENT_ID.POP) {
      const keyEvent = this.#peek();
      const keyNode = this.#node();
      const name = keyName(keyEvent, keyNode);
      const value = this.#child(name, keyNode.start);
      if (keyEvent?.type === EVENT_ID.SCALAR && isMergeKey(keyEvent, keyNode)) {
        merged.push(...mergeSources(value));
        continue;
      }
      if (children.has(name) && !twice.has(name)) {
        twice.add(name);
        const at = { document: this.#documents.length, field: [...this.#path, name] };
        this.#duplicates.push({ ...at, offset: value.key });
      }
      children.set(name, value);
    }
  }

  #child(step: string | number, key?: number): PositionNode {
    this.#path.push(step);
    const node = this.#node(key);
    this.#path.pop();
    return node;
  }

  #anchor(event: { anchorStart: number; anchorEnd: number }, node: PositionNode): void {
    if (event.anchorStart < 0) return;
    this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), node);
  }
}

/** The opening quote belongs to the value that a reader sees. */
function quoteStart(event: ScalarEvent): number {
  const quoted =
    event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
  return quoted && event.valueStart > 0 ? event.valueStart - 1 : event.valueStart;
}

function isMergeKey(event: ScalarEvent, node: PositionNode): boolean {
  return event.style === SCALAR_STYLE.PLAIN && node.scalar === "<<";
}

/** `<<` takes one mapping or a list of them. */
function mergeSources(value: PositionNode): readonly PositionNode[] {
  const items = [...(value.children?.entries() ?? [])];
  const isList = items.length > 0 && items.every(([step]) => typeof step === "number");
  return isList ? items.map(([, item]) => item) : [value];
}

/** No number begins so, and no other word stands for a boolean or for nothing. */
const SURELY_TEXT = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_][A-Za-z0-9_./-]*$/i;

/** The property name that the constructor makes of a key: `on: 1` is the property `true`. */
function keyName(event: Event | undefined, node: PositionNode): string {
  const text = node.scalar ?? "";
  const plain = event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN;
  if (!plain || SURELY_TEXT.test(text)) return text;
  try {
    return String(load(text, { schema: MANIFEST_SCHEMA }));
  } catch {
    return text;
  }
}

/** Offsets into a text, both included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The fields of a Secret that may be shown. A misspelt `stringdata` may hold passwords too. */
const PUBLIC_FIELDS = new Set(["apiVersion", "kind", "metadata", "type", "immutable"]);
/** Annotations may hold the whole object (kubectl.kubernetes.io/last-applied-configuration). */
const PUBLIC_METADATA = new Set(["name", "namespace", "labels"]);

/** Whether a text could hold a secret, judged without being able to parse it. */
export function mayHoldSecrets(text: string): boolean {
  return /\bSecret(List)?\b/.test(text) || TRACES.test(text);
}

/** In upper or lower case. `auth-secret` only names a Secret. */
const TRACES = /kind\W{0,4}secret|\bstringData\b|\$apr1\$|PRIVATE KEY/i;

/** The ranges that excerpts must not touch, in order, without overlaps. */
export function secretRanges(positions: Positions, length: number): readonly Range[] {
  const ranges = positions.documents.flatMap(rangesBelow).sort((a, b) => a.start - b.start);
  // An alias can bring a value into a Secret from anywhere, and of a key that stands twice one value is not among the children.
  const isWhole = positions.hasAliases || positions.duplicates.length > 0;
  return ranges.length > 0 && isWhole ? [{ start: 0, end: length }] : ranges;
}

function rangesBelow(node: PositionNode): readonly Range[] {
  // Text that has lost its structure may be a secret's.
  if (node.scalar !== undefined) return [{ start: node.key, end: node.end }];
  if (node.children === undefined) return [];
  if (node.merged !== undefined && isSecret(node)) {
    const metadata = childNode(node, "metadata");
    return [
      ...childrenExcept(node, PUBLIC_FIELDS),
      ...(metadata === undefined ? [] : childrenExcept(metadata, PUBLIC_METADATA)),
    ];
  }
  const items = childNode(node, "items");
  return [...(items?.children?.values() ?? [])].flatMap(rangesBelow);
}

/** A kind in another case and data without a kind count: they may be meant as one. */
function isSecret(node: PositionNode): boolean {
  const kind = childNode(node, "kind")?.scalar;
  if (kind === undefined) return childNode(node, "items") === undefined;
  return /secret$/i.test(kind.trim());
}

function childrenExcept(node: PositionNode, names: ReadonlySet<string>): readonly Range[] {
  const ranges: Range[] = [];
  for (const [step, child] of node.children ?? []) {
    if (!names.has(String(step))) ranges.push({ start: child.key, end: child.end });
  }
  return ranges;
}

/**
 * How plain YAML scalars become values: as kubectl reads them (YAML 1.1 booleans and octals, no base-60 numbers,
 * timestamps stay text), so that a manifest means here what it means in a cluster.
 */

const DECIMAL = /^[-+]?(?:0|[1-9][0-9_]*)$/;
const PREFIXED = /^([-+]?)0([box]?)([0-9a-fA-F_]+)$/;
const RADIX: Readonly<Record<string, number>> = { "": 8, b: 2, o: 8, x: 16 };
const DIGITS: Readonly<Record<number, RegExp>> = {
  2: /^[01]+$/,
  8: /^[0-7]+$/,
  16: /^[0-9a-fA-F]+$/,
};

/** An integer as Go's strconv.ParseInt(text, 0, 64) reads it once underscores are gone. */
function integer(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text.replaceAll("_", ""));
  const match = PREFIXED.exec(text);
  if (match === null) return undefined;
  const [, sign = "", prefix = "", rest = ""] = match;
  const radix = own(RADIX, prefix) ?? 10;
  const digits = rest.replaceAll("_", "");
  if (DIGITS[radix]?.test(digits) !== true) return undefined;
  return (sign === "-" ? -1 : 1) * parseInt(digits, radix);
}

const intTag = defineScalarTag<number>("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: Array.from("-+0123456789"),
  resolve: (text) => {
    const value = integer(text);
    return value === undefined || !Number.isFinite(value) ? NOT_RESOLVED : value;
  },
  identify: (value) => Number.isInteger(value),
});

export const MANIFEST_SCHEMA = CORE_SCHEMA.withTags(boolYaml11Tag, intTag, mergeTag);
