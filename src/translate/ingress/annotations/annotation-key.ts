import type { Domains } from "../../../model/options.js";
import { memoized, memoizedText } from "../../../support/collections.js";
import { isNear } from "../../../support/did-you-mean.js";

/**
 * Where an annotation is read, highest priority first: `index.<rule>-<path>.<own domain>/` (one path of one rule, both
 * counted from 0), `<own domain>/`, `<compatible domain>/`. Source: specification, annotation prefix priority.
 */
export type AnnotationPrefix = "index" | "own" | "compat";
export const EVERY_PREFIX: readonly AnnotationPrefix[] = ["index", "own", "compat"];

/** Positions in `spec.rules` and in that rule's `http.paths`. */
export interface PathIndex {
  readonly rule: number;
  readonly path: number;
}

/** A key of our domains, taken apart. */
export interface AnnotationKey {
  readonly prefix: AnnotationPrefix;
  readonly name: string;
  /** Of an index prefix; undefined when it is not two numbers. */
  readonly index?: PathIndex;
  /** The domain is not ours but near to this one, which was probably meant. */
  readonly meant?: string;
}

const INDEX = /^(0|[1-9]\d{0,8})-(0|[1-9]\d{0,8})$/;

/** Undefined: the key is of another domain, which is not one or two letters from ours either. */
export function parseAnnotationKey(key: string, domains: Domains): AnnotationKey | undefined {
  return exactKey(key, domains) ?? nearKeys(domains)(key);
}

/** Labels and annotations of charts have the same keys on many objects. */
const nearKeys = memoized((domains: Domains) => memoizedText((key) => misspeltKey(key, domains)));

/** The same of a key whose domain is exactly one of ours. */
export function exactKey(key: string, domains: Domains): AnnotationKey | undefined {
  const slash = key.indexOf("/");
  const domain = key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (domain === domains.compatAnnotations) return { prefix: "compat", name };
  if (domain === domains.annotations) return { prefix: "own", name };
  const suffix = `.${domains.annotations}`;
  if (!domain.startsWith("index.") || !domain.endsWith(suffix)) return undefined;
  const match = INDEX.exec(domain.slice("index.".length, -suffix.length));
  const index = match && { rule: Number(match[1]), path: Number(match[2]) };
  return { prefix: "index", name, ...(index && { index }) };
}

export function pathKey({ rule, path }: PathIndex): string {
  return `${String(rule)}-${String(path)}`;
}

function misspeltKey(
  key: string,
  { annotations, compatAnnotations }: Domains,
): AnnotationKey | undefined {
  const slash = key.indexOf("/");
  const domain = key.slice(0, Math.max(slash, 0)).replace(/\d{1,9}-\d{1,9}/, "0-0");
  const ours: readonly (readonly [AnnotationPrefix, string])[] = [
    ["compat", compatAnnotations],
    ["own", annotations],
    ["index", `index.0-0.${annotations}`],
  ];
  const found = ours.find(([, known]) => isNear(domain, known));
  return found && { prefix: found[0], name: key.slice(slash + 1), meant: found[1] };
}
