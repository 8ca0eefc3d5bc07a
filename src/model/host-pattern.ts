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
