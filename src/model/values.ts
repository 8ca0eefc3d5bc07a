/**
 * Origin of a part of the configuration: the user's object and field, as text such as `spec.rules[0].http.paths[1]`. Only for
 * explanations and logs.
 */
export type SourceRef = readonly [kind: string, namespace: string, name: string, field: string];

/** Text with request variables, split once at compile time. */
export type Interpolation = readonly Segment[];

/**
 * Literal text, or a variable or the number of a capture (0: the whole match) and its encoding. `raw`: as it is on the wire. `component`:
 * percent-encoded as a URI component. `path`, `query`: what can't stand in a path or in the value of a parameter is percent-encoded.
 * `start`: as `path`, and a value begins with exactly one `/`. `host`: the request is refused unless the value consists of letters, digits,
 * `.`, `-`, `_`, or is an IPv6 address in brackets, then optionally `:` and digits (as in `$http_host`). Unset values are empty.
 */
export type Segment =
  | string
  | readonly [variable: string, encoding: Encoding]
  | readonly [capture: number, encoding: Encoding];

export type Encoding = "raw" | "component" | "path" | "query" | "start" | "host";

/**
 * Which hosts a listener, binding or certificate is for. Names are lower case, without port and trailing dot.
 * `labels: "one"` is Ingress's and X.509's wildcard, `"many"` is Gateway API's, which matches any depth ≥ 1.
 */
export type HostPattern =
  | { readonly kind: "any" }
  | { readonly kind: "exact"; readonly host: string }
  | { readonly kind: "wildcard"; readonly suffix: string; readonly labels: "one" | "many" };

export const ANY_HOST: HostPattern = { kind: "any" };

/** The pattern as a key: `""`, `a.example`, `*.example` (one label), `**.example` (any depth). */
export function hostKey(pattern: HostPattern): string {
  switch (pattern.kind) {
    case "any":
      return "";
    case "exact":
      return pattern.host;
    case "wildcard":
      return pattern.labels === "one" ? `*.${pattern.suffix}` : `**.${pattern.suffix}`;
  }
}

/** The pattern as its author wrote it: `*.a.example` for both kinds of wildcard; `""` for any host. */
export function hostText(pattern: HostPattern): string {
  return pattern.kind === "wildcard" ? `*.${pattern.suffix}` : hostKey(pattern);
}
