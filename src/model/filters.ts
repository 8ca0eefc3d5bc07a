import { filled } from "../support/json-object.js";
import type { HeaderTemplate } from "./auth.js";
import type { BackendProtocol, Port } from "./upstream.js";
import type { Interpolation } from "./values.js";

/**
 * Filters of a rule, or of one of its backends, which run after the rule's (Gateway API, HTTPBackendRef.filters). A backend's
 * `rewrite` and `host` replace the rule's.
 * @minProperties 1
 */
export interface BackendFilters {
  /** Sent before auth, as in ingress-nginx, unless `authFirst`; preflights that `cors` answers come first. */
  readonly redirect?: Redirect;
  readonly cors?: Cors;
  /** Ids of the auth policies; all must pass, in order. Absent: the policies of the listener, unless `ownAuth`. */
  readonly auth?: readonly string[];
  readonly rewrite?: PathRewrite;
  /** Host header for the backend. Absent: the client's. */
  readonly host?: string;
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  readonly mirrors?: readonly Mirror[];
}

export interface Redirect {
  readonly status: 301 | 302 | 303 | 307 | 308;
  /** No redirect for clients that use this scheme (X-Forwarded-Proto of a trusted proxy, otherwise the connection's). */
  readonly unlessScheme?: "http" | "https";
  /** The whole Location: an http or https URL, or a path; then the fields below it are absent. */
  readonly url?: Interpolation;
  /** The pattern whose captures `url` uses, matched against the normalised path. */
  readonly captures?: readonly [pattern: string, flags: "" | "i"];
  /** The client's query is appended to `url`. */
  readonly keepsQuery?: true;
  readonly scheme?: "http" | "https";
  readonly host?: string;
  /**
   * Left out of the Location if it is the scheme's default. Absent: the scheme's default if `scheme` is set or the client's scheme is
   * not the listener's, otherwise the listener's port.
   */
  readonly port?: Port;
  readonly path?: PathRewrite;
}

export function isRedirectStatus(status: number): status is Redirect["status"] {
  return [301, 302, 303, 307, 308].includes(status);
}

export type PathRewrite =
  | readonly ["full", string]
  /** By path elements; the remainder is kept. */
  | readonly ["prefix", prefix: string, replacement: string]
  /**
   * First match of `pattern` in the normalised path, whose captures `replacement` may use. `whole`: the result is the whole new path, and
   * its query after a `?`, else only the match is replaced.
   */
  | readonly [
      "regex",
      pattern: string,
      flags: "" | "i",
      replacement: Interpolation,
      whole: boolean,
    ];

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

/** Undefined: there are no changes. */
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

/**
 * One step of nginx's rewrite phase (snippets of Ingresses). Texts may use slots: 0 to 9 are the captures of the last expression that matched,
 * those from 10 on are variables of the snippet.
 */
export type FlowStep =
  | readonly ["set", slot: number, value: Interpolation]
  /** Skips so many steps unless the test holds. `number`: for `ifs` of HeaderStep; 0: none. */
  | readonly ["if", subject: Interpolation, test: FlowTest, skip: number, number: number]
  /** Answers; nginx's own text for a status from 400 on, if the body is empty. */
  | readonly ["return", status: number, body: Interpolation, contentType: string]
  | readonly ["redirect", Redirect]
  /** A new path, and its query after a `?`. `last`: the route of the new path serves the request; `break`: this one does, without its `rewrite`. */
  | readonly ["rewrite", target: Interpolation, end: "" | "last" | "break"]
  | readonly ["break"];

export type FlowTest =
  /** Neither empty nor `0`. */
  | readonly ["on"]
  | readonly ["eq" | "ne", Interpolation]
  | readonly ["regex" | "noRegex", pattern: string, flags: "" | "i"];

/** One change of headers; the changes of a list are made in order, so a later one sees an earlier one (snippets of Ingresses). */
export interface HeaderStep {
  /**
   * Only after one of these conditions was the last of `flow` that held, by their numbers; 0: none held. Absent: in any case.
   * @minItems 1
   */
  readonly ifs?: readonly number[];
  /** Adds lines. Absent: replaces all lines of the name. */
  readonly adds?: true;
  /**
   * A header whose value is empty is not added, or is removed; then `*` at the end of its name stands for any ending.
   * @minItems 1
   */
  readonly headers: readonly HeaderTemplate[];
  /** Replaces only headers that the message has. */
  readonly ifPresent?: true;
  /**
   * Only for responses with one of these statuses.
   * @minItems 1
   */
  readonly statuses?: readonly number[];
  /**
   * Only for messages with one of these content types, in lower case.
   * @minItems 1
   */
  readonly types?: readonly string[];
  /** Only for responses of backends. */
  readonly ofBackend?: true;
}

export interface Cors {
  /** Gateway API's wildcards and defaults: `*` stands for any number of labels. Absent: ingress-nginx's, where it stands for one. */
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

/** Also sends a share of the requests to one endpoint of another Service; its answer is ignored. */
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
