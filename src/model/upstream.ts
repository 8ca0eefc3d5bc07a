import type { Route } from "./route.js";

/** The endpoints of one Service port; a change of them touches nothing else. */
export interface Upstream {
  /** `<namespace>/<service>/<port>`. */
  readonly id: string;
  /** Sorted by address and port, without repeats. */
  readonly endpoints: readonly Endpoint[];
}

export interface Endpoint {
  /** IPv4 or IPv6 address, no brackets. */
  readonly address: string;
  readonly port: number;
}

/** `h2c` is HTTP/2 in clear text without gRPC's way to say errors. */
export type BackendProtocol = "http" | "https" | "grpc" | "grpcs" | "h2c";

/** One destination of a route; share of the traffic is weight over the sum of weights. */
export interface Backend {
  /** Absent when the reference could not be resolved: its share is answered with `refuse`. */
  readonly upstream?: string;
  readonly weight: number;
  readonly protocol: BackendProtocol;
  readonly refuse?: Refusal;
  /** Done after the route's own, for requests that this backend gets. */
  readonly filters?: BackendFilters;
  /** Id of the verified TLS to its endpoints (`https` and `grpcs`); absent: as the protocol says, unverified. */
  readonly tls?: string;
}

/** Filters of one backendRef, as the fields of a route of the same names (Gateway API, HTTPBackendRef.filters). */
export type BackendFilters = Pick<
  Route,
  | "redirect"
  | "cors"
  | "auth"
  | "rewrite"
  | "host"
  | "requestHeaders"
  | "responseHeaders"
  | "mirrors"
>;

/** A share of the requests is sent to one endpoint of another Service too; its answer is ignored. */
export interface Mirror {
  /** Upstream id. */
  readonly upstream: string;
  readonly protocol: BackendProtocol;
  readonly tls?: string;
  /** Share of the requests: `numerator` of `denominator`. */
  readonly numerator: number;
  readonly denominator: number;
}

/** An answer that the gateway makes itself; the reason goes into X-ALB-ERR-REASON. */
export type Refusal = readonly [status: 403 | 404 | 500 | 503, reason: string];

/** Which endpoint a client keeps (session_affinity_policy of Rules and Frontends, affinity annotations). */
export type Affinity =
  readonly ["clientAddress"] | readonly [by: "header" | "cookie", name: string];

/**
 * The gateway itself names the endpoint that a client got, in a cookie or header of the response, and sends the client there
 * for as long as the endpoint serves (Gateway API, SessionPersistence).
 */
export interface Session {
  readonly in: "cookie" | "header";
  readonly name: string;
  /** Of the cookie. */
  readonly path: string;
  /** Seconds: how long a session lasts at most. */
  readonly absoluteTimeout?: number;
  /** The cookie outlives the browser: it has Max-Age of `absoluteTimeout`. */
  readonly permanent?: true;
}
