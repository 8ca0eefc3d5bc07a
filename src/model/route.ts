import type { BackendFilters, FlowStep, HeaderStep } from "./filters.js";
import type { BackendProtocol, Refusal } from "./upstream.js";
import type { HostPattern, Interpolation, SourceRef } from "./values.js";
import { compareBy, compareStrings } from "../support/collections.js";

/** What happens to the requests of one rule. Absent fields: nothing of the kind is done. */
export interface Route extends BackendFilters {
  /** Unique and stable, such as `ingress/default/web/0-0`; it names the route in logs. */
  readonly id: string;
  readonly source: SourceRef;
  /** Answers every request at once, because the content of the rule was refused. */
  readonly refuse?: Refusal;
  /** The redirect comes after auth, if there is any, and CORS preflights, so only requests that pass get it. */
  readonly authFirst?: true;
  /** Largest request body in bytes; above it 413. 0: any; absent: the gateway's own limit, which policy.json has in each route. */
  readonly bodyLimit?: number;
  /**
   * The limit has no locations of its own (docs/adr/one-location.md): a body without a declared length is held until it can be compared
   * with the limit, at most 128 KiB.
   */
  readonly holdsBody?: true;
  readonly limits?: RateLimits;
  /** CIDRs. A client in `deny` is refused first, then a client outside `allow`, if present. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Source ranges or auth must pass; the first success wins. Absent: all must pass. */
  readonly satisfy?: "any";
  /** The route itself switches auth off, so its listener's policies do not apply (see InheritedAuth). */
  readonly ownAuth?: true;
  /** Absent: DEFAULT_TIMEOUTS. */
  readonly timeouts?: Timeouts;
  readonly deadlines?: Deadlines;
  readonly retry?: Retry;
  /**
   * Answers 502, 503 and 504 one after another for which an endpoint is left out. Absent: those of the gateway, which policy.json has in
   * each route; 0: answers say nothing.
   * @minimum 0
   */
  readonly outageErrors?: number;
  readonly affinity?: Affinity;
  /** The endpoint follows from a hash of the text, unless there is `affinity` or `session`. */
  readonly hashBy?: Interpolation;
  /**
   * Any of so many endpoints that follow from the hash.
   * @minimum 1
   */
  readonly hashSubset?: number;
  /** Replaces `affinity`. */
  readonly session?: Session;
  /** Attributes of the cookie of `affinity` or `session`. */
  readonly sessionCookie?: SessionCookie;
  /** Each part of a response goes to the client as it comes. Absent: nginx buffers responses, unless request or backend say otherwise. */
  readonly streamed?: true;
  /** Headers of responses may have 256 KiB instead of 16 KiB; then responses are streamed. Only for `http` and `https`. */
  readonly largeHeaders?: true;
  /**
   * Percentage of requests that are sampled for traces. Absent: the gateway's rate.
   * @minimum 0
   * @maximum 100
   */
  readonly traceRate?: number;
  /** Absent: those of the gateway, if it has any. */
  readonly errorPages?: ErrorPages;
  /**
   * Run before all filters, and before another route is chosen by the path that they write. `flow` runs after it, once for each route.
   * @minItems 1
   */
  readonly hostFlow?: readonly FlowStep[];
  /** @minItems 1 */
  readonly flow?: readonly FlowStep[];
  /**
   * Made after auth, before `requestHeaders`.
   * @minItems 1
   */
  readonly requestSteps?: readonly HeaderStep[];
  /**
   * Made on responses of the backend and of the gateway, before `cors` and `responseHeaders`.
   * @minItems 1
   */
  readonly responseSteps?: readonly HeaderStep[];
  readonly backends?: readonly Backend[];
}

/**
 * Which answers a page replaces, and whose page. The gateway's own refusals are among them; gRPC and WebSockets get none.
 * @minProperties 1
 */
export interface ErrorPages {
  /**
   * Statuses from 400 to 599 in ascending order, each once. Absent: those of the gateway.
   * @minItems 1
   */
  readonly statuses?: readonly number[];
  /**
   * Id of the upstream that has the pages, and that also answers if the route's own upstream has no endpoint. Absent, or without
   * endpoints: the gateway's own pages.
   */
  readonly upstream?: string;
}

/** One destination of a route. Its share of requests is its weight divided by the sum of weights. */
export interface Backend {
  /** Absent if the reference could not be resolved; then its share of requests gets `refuse`. */
  readonly upstream?: string;
  /** @minimum 0 */
  readonly weight: number;
  readonly protocol: BackendProtocol;
  readonly refuse?: Refusal;
  /** Run after the route's own, for requests of this backend. */
  readonly filters?: BackendFilters;
  /** Id of the verified TLS to its endpoints (`https` and `grpcs`). Absent: as the protocol says, unverified. */
  readonly tls?: string;
}

/** How a client stays on one endpoint (session_affinity_policy of Rules and Frontends, affinity annotations). */
export type Affinity =
  readonly ["clientAddress"] | readonly [by: "header" | "cookie", name: string];

/**
 * The gateway names the client's endpoint in a cookie or header of the response, and sends the client there as long as the endpoint
 * serves (Gateway API, SessionPersistence).
 */
export interface Session {
  readonly in: "cookie" | "header";
  readonly name: string;
  /** Path of the cookie. */
  readonly path: string;
  /**
   * Maximum duration of a session in seconds.
   * @minimum 1
   */
  readonly absoluteTimeout?: number;
  /** The cookie has Max-Age of `absoluteTimeout`, so it outlives the browser. */
  readonly permanent?: true;
  /** A client whose endpoint fails keeps the one that answers instead, also if the failure is short. */
  readonly moves?: true;
}

