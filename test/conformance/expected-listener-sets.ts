/** What the suite's tests of ListenerSets wait for. */
import type { ExpectedFacts } from "../support/status-facts.js";

const NOT_ALLOWED = "Accepted=False/NotAllowed Programmed=False/NotAllowed";
const NO_LISTENERS = "Accepted=False/ListenersNotValid Programmed=False/ListenersNotValid";
const PROGRAMMED = "Accepted=True Programmed=True/Programmed";
const FINE = "ResolvedRefs=True Accepted=True Programmed=True";

export const EXPECTED_OF_LISTENER_SETS: Readonly<Record<string, ExpectedFacts>> = {
  ListenerSetAllowedNamespaceNone: { "ListenerSet listenerset-not-allowed": NOT_ALLOWED },
  ListenerSetAllowedNamespaceSame: {
    "ListenerSet listenerset-in-same-namespace":
      "Accepted=True/Accepted Programmed=True/Programmed",
    "ListenerSet listenerset-in-different-namespace": NOT_ALLOWED,
  },
  ListenerSetAllowedNamespaceSelector: {
    "ListenerSet listenerset-in-selected-namespace":
      "Accepted=True/Accepted Programmed=True/Programmed",
    "ListenerSet listenerset-not-in-selected-namespace": NOT_ALLOWED,
  },
  ListenerSetDefaultNotAllowed: { "ListenerSet listenerset-default-not-allowed": NOT_ALLOWED },
  ListenerSetAllowedRoutesNamespaces: {
    "ListenerSet listenerset-test-allowed-routes-namespaces#listener-set-listener-allowed-routes-all": `${FINE} attachedRoutes=3`,
    "ListenerSet listenerset-test-allowed-routes-namespaces#listener-set-listener-allowed-routes-same": `${FINE} attachedRoutes=1`,
    "ListenerSet listenerset-test-allowed-routes-namespaces#listener-set-listener-allowed-routes-selector": `${FINE} attachedRoutes=1`,
    "ListenerSet listenerset-test-allowed-routes-cross-ns#listener-set-listener-allowed-routes-cross-ns-same": `${FINE} attachedRoutes=1`,
    "HTTPRoute route-in-gateway-namespace@listenerset-test-allowed-routes-cross-ns":
      "Accepted=False/NotAllowedByListeners",
  },
  ListenerSetDualParentRefIndependence: {
    "ListenerSet ls-dual-parentref#ls-dual-parentref-listener": `${FINE} attachedRoutes=2`,
    "HTTPRoute route-dual-parentref-one@gateway-dual-parentref": "Accepted=False/NoMatchingParent",
    "HTTPRoute route-dual-parentref-one@ls-dual-parentref": "Accepted=True",
  },
  ListenerSetGatewayParentSectionNameNotFound: {
    "HTTPRoute route-via-gateway@gateway-section-name": "Accepted=False/NoMatchingParent",
  },
  ListenerSetRouteStatusScopedToParentRef: {
    "ListenerSet listenerset-parentref#listenerset-parentref-listener": `${FINE} attachedRoutes=1`,
  },
  ListenerSetHTTPRouting: {
    "ListenerSet listener-set-http-routing-1#listener-set-http-routing-1-listener-1": `${FINE} attachedRoutes=3`,
    "ListenerSet listener-set-http-routing-1#listener-set-http-routing-1-listener-2": `${FINE} attachedRoutes=2`,
    "ListenerSet listener-set-http-routing-2#listener-set-http-routing-2-listener-1": `${FINE} attachedRoutes=2`,
    "ListenerSet listener-set-http-routing-2#listener-set-http-routing-2-listener-2": `${FINE} attachedRoutes=2`,
  },
  ListenerSetReferenceGrant: {
    "ListenerSet listenerset-with-reference-grant": "Accepted=True Programmed=True",
    "ListenerSet listenerset-without-reference-grant": NO_LISTENERS,
    "ListenerSet listenerset-without-reference-grant#listenerset-without-reference-grant-listener":
      "ResolvedRefs=False/RefNotPermitted",
  },
  ListenerSetHostnameConflict: conflicts("hostname", "HostnameConflict"),
  ListenerSetProtocolConflict: conflicts("protocol", "ProtocolConflict"),
};

/** Of a Gateway and two ListenerSets, and of two ListenerSets, the first one has the listener. */
function conflicts(what: string, reason: string): ExpectedFacts {
  const set = `ListenerSet listenerset-with-${what}-conflict-with`;
  const withGateway = `${what}-conflict-with-gateway-listener`;
  const withSet = `${what}-conflict-with-listener-set-listener`;
  const loses = `Accepted=False/${reason} Programmed=False/${reason} Conflicted=True/${reason}`;
  return {
    [`${set}-gateway-1`]: PROGRAMMED,
    [`${set}-gateway-1#listener-set-1-listener`]: FINE,
    [`${set}-gateway-1#${withGateway}`]: loses,
    [`${set}-gateway-1#${withSet}`]: FINE,
    [`${set}-gateway-2`]: NO_LISTENERS,
    [`${set}-gateway-2#${withGateway}`]: loses,
    [`${set}-listener-set-1`]: PROGRAMMED,
    [`${set}-listener-set-1#${withSet}`]: loses,
    [`${set}-listener-set-2`]: NO_LISTENERS,
    [`${set}-listener-set-2#${withSet}`]: loses,
  };
}
