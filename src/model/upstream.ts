/**
 * @minimum 1
 * @maximum 65535
 */
export type Port = number;

/** The endpoints of one Service port; a change of them touches nothing else. */
export interface Upstream {
  /** `<namespace>/<service>/<port>`. */
  readonly id: string;
  /** Sorted by address and port, without repeats. */
  readonly endpoints: readonly Endpoint[];
}

/** The address is IPv4 or IPv6, without brackets. */
export type Endpoint = readonly [address: string, port: Port];

/** `h2c` is HTTP/2 in clear text without gRPC's way to say errors. */
export type BackendProtocol = "http" | "https" | "grpc" | "grpcs" | "h2c";

/** An answer that the gateway makes itself; the reason goes into X-ALB-ERR-REASON. */
export type Refusal = readonly [status: 403 | 404 | 500 | 503, reason: string];
