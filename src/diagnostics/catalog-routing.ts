import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of listeners, routes, backends and annotations reports. */
export const ROUTING_DIAGNOSTICS = {
  ANNOTATION_INVALID: {
    severity: "error",
    title: "an annotation's value is invalid",
    explanation:
      "The value can't be read as the annotation's type. One that only tunes is ignored; when it restricts access, the paths answer 503.",
    hint: "see docs/annotations.md for the values that it takes",
  },
  SERVICE_NOT_FOUND: {
    severity: "error",
    title: "a backend's Service does not exist",
    explanation:
      "The reference names a Service that is not there (yet). Its share of the requests answers 503 until it appears.",
    hint: "create the Service, or correct the name or the namespace",
  },
  SERVICE_PORT_NOT_FOUND: {
    severity: "error",
    title: "a backend's Service has no such port",
    explanation:
      "The reference names a port, by number or name, that the Service does not have for TCP. Its share of the requests answers 503.",
    hint: "name a port of the Service's spec.ports",
  },
  SERVICE_EXTERNAL_NAME: {
    severity: "error",
    title: "a backend's Service is of type ExternalName",
    explanation:
      "Such a Service points at any DNS name, also at ones that its author could not reach otherwise, so it is not used as a backend. Its share of the requests answers 503.",
    hint: "use a Service without selector and an EndpointSlice with the addresses",
  },
  CERTIFICATE_UNUSABLE: {
    severity: "error",
    title: "a certificate can't be used",
    explanation:
      "The Secret is missing, or does not hold a certificate chain and its private key in PEM. The hosts have no certificate of their own: the default certificate answers, or the handshake fails.",
    hint: "make a Secret of type kubernetes.io/tls with tls.crt (leaf first) and tls.key",
  },
} as const satisfies Record<string, CatalogEntry>;
