/** How a binding matches the normalised path (percent-decoded, `//` merged, dot segments removed). */
export type PathMatch =
  | { readonly kind: "any" }
  | { readonly kind: "exact"; readonly value: string }
  /** By path elements: `/a` matches `/a`, `/a/` and `/a/b`, not `/ab`. No trailing slash; `""` is the prefix `/`. */
  | { readonly kind: "prefix"; readonly value: string }
  /** Plain string prefix: `/a` matches `/ab` too (dslx STARTS_WITH). */
  | { readonly kind: "start"; readonly value: string }
  /** PCRE, unanchored unless the pattern is. */
  | { readonly kind: "regex"; readonly pattern: string; readonly ignoreCase: boolean };

/** One condition: the value named by `of` and `key` passes at least one of the tests. A missing value passes none. */
export interface Predicate {
  readonly of: "method" | "path" | "host" | "sourceIp" | "header" | "query" | "cookie";
  /** Name of the header (lower case), query parameter or cookie. */
  readonly key?: string;
  readonly any: readonly ValueTest[];
}

export type ValueTest =
  | { readonly op: "eq"; readonly value: string }
  | { readonly op: "in"; readonly values: readonly string[] }
  | { readonly op: "start"; readonly value: string }
  | { readonly op: "end"; readonly value: string }
  /** Exactly one label in front of the suffix, for hosts (`*.example`). */
  | { readonly op: "oneLabel"; readonly suffix: string }
  | { readonly op: "regex"; readonly pattern: string }
  /** Inclusive; addresses as addresses, numbers as numbers. */
  | { readonly op: "range"; readonly low: string; readonly high: string }
  | { readonly op: "cidr"; readonly cidr: string }
  | { readonly op: "exists" };
