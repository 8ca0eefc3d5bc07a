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

/** The id of an upstream of TCP. `port`: of the Service, its name only if it has no such port. */
export function upstreamId(service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: Port | string;
}): string {
  return `${service.namespace}/${service.name}/${String(service.port)}`;
}

/** The address is IPv4 or IPv6, without brackets. */
export type Endpoint = readonly [address: string, port: Port];

/** `h2c` is cleartext HTTP/2 without gRPC's error format. */
export type BackendProtocol = "http" | "https" | "grpc" | "grpcs" | "h2c";

/** An answer by the gateway itself; the reason goes into X-ALB-ERR-REASON. */
export type Refusal = readonly [status: 403 | 404 | 500 | 503, reason: string];

/** TLS to backends whose certificate is checked (Gateway API, BackendTLSPolicy; Gateway.spec.tls.backend). */
export interface BackendTls {
  /** Generated: `<trust>-<rest>` of letters and digits; another content is another id. See `trustOf`. */
  readonly id: string;
  /** Server name that is sent, and the name that the certificate must have unless there are `names`. Absent: nothing is checked. */
  readonly hostname?: string;
  /** The certificate must have one of them (subjectAltNames), which nginx can't check: it knows only the name that it sends. */
  readonly names?: readonly SubjectAltName[];
  /** PEM of the authorities; `system`: those of the machine; `none`: not checked (only the client certificate is wanted). */
  readonly authorities:
    { readonly kind: "pem"; readonly pem: string } | { readonly kind: "system" | "none" };
  /** Id of the certificate that is shown to backends. */
  readonly clientCertificate?: string;
}

/**
 * Names the authorities and the client certificate of the BackendTls with this id: what directives of nginx say that can't depend on a
 * request, so all BackendTls that have them in common share locations of nginx.
 */
export function trustOf(id: string): string {
  return id.replace(/-.*/, "");
}

export type SubjectAltName = readonly ["hostname" | "uri", string];
