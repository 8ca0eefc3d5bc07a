import { filled } from "../support/json-object.js";
import type { BackendProtocol, Port } from "./upstream.js";

/**
 * What is done for the requests of a rule, or after that for those that one backend of it gets (Gateway API,
 * HTTPBackendRef.filters); a backend's `rewrite` and `host` stand in place of the rule's.
 * @minProperties 1
 */
export interface BackendFilters {
  /** Answers before CORS and auth, as ingress-nginx does, unless `authFirst`. */
  readonly redirect?: Redirect;
  readonly cors?: Cors;
  /** Ids of the auth policies; all must pass, in order. A route without it has those of its listener, unless `ownAuth`. */
  readonly auth?: readonly string[];
  readonly rewrite?: PathRewrite;
  /** Host header for the backend; the client's when absent. */
  readonly host?: string;
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  readonly mirrors?: readonly Mirror[];
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
  readonly port?: Port;
  readonly path?: PathRewrite;
}

export type PathRewrite =
  | readonly ["full", string]
  /** By path elements; the remainder is kept. */
  | readonly ["prefix", prefix: string, replacement: string]
  /**
   * First match of `pattern` in the normalised path; `$1`… are captures. `whole`: the result is the whole new path, else only the
   * match is replaced.
   */
  | readonly ["regex", pattern: string, flags: "" | "i", replacement: string, whole: boolean];

/**
 * None of the lists is empty.
 * @minProperties 1
 */
export interface HeaderChanges {
  readonly set?: readonly Header[];
  readonly add?: readonly Header[];
  /** Lower case. */
  readonly remove?: readonly string[];
}

export type Header = readonly [name: string, value: string];

/** Undefined where nothing is changed. */
export function headerChanges(
  set: readonly Header[],
  add: readonly Header[],
  remove: readonly string[],
): HeaderChanges | undefined {
  if (set.length + add.length + remove.length === 0) return undefined;
  return {
    ...filled("set", set),
    ...filled("add", add),
    ...filled("remove", remove),
  };
}

export interface Cors {
  /** Gateway API's wildcards and defaults: its `*` stands for any number of labels, one of ingress-nginx for one. */
  readonly dialect?: "gateway";
  /** `*`, or origins such as `https://a.example` and `https://*.b.example`. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly expose?: readonly string[];
  readonly credentials: boolean;
  /** Seconds. */
  readonly maxAge: number;
}

/** A share of the requests is sent to one endpoint of another Service too; its answer is ignored. */
export interface Mirror {
  /** Upstream id. */
  readonly upstream: string;
  readonly protocol: BackendProtocol;
  readonly tls?: string;
  /**
   * Share of the requests: `numerator` of `denominator`.
   * @minimum 0
   */
  readonly numerator: number;
  /** @minimum 1 */
  readonly denominator: number;
}
