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

export type BackendProtocol = "http" | "https" | "grpc" | "grpcs";

/** One destination of a route; share of the traffic is weight over the sum of weights. */
export interface Backend {
  /** Absent when the reference could not be resolved: its share is answered with `refusal`. */
  readonly upstream?: string;
  readonly weight: number;
  readonly protocol: BackendProtocol;
  readonly refusal?: Refusal;
}

/** An answer that the gateway makes itself; `reason` goes into X-ALB-ERR-REASON. */
export interface Refusal {
  readonly status: 403 | 404 | 500 | 503;
  readonly reason: string;
}

/** Which endpoint a client keeps (session_affinity_policy of Rules and Frontends, affinity annotations). */
export type Affinity =
  | { readonly kind: "clientAddress" }
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "cookie"; readonly name: string };
