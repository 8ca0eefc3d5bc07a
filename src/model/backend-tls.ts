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
