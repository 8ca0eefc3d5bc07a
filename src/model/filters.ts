import { filled } from "../support/json-object.js";
import type { Port } from "./upstream.js";

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
