/** Text with request variables, split once at compile time. */
export type Interpolation = readonly Segment[];

export type Segment =
  | { readonly literal: string }
  | {
      readonly variable: string;
      /**
       * How the value goes in: `raw` as it is on the wire, `component` percent-encoded as a URI component,
       * `host` only when it is made of host characters, otherwise the request is refused: letters, digits, `.`, `-`, `_`, or an
       * IPv6 address in brackets, then optionally `:` and digits (what `$http_host` holds). Unset values are empty everywhere.
       */
      readonly encoding: "raw" | "component" | "host";
    };
