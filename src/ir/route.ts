import type { HostPattern } from "./host-pattern.js";
import type { PathMatch, Predicate } from "./match.js";
import type { SourceRef } from "./source-ref.js";
import type { Affinity, Backend, Refusal } from "./upstream.js";

/** What happens to the requests of one rule. Absent fields: nothing of the kind is done. */
export interface Route {
  /** Unique and stable, such as `ingress/default/web/0-0`; it names the route in logs. */
  readonly id: string;
  readonly source: SourceRef;
  /** Answers every request at once; for rules that were refused for their content. */
  readonly refusal?: Refusal;
  /** Answers before CORS and auth. */
  readonly redirect?: Redirect;
  readonly cors?: Cors;
  /** Largest request body in bytes; above it 413. */
  readonly bodyLimit?: number;
  readonly sourceRanges?: SourceRanges;
  /** `any`: source ranges and auth are alternatives, the first success wins. */
  readonly satisfy: "all" | "any";
  /** Ids of the auth policies; all must pass, in order. */
  readonly auth: readonly string[];
  readonly rewrite?: PathRewrite;
  /** Host header for the backend; the client's when absent. */
  readonly upstreamHost?: string;
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  readonly timeouts: Timeouts;
  readonly affinity?: Affinity;
  readonly backends: readonly Backend[];
}

/** Where a route is tried: bindings of one listener are tried in byte order of `order`. */
export interface RouteBinding {
  readonly listener: string;
  readonly host: HostPattern;
  readonly path: PathMatch;
  /** All must hold. */
  readonly when: readonly Predicate[];
  /** Made by `translate/precedence.ts`; unique within a listener. */
  readonly order: string;
  readonly route: string;
}

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
  /** `*`, or origins such as `https://a.example` and `https://*.b.example` (one label). */
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  /** Seconds. */
  readonly maxAge: number;
}

/** CIDRs; a client in `deny` is refused, then one outside a non-empty `allow`. */
export interface SourceRanges {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Milliseconds to the backend: connecting, between two writes, between two reads. */
export interface Timeouts {
  readonly connect: number;
  readonly send: number;
  readonly read: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connect: 5000, send: 120_000, read: 120_000 };
