/** What rules of every kind, and backends of Gateway API's, can do to requests and responses. */

export interface Redirect {
  readonly status: 301 | 302 | 303 | 307 | 308;
  /** Not done for clients that came by this scheme (X-Forwarded-Proto of a trusted proxy, else the connection's). */
  readonly unlessScheme?: "http" | "https";
  /** The whole Location as written; the parts below are then absent. */
  readonly url?: string;
  readonly scheme?: "http" | "https";
  readonly host?: string;
  /** Left out of the Location when it is the scheme's own. Absent: `listenerPort` rules apply. */
  readonly port?: number;
  readonly path?: PathRewrite;
}

export type PathRewrite =
  | { readonly kind: "full"; readonly value: string }
  /** By path elements; the remainder is kept. */
  | { readonly kind: "prefix"; readonly prefix: string; readonly replacement: string }
  /** First match of `pattern` in the normalised path; `$1`… are captures. `whole`: the result is the whole new path, else only the match is replaced. */
  | {
      readonly kind: "regex";
      readonly pattern: string;
      readonly ignoreCase: boolean;
      readonly replacement: string;
      readonly whole: boolean;
    };

export interface HeaderChanges {
  readonly set: readonly { readonly name: string; readonly value: string }[];
  readonly add: readonly { readonly name: string; readonly value: string }[];
  /** Lower case. */
  readonly remove: readonly string[];
}

export interface Cors {
  /** Whose wildcards and defaults: a `*` of ingress-nginx stands for one label, one of Gateway API for any number of them. */
  readonly dialect: "ingress" | "gateway";
  /** `*`, or origins such as `https://a.example` and `https://*.b.example`. */
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  /** Seconds. */
  readonly maxAge: number;
}
