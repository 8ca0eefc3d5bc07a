/**
 * What the model of Gateway API knows of a configuration and of a request. Of the API's objects it has what requests can tell
 * apart; every field means what Gateway API v1.7 says it means.
 */

/** Ports are named by position: the test gives them numbers. */
export type PortIndex = 0 | 1;

export interface World {
  /** Of one Gateway, in namespace `infra`. Each has a port and hostname of its own. */
  readonly listeners: readonly Listener[];
  readonly routes: readonly HttpRoute[];
}

export interface Listener {
  readonly name: string;
  readonly port: PortIndex;
  /** Absent: every host. */
  readonly hostname?: string;
  readonly from: "Same" | "All";
}

export interface HttpRoute {
  readonly name: string;
  readonly namespace: "infra" | "apps";
  /** RFC 3339, so that later is greater. */
  readonly created: string;
  /** Every one names the Gateway. */
  readonly parents: readonly { readonly sectionName?: string; readonly port?: PortIndex }[];
  /** Empty: every host. */
  readonly hostnames: readonly string[];
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** Empty: every path. */
  readonly matches: readonly Match[];
  readonly filters: Filters;
  readonly backends: readonly Backend[];
}

export interface Match {
  readonly path?: { readonly type: PathType; readonly value: string };
  readonly method?: string;
  readonly headers: readonly NamedValue[];
  readonly query: readonly NamedValue[];
}

export type PathType = "Exact" | "PathPrefix" | "RegularExpression";

export interface NamedValue {
  readonly type: "Exact" | "RegularExpression";
  readonly name: string;
  readonly value: string;
}

/** At most one of each kind, as the API has it. */
export interface Filters {
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  readonly redirect?: Redirect;
  readonly rewrite?: Rewrite;
  /** A type that nobody knows. */
  readonly unknown?: true;
}

export interface HeaderChanges {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
}

export interface Header {
  readonly name: string;
  readonly value: string;
}

export interface Redirect {
  readonly scheme?: "http" | "https";
  readonly hostname?: string;
  readonly port?: number;
  readonly statusCode?: number;
  readonly path?: PathModifier;
}

export interface Rewrite {
  readonly hostname?: string;
  readonly path?: PathModifier;
}

export type PathModifier =
  | { readonly type: "ReplaceFullPath"; readonly value: string }
  | { readonly type: "ReplacePrefixMatch"; readonly value: string };

export interface Backend {
  /** `one` and `two` answer; `empty` has no endpoints; `missing` is no Service; `foreign` is one of a namespace without a grant. */
  readonly name: "one" | "two" | "empty" | "missing" | "foreign";
  /** Absent: 1. */
  readonly weight?: number;
  readonly filters: Filters;
}

export interface Request {
  readonly port: PortIndex;
  /** The Host header, with a port or without. */
  readonly host: string;
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: readonly Header[];
}

/** What a client and a backend see of a request. */
export interface Outcome {
  readonly status: number;
  /** Of a redirect. */
  readonly location?: string;
  /** What the backend got, and what its answer became. */
  readonly forwarded?: Forwarded;
}

export interface Forwarded {
  readonly backend: string;
  readonly url: string;
  readonly host: string;
  /** The headers that the model watches, values of lines joined with `,`; absent ones are empty. */
  readonly request: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>>;
}

/** The headers that matches and filters are about. */
export const REQUEST_HEADERS = ["X-One", "X-Two"];
export const RESPONSE_HEADERS = ["X-Answer", "X-More"];
/** What backends answer, before filters. */
export const ANSWERED: Readonly<Record<string, string>> = { "X-Answer": "plain", "X-More": "" };