/** What a cookie that keeps a client on an endpoint says besides its value; HttpOnly always (session-cookie-* annotations). */
export interface SessionCookie {
  /** Of a cookie of `affinity`. Absent: `/`. */
  readonly path?: string;
  readonly domain?: string;
  /** Seconds. */
  readonly maxAge?: number;
  /** Seconds from now. */
  readonly expires?: number;
  readonly sameSite?: "None" | "Lax" | "Strict";
  /** No SameSite=None for browsers that take it for Strict. */
  readonly conditional?: true;
  /** Absent: only for clients of https. */
  readonly secure?: true;
  readonly partitioned?: true;
}

/** How fast each client may send requests; others get 503, before source ranges and auth. */
export interface RateLimits {
  /** What is counted together: `<namespace>/<name>` of the Ingress. */
  readonly of: string;
  /**
   * Each must allow a request.
   * @minItems 1
   */
  readonly rates: readonly RateLimit[];
  /** CIDRs of clients without limits. */
  readonly except?: readonly string[];
}

export interface RateLimit {
  /** @minimum 1 */
  readonly requests: number;
  readonly seconds: 1 | 60;
  /**
   * How many more may come at once.
   * @minimum 0
   */
  readonly burst: number;
}

/** Where a route is tried. A listener tries its bindings in byte order of the host's `rank` followed by `order`. */
export interface RouteBinding {
  /** All bindings of a rule share one list object, so work for a list is done once. */
  readonly at: readonly BindingPlaces[];
  /** Undefined: any path. */
  readonly path: PathMatch | undefined;
  /** All must hold. */
  readonly when: readonly Predicate[];
  /** Computed by `translate/precedence.ts`; together with the rank unique in a listener. */
  readonly order: string;
  readonly route: string;
}

/** Sorts by first listener, then in the order in which a listener tries them. */
export const inBindingOrder = compareBy<RouteBinding>(
  (a, b) => compareStrings(firstListener(a), firstListener(b)),
  (a, b) => compareStrings(a.order, b.order),
);

function firstListener({ at: [first] }: RouteBinding): string {
  return first?.listeners[0] ?? "";
}

/** Every host on every listener. */
export interface BindingPlaces {
  /** Sorted ids. */
  readonly listeners: readonly string[];
  readonly hosts: readonly BoundHost[];
}

export interface BoundHost {
  readonly host: HostPattern;
  /** For requests whose host no other binding of the listener names, in place of `host`, which is any. */
  readonly isUnnamed?: true;
  /** Precedes the `order` of each binding. */
  readonly rank: string;
}

export function onePlace(listener: string, host: HostPattern): readonly BindingPlaces[] {
  return [{ listeners: [listener], hosts: [{ host, rank: "" }] }];
}

/** @minimum 0 */
export type Milliseconds = number;

/** Timeouts to the backend: for connecting, between two writes, between two reads. */
export interface Timeouts {
  readonly connect: Milliseconds;
  readonly send: Milliseconds;
  readonly read: Milliseconds;
}

/**
 * After a deadline the client gets 504, or its response ends (Gateway API, HTTPRouteTimeouts). Absent: none.
 * @minProperties 1
 */
export interface Deadlines {
  /** For the whole answer, including all tries. */
  readonly request?: Milliseconds;
  /** For each try. */
  readonly backendRequest?: Milliseconds;
}

/**
 * Retries answers with one of the codes and failures to connect, up to `attempts` times (Gateway API, HTTPRouteRetry). Absent: only
 * failures to connect are retried, on other endpoints.
 */
export interface Retry {
  /** In ascending order. */
  readonly codes?: readonly (500 | 502 | 503 | 504)[];
  /**
   * Tries after the first.
   * @minimum 0
   */
  readonly attempts: number;
}

/** Milliseconds that fit into a 32-bit timer. */
export const MAX_TIMEOUT = 2 ** 31 - 1;

export const DEFAULT_TIMEOUTS: Timeouts = { connect: 5000, send: 120_000, read: 120_000 };

/** Absent for the defaults: nginx.conf has them, so they cost no call in the balancer. */
export function routeTimeouts(timeouts: Timeouts): Pick<Route, "timeouts"> {
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  const isDefault =
    timeouts.connect === connect && timeouts.send === send && timeouts.read === read;
  return isDefault ? {} : { timeouts };
}

/** How a binding matches the normalised path (percent-decoded, `//` merged, dot segments removed). */
export type PathMatch =
  | readonly ["exact", string]
  /** By path elements: `/a` matches `/a`, `/a/` and `/a/b`, not `/ab`. No trailing slash; `""` is the prefix `/`. */
  | readonly ["prefix", string]
  /** Plain string prefix: `/a` matches `/ab` too (dslx STARTS_WITH). */
  | readonly ["start", string]
  /** PCRE, unanchored unless the pattern is. */
  | readonly ["regex", pattern: string, flags: "" | "i"];

/** One condition: the value named by `of` and `key` must pass at least one test. A missing value passes none. */
export interface Predicate {
  readonly of: "method" | "path" | "host" | "sourceIp" | "header" | "query" | "cookie";
  /** Name of the header (lower case), query parameter or cookie. */
  readonly key?: string;
  /** @minItems 1 */
  readonly any: readonly ValueTest[];
}

export type ValueTest =
  | readonly ["eq" | "start" | "end" | "regex", string]
  /** Is one of them. */
  | readonly ["in", ...string[]]
  /** Exactly one label in front of the suffix, for hosts (`*.example`). */
  | readonly ["oneLabel", suffix: string]
  /** Inclusive; addresses as addresses, numbers as numbers. */
  | readonly ["range", low: string, high: string]
  | readonly ["cidr", string]
  | readonly ["exists"];
