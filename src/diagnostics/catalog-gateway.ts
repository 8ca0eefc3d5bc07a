import type { CatalogEntry } from "./catalog-entry.js";

/** What translation of GatewayClasses, Gateways and ListenerSets reports; their conditions say the same. */
export const GATEWAY_DIAGNOSTICS = {
  GATEWAY_CLASS_INVALID: {
    severity: "error",
    title: "a GatewayClass can't be accepted",
    explanation:
      "Its parametersRef names no ConfigMap that can be read. Its Gateways are not served, since they would not be what it says.",
    hint: "correct the ConfigMap or the reference (docs/gateway-api.md)",
  },
  GATEWAY_NOT_SERVED: {
    severity: "info",
    title: "a Gateway is left to another controller",
    explanation:
      "Gateways are served whose GatewayClass exists and has our controller name (option controllerName).",
    hint: "nothing needs to be done if another controller serves it; else correct its class, or create that",
  },
  GATEWAY_INVALID: {
    severity: "error",
    title: "a Gateway can't be accepted",
    explanation:
      "The Gateway asks for something that is not there, or none of its listeners is valid. Nothing of it is served.",
    hint: "correct the field",
  },
  GATEWAY_ADDRESS: {
    severity: "error",
    title: "a Gateway does not get its address",
    explanation:
      "Addresses come from the option gatewayAddresses, and each belongs to one Gateway. The Gateway is served on those that it got, and on none if it got none.",
    hint: "add addresses that the machine holds to the option gatewayAddresses, or ask for another one",
  },
  LISTENER_OVER_BUDGET: {
    severity: "error",
    title: "there is no socket left for a port",
    explanation:
      "Each worker of nginx holds every listening socket, so their number is limited (option listenerSockets, and half of the files that a process may open). A port needs one for each address, or two (IPv4 and IPv6) where it is on all addresses; for UDP, and where a TCP port is on all addresses and on single ones, each of them for each worker; for TLS routes two more. A TLSRoute whose TLS ends here needs one for each certificate that its names can have, of those that ports leave. Namespaces get equal shares. One that wants more loses its newest Frontends, listeners and TLSRoutes; all others are served.",
    hint: "remove Frontends, listeners or TLSRoutes of this namespace, or raise the option listenerSockets and the limit of open files",
  },
  GATEWAY_REFERENCE: {
    severity: "error",
    title: "a reference of a Gateway can't be resolved",
    explanation:
      "The object is missing, is of a kind that is not read, can't be used, or is in another namespace without a ReferenceGrant. What needs it is not served.",
    hint: "correct the reference or the object, or write a ReferenceGrant in its namespace",
  },
  LISTENER_INVALID: {
    severity: "error",
    title: "a listener can't be served as written",
    explanation:
      "Its protocol or one of its values is not known here, or no certificate authority for its clients can be used. The listener is not served; the others are.",
    hint: "correct the value",
  },
  LISTENER_CONFLICT: {
    severity: "error",
    title: "two listeners want the same port",
    explanation:
      "Listeners of one port need one protocol and different hostnames. In one object all of them lose; else the Gateway comes before its ListenerSets, and the older object before the younger.",
    hint: "give the listener another port or hostname",
  },
  LISTENER_OVERLAP: {
    severity: "info",
    title: "two TLS listeners share hosts, or names in certificates",
    explanation:
      "The more specific one serves the hosts. A client that reuses its connection for a host of the other listener is answered 421 and opens a new one.",
    hint: "nothing needs to be done; certificates without common names make clients open a new connection at once",
  },
  INGRESS_HOST_TAKEN: {
    severity: "warning",
    title: "a Gateway takes a host of an Ingress",
    explanation:
      "A host and port belong to one listener, and that of a Gateway is more specific than a port for Ingresses. It answers the host's requests on that port, the Ingress none of them.",
    hint: "give the Gateway's listener another port or hostname, or Gateways addresses of their own (option gatewayAddresses)",
  },
  LISTENER_SET_NOT_SERVED: {
    severity: "error",
    title: "a ListenerSet is not served",
    explanation:
      "Its Gateway takes no ListenerSets of its namespace, is not accepted, or none of its listeners is valid.",
    hint: "allow it in the Gateway's spec.allowedListeners, or correct its listeners",
  },
  LISTENER_SET_UNATTACHED: {
    severity: "warning",
    title: "a ListenerSet belongs to no Gateway",
    explanation: "The Gateway that spec.parentRef names is not there, so nothing serves it.",
    hint: "create the Gateway, or correct the name or the namespace",
  },
  CLIENT_CERTIFICATES_UNCHECKED: {
    severity: "warning",
    title: "clients pass without a valid certificate",
    explanation:
      "With the mode AllowInsecureFallback clients are asked for a certificate and served whatever they show. Listeners of protocol TLS that terminate never ask for one, whatever spec.tls.frontend says. Backends must not take one for proof of who the client is.",
    hint: "use AllowValidOnly and a listener of protocol HTTPS, or check the certificates behind the gateway (mode Passthrough)",
  },
} as const satisfies Record<string, CatalogEntry>;
