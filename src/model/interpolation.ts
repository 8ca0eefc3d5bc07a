/** Text with request variables, split once at compile time. */
export type Interpolation = readonly Segment[];

/**
 * Literal text, or a variable and how its value goes in: `raw` as it is on the wire, `component` percent-encoded as a URI component,
 * `host` only when it is made of host characters, otherwise the request is refused: letters, digits, `.`, `-`, `_`, or an IPv6
 * address in brackets, then optionally `:` and digits (what `$http_host` holds). Unset values are empty everywhere.
 */
export type Segment = string | readonly [variable: string, encoding: "raw" | "component" | "host"];
