/** Text with request variables, split once at compile time. */
export type Interpolation = readonly Segment[];

export type Segment =
  | { readonly literal: string }
  | {
      readonly variable: string;
      /**
       * How the value goes in: `raw` as it is on the wire, `component` percent-encoded as a URI component,
       * `host` only when it is made of host characters, otherwise the request is refused.
       */
      readonly encoding: "raw" | "component" | "host";
    };
