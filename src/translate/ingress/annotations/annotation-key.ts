import type { Domains } from "../../../model/options.js";
import { memoized, memoizedText } from "../../../support/collections.js";
import { isNear, prefixDistances } from "../../../support/did-you-mean.js";

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
  /** The domain is made of words of ours, or there is none: it may be of something else where its name is not one of ours. */
  readonly isGuess?: true;
}

const INDEX = /^(0|[1-9]\d{0,8})-(0|[1-9]\d{0,8})$/;

/** Undefined: the key is of another domain, which is not near to ours either. */
export function parseAnnotationKey(key: string, domains: Domains): AnnotationKey | undefined {
  return exactKey(key, domains) ?? nearKeys(domains)(key);
}

/** Labels and annotations of charts have the same keys on many objects. */
const nearKeys = memoized((domains: Domains) =>
  memoizedText((key) => misspeltKey(key, domains) ?? guessedKey(key, domains)),
);

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

const SEPARATOR = /[./:\\_-]/;
const FARTHEST = 2;

/** A key with a domain of one or two wrong letters, letters in another case, or another separator than the slash, or none. */
function misspeltKey(key: string, domains: Domains): AnnotationKey | undefined {
  const text = key.replace(/\d{1,9}-\d{1,9}/, "0-0");
  const index = `index.0-0.${domains.annotations}`;
  const prefixes: readonly (readonly [string, AnnotationPrefix, string])[] = [
    [domains.compatAnnotations, "compat", domains.compatAnnotations],
    [domains.annotations, "own", domains.annotations],
    [index, "index", index],
    // Of Rules.
    [`alb.rule.${domains.labels}`, "own", domains.annotations],
  ];
  let best: { readonly key: AnnotationKey; readonly doubt: number } | undefined;
  for (const [written, prefix, meant] of prefixes) {
    for (const [cut, distance] of prefixDistances(text, written, FARTHEST).entries()) {
      if (distance > FARTHEST) continue;
      const separation = separationAt(text, cut);
      const doubt = distance + separation * (FARTHEST + 1);
      if (separation > 2 || doubt >= (best?.doubt ?? Infinity)) continue;
      const name = text.slice(separation === 2 ? cut : cut + 1);
      best = { key: { prefix, name, meant }, doubt };
    }
  }
  return best?.key;
}

/** How doubtful it is that a domain ends there: at the slash, at another separator, without any where no slash is, or never. */
function separationAt(text: string, cut: number): 0 | 1 | 2 | 3 {
  const slash = text.indexOf("/");
  if (cut === slash) return 0;
  if (SEPARATOR.test(text.charAt(cut))) return 1;
  return slash < 0 ? 2 : 3;
}

const COMMON_WORDS = ["index", "networking", "k8s", "www"];
/** Of the controller for load balancers of AWS, whose words are all ours. */
const FOREIGN = "alb.ingress.kubernetes.io";

/** A key whose domain is made of words of our domains, in any order and number and below any top level, or stands below our own one. */
function guessedKey(key: string, domains: Domains): AnnotationKey | undefined {
  const slash = key.lastIndexOf("/");
  const domain = key.slice(0, Math.max(0, slash));
  const { annotations, compatAnnotations, labels } = domains;
  const words = [annotations, compatAnnotations, labels].join(".").split(".").concat(COMMON_WORDS);
  const parts = domain.split(/[./:\\_]/);
  const isMade = parts
    .slice(0, parts.length > 2 ? -1 : undefined)
    .every((word) => /^[\d-]*$/.test(word) || words.some((known) => isNear(word, known)));
  const isOurs = isMade || domain.endsWith(`.${annotations}`);
  if (!isOurs || domain === FOREIGN) return undefined;
  return { prefix: "compat", name: key.slice(slash + 1), meant: compatAnnotations, isGuess: true };
}
