/** How a binding matches the normalised path (percent-decoded, `//` merged, dot segments removed). */
export type PathMatch =
  | readonly ["exact", string]
  /** By path elements: `/a` matches `/a`, `/a/` and `/a/b`, not `/ab`. No trailing slash; `""` is the prefix `/`. */
  | readonly ["prefix", string]
  /** Plain string prefix: `/a` matches `/ab` too (dslx STARTS_WITH). */
  | readonly ["start", string]
  /** PCRE, unanchored unless the pattern is. */
  | readonly ["regex", pattern: string, flags: "" | "i"];

/** One condition: the value named by `of` and `key` passes at least one of the tests. A missing value passes none. */
export interface Predicate {
  readonly of: "method" | "path" | "host" | "sourceIp" | "header" | "query" | "cookie";
  /** Name of the header (lower case), query parameter or cookie. */
  readonly key?: string;
  /** @minItems 1 */
  readonly any: readonly ValueTest[];
}

export type ValueTest =
  | readonly ["eq" | "start" | "end" | "regex", string]
  /** Is one of them. */
  | readonly ["in", ...string[]]
  /** Exactly one label in front of the suffix, for hosts (`*.example`). */
  | readonly ["oneLabel", suffix: string]
  /** Inclusive; addresses as addresses, numbers as numbers. */
  | readonly ["range", low: string, high: string]
  | readonly ["cidr", string]
  | readonly ["exists"];
