import type { Domains } from "../../options.js";
import type { AnnotationPrefix, PathIndex } from "./annotation-lookup.js";

/** A key of our domains, taken apart. */
export interface AnnotationKey {
  readonly prefix: AnnotationPrefix;
  readonly name: string;
  /** Of an index prefix; undefined when it is not two numbers. */
  readonly index?: PathIndex;
}

const INDEX = /^(0|[1-9]\d{0,8})-(0|[1-9]\d{0,8})$/;

/** Undefined: the key is of another domain. */
export function parseAnnotationKey(key: string, domains: Domains): AnnotationKey | undefined {
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
