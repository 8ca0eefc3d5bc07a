/** What the suite's tests of TLSRoutes, TCPRoutes and UDPRoutes wait for where not everything is fine. */
import type { ExpectedFacts } from "../support/status-facts.js";

const UNGRANTED = "Accepted=True ResolvedRefs=False/RefNotPermitted";
const NOT_FOUND = "Accepted=True ResolvedRefs=False/BackendNotFound";

const OF_TLS: Readonly<Record<string, ExpectedFacts>> = {
  HTTPRouteDisallowedKind: {
    "HTTPRoute disallowed-kind@tlsroutes-only": "Accepted=False/NotAllowedByListeners",
    "Gateway tlsroutes-only#tls": "Accepted=True attachedRoutes=0",
  },
  ListenerSetAllowedRoutesSupportedKinds: {
    "ListenerSet listenerset-test-allowed-routes-supported-kinds": "",
    "ListenerSet listenerset-test-allowed-routes-supported-kinds#listener-set-listener-allowed-routes-tls-only":
      "ResolvedRefs=False/InvalidRouteKinds",
  },
  TLSRouteInvalidBackendRefNonexistent: {
    "TLSRoute invalid-backend-ref-nonexistent@gateway-tlsroute-invalid-backend-ref-nonexistent":
      NOT_FOUND,
  },
  TLSRouteInvalidBackendRefUnknownKind: {
    "TLSRoute invalid-backend-ref-unknown-kind@gateway-tlsroute-invalid-backend-ref-unknown-kind":
      "Accepted=True ResolvedRefs=False/InvalidKind",
  },
  TLSRouteInvalidNoMatchingListenerHostname: {
    "TLSRoute tlsroute-hostname-mismatch-1@gateway-tls-exact-hostname":
      "Accepted=False/NoMatchingListenerHostname",
    "TLSRoute tlsroute-hostname-mismatch-2@gateway-tls-wildcard-hostname":
      "Accepted=False/NoMatchingListenerHostname",
    "Gateway gateway-tls-exact-hostname#tls": "attachedRoutes=0",
    "Gateway gateway-tls-wildcard-hostname#tls": "attachedRoutes=0",
  },
  TLSRouteInvalidNoMatchingListener: {
    "TLSRoute tlsroute-not-allowed-protocol-http@gateway-tlsroute-http-only":
      "Accepted=False/NotAllowedByListeners",
    "TLSRoute tlsroute-not-allowed-protocol-https@gateway-tlsroute-https-only":
      "Accepted=False/NotAllowedByListeners",
    "TLSRoute tlsroute-no-matching-section-name@gateway-tlsroute-tls-passthrough-only":
      "Accepted=False/NoMatchingParent",
    "Gateway gateway-tlsroute-http-only#http": "attachedRoutes=0",
    "Gateway gateway-tlsroute-https-only#https": "attachedRoutes=0",
  },
  TLSRouteInvalidReferenceGrant: {
    "TLSRoute gateway-conformance-infra-test@gateway-tlsroute-referencegrant": UNGRANTED,
  },
  TLSRouteListenerPassthroughSupportedKinds: {
    "Gateway gateway-tlsroute-passthrough-supported-kind": "",
    "Gateway gateway-tlsroute-passthrough-supported-kind#tls-passthrough":
      "ResolvedRefs=False/InvalidRouteKinds supportedKinds=TLSRoute attachedRoutes=0",
  },
  TLSRouteListenerTerminateSupportedKinds: {
    "Gateway gateway-tlsroute-terminate-supported#tls-terminate":
      "Accepted=True/Accepted supportedKinds=TLSRoute attachedRoutes=0",
  },
  TLSRouteMixedTerminationSameNamespace: {
    "Gateway gateway-tlsroute-mixed-termination#tls-terminate":
      "Accepted=True/Accepted supportedKinds=TLSRoute attachedRoutes=1",
    "Gateway gateway-tlsroute-mixed-termination#tls-passthrough":
      "Accepted=True/Accepted supportedKinds=TLSRoute attachedRoutes=1",
  },
};

const OF_PORTS: Readonly<Record<string, ExpectedFacts>> = {
  TCPRouteInvalidBackendRefNonexistent: {
    "TCPRoute tcp-route-invalid-backend-ref-nonexistent@tcp-gateway-invalid-backend": NOT_FOUND,
  },
  TCPRouteInvalidCrossNamespaceBackendRef: {
    "TCPRoute tcp-invalid-cross-namespace-backend-ref@tcp-invalid-cross-namespace-backend-ref-gateway":
      UNGRANTED,
  },
  TCPRouteInvalidNonTCPListener: {
    "TCPRoute tcp-route@tcp-mixed-protocol-gateway": "Accepted=False/NotAllowedByListeners",
    "Gateway tcp-mixed-protocol-gateway#only-allow-http-routes": "attachedRoutes=0",
  },
  // The test adds the second route itself.
  TCPRouteMultipleRoutesAttachment: {
    "Gateway tcp-multi-route-attach-gateway#tcp":
      "Accepted=True/Accepted supportedKinds=TCPRoute attachedRoutes=1",
  },
  UDPRouteInvalidBackendRefNonexistent: {
    "UDPRoute udp-route-invalid-backend-ref-nonexistent@udp-gateway-invalid-backend": NOT_FOUND,
  },
  UDPRouteInvalidCrossNamespaceBackendRef: {
    "UDPRoute udp-route-invalid-cross-namespace-backend-ref@udp-gateway-invalid-cross-namespace-backend-ref":
      UNGRANTED,
  },
  UDPRouteNotAllowedByListeners: {
    "UDPRoute udproute-not-allowed-by-listeners@udproute-tls-only-gateway":
      "Accepted=False/NotAllowedByListeners",
    "Gateway udproute-tls-only-gateway#tls": "attachedRoutes=0",
  },
  UDPRouteParentRefAttachAllListeners: Object.fromEntries(
    ["udp-1", "udp-2", "udp-3"].map((listener) => [
      `Gateway udp-attach-all-listeners-gateway#${listener}`,
      "Accepted=True ResolvedRefs=True supportedKinds=UDPRoute attachedRoutes=1",
    ]),
  ),
};

export const EXPECTED_OF_STREAMS: Readonly<Record<string, ExpectedFacts>> = {
  ...OF_TLS,
  ...OF_PORTS,
};
