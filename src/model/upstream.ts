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

/** TLS to backends whose certificate is checked (Gateway API, BackendTLSPolicy; Gateway.spec.tls.backend). */
export interface BackendTls {
  /** Generated: letters, digits and dashes; another content is another id. */
  readonly id: string;
  /** Server name indication, and the name that the certificate must have unless there are `names`. Absent: neither. */
  readonly hostname?: string;
  /** One of them must be in the certificate (subjectAltNames). */
  readonly names?: readonly SubjectAltName[];
  /** nginx checks exactly one DNS name, the one that it also sends as server name; where there is another to check, Lua opens the connection. */
  readonly inLua?: true;
  /** PEM of the authorities; `system`: those of the machine; `none`: not checked (only the client certificate is wanted). */
  readonly authorities:
    { readonly kind: "pem"; readonly pem: string } | { readonly kind: "system" | "none" };
  /** Id of the certificate that is shown to backends. */
  readonly clientCertificate?: string;
}

export type SubjectAltName = readonly ["hostname" | "uri", string];
