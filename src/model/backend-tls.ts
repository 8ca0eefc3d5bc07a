/** TLS to backends whose certificate is checked (Gateway API, BackendTLSPolicy; Gateway.spec.tls.backend). */
export interface BackendTls {
  /** Generated: letters, digits and dashes; another content is another id. */
  readonly id: string;
  /** Server name indication, and the name that the certificate must have unless `subjectAltNames` are given. Absent: neither. */
  readonly hostname?: string;
  /** One of them must be in the certificate. */
  readonly subjectAltNames: readonly SubjectAltName[];
  /** PEM of the authorities; `system`: those of the machine; `none`: not checked (only the client certificate is wanted). */
  readonly authorities:
    { readonly kind: "pem"; readonly pem: string } | { readonly kind: "system" | "none" };
  /** Id of the certificate that is shown to backends. */
  readonly clientCertificate?: string;
}

export interface SubjectAltName {
  readonly kind: "hostname" | "uri";
  readonly value: string;
}
