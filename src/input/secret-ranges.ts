/** Which parts of a text hold secrets, so that no excerpt ever shows one. */
import { childNode } from "./positions.js";
import type { PositionNode, Positions } from "./positions.js";

/** Offsets into a text, both included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What of a Secret may be shown. All else may not: a misspelt `stringdata` holds passwords too. */
const PUBLIC_FIELDS = new Set(["apiVersion", "kind", "metadata", "type", "immutable"]);
/** Annotations may hold the whole object (kubectl.kubernetes.io/last-applied-configuration). */
const PUBLIC_METADATA = new Set(["name", "namespace", "labels"]);

/** Whether a text could hold a secret, judged without being able to parse it. */
export function mayHoldSecrets(text: string): boolean {
  return /\bSecret(List)?\b/.test(text) || TRACES.test(text);
}

/** In any letters; but `auth-secret`, which only names one, is none. */
const TRACES = /kind\W{0,4}secret|\bstringData\b|\$apr1\$|PRIVATE KEY/i;

/** The ranges that excerpts must not touch, in order and apart from each other. */
export function secretRanges(positions: Positions, length: number): readonly Range[] {
  const ranges = positions.documents.flatMap(rangesBelow).sort((a, b) => a.start - b.start);
  // An alias can bring a value into a Secret from anywhere in the document.
  return ranges.length > 0 && positions.hasAliases ? [{ start: 0, end: length }] : ranges;
}

function rangesBelow(node: PositionNode): readonly Range[] {
  // Text that has lost its structure may be a secret's.
  if (node.scalar !== undefined) return [{ start: node.key, end: node.end }];
  if (node.children === undefined) return [];
  if (isMapping(node) && isSecret(node)) {
    const metadata = childNode(node, "metadata");
    return [
      ...childrenExcept(node, PUBLIC_FIELDS),
      ...(metadata === undefined ? [] : childrenExcept(metadata, PUBLIC_METADATA)),
    ];
  }
  const items = childNode(node, "items");
  return [...(items?.children?.values() ?? [])].flatMap(rangesBelow);
}

function isMapping(node: PositionNode): boolean {
  return node.merged !== undefined;
}

/** Also what may be meant as one: a kind in other letters, or data without a kind. */
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
