import type { Gateway, GatewayClass } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import type { CompileOptions } from "../../model/options.js";
import type { ObjectStatus } from "../../status/object-status.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { classParameters } from "./parameters.js";
import type { Verdict } from "./verdict.js";
import { HOLDS, condition, refused } from "./verdict.js";

/** GatewayClasses whose controller we are. */
function ownClasses({ resources, options }: TranslateContext): readonly GatewayClass[] {
  return resources
    .list("GatewayClass")
    .filter(({ spec }) => spec.controllerName === options.controllerName);
}

/** InvalidParameters: a class whose parameters can't be read can't be served as it is meant. */
export function classVerdict(gatewayClass: GatewayClass, resources: RoutingResources): Verdict {
  const parameters = classParameters(gatewayClass, resources);
  return parameters.ok ? HOLDS : refused("InvalidParameters", parameters.problem);
}

/** Gateways of our classes, oldest first. */
export function ownGateways(context: TranslateContext): readonly Gateway[] {
  const own = ownClassNames(context);
  return context.resources
    .list("Gateway")
    .filter(({ spec }) => own.has(spec.gatewayClassName))
    .sort(compareAge);
}

function ownClassNames(context: TranslateContext): ReadonlySet<string> {
  return new Set(ownClasses(context).map(({ metadata }) => metadata.name));
}

/** Says of each Gateway of another class why it is left alone: that is meant, or a misspelt class. */
export function reportForeignGateways(context: TranslateContext): void {
  const { resources, diagnostics, options } = context;
  const own = ownClassNames(context);
  for (const gateway of resources.list("Gateway")) {
    const name = gateway.spec.gatewayClassName;
    if (own.has(name)) continue;
    const other = resources.get("GatewayClass", "", name);
    const message =
      other === undefined
        ? `there is no GatewayClass ${name}`
        : `GatewayClass ${name} belongs to ${other.spec.controllerName}, not to ${options.controllerName}`;
    const place = placeOf(gateway, "spec", "gatewayClassName");
    diagnostics.report({ code: "GATEWAY_NOT_SERVED", message, ...place });
  }
}

/** Statuses of our GatewayClasses, and a report of those that can't be accepted. */
export function gatewayClassStatuses(context: TranslateContext): readonly ObjectStatus[] {
  return ownClasses(context).map((gatewayClass) => {
    const { apiVersion, kind, metadata } = gatewayClass;
    const verdict = classVerdict(gatewayClass, context.resources);
    if (!verdict.ok) {
      const place = placeOf(gatewayClass, "spec", "parametersRef");
      const { message } = verdict;
      context.diagnostics.report({ code: "GATEWAY_CLASS_INVALID", message, ...place });
    }
    return {
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: metadata.namespace },
      status: {
        conditions: [
          condition(
            "Accepted",
            verdict,
            { reason: "Accepted", message: "Gateways of the class are served" },
            gatewayClass,
          ),
          condition(
            "SupportedVersion",
            HOLDS,
            { reason: "SupportedVersion", message: "Gateway API v1.7 is supported" },
            gatewayClass,
          ),
        ],
        supportedFeatures: supportedFeatures(context.options).map((name) => ({ name })),
      },
    };
  });
}

/**
 * Features of Gateway API v1.7 (its package pkg/features) for the profiles of gateways. What is claimed is what
 * GatewayClasses say in status.supportedFeatures and what the conformance suite then tests.
 */
interface Feature {
  readonly name: string;
  readonly isSupported: boolean;
  /** What does it, or why nothing does. */
  readonly why: string;
  /** Only with nginx's stream module (CompileOptions.stream). */
  readonly needsStream?: true;
}

function has(name: string, why: string): Feature {
  return { name, isSupported: true, why };
}

function lacks(name: string, why: string): Feature {
  return { name, isSupported: false, why };
}

function streams(name: string, why: string): Feature {
  return { name, isSupported: true, why, needsStream: true };
}

const ROUTER = "the router tries bindings in Gateway API's order of precedence";
const REDIRECT = "a redirect is an action of a route";
const MODIFIER = "headers are changed before the request is forwarded or the answer sent";

export const FEATURES: readonly Feature[] = [
  has("Gateway", "listeners of protocol HTTP, HTTPS, TLS, TCP and UDP are served"),
  has("ReferenceGrant", "every reference to another namespace is looked up in the grants"),
  has("HTTPRoute", ROUTER),
  has("GRPCRoute", "methods are paths of HTTP/2 requests, so the router is the same"),
  has("GRPCRouteNamedRouteRule", "rules are found by index; policies may name them"),
  has("GRPCRouteRequestHeaderModifier", MODIFIER),

  streams("TLSRoute", "connections are passed on by the server name of their handshake"),
  streams("TLSRouteModeTerminate", "nginx ends TLS with the listener's certificates"),
  streams("TLSRouteModeMixed", "the server name says whether TLS ends here"),
  streams("TCPRoute", "connections are passed on, shared out by weight"),
  streams("UDPRoute", "datagrams are passed on, shared out by weight"),

  has("GatewayPort8080", "any port can be listened on"),
  has("GatewayStaticAddresses", "spec.addresses are taken from the pool of gatewayAddresses"),
  has("GatewayAddressEmpty", "an address without a value gets a free one"),
  has(
    "GatewayHTTPListenerIsolation",
    "a host belongs to the listener with the best hostname alone",
  ),
  has(
    "GatewayHTTPSListenerDetectMisdirectedRequests",
    "421 when Host and SNI are of two listeners",
  ),
  has("GatewayFrontendClientCertificateValidation", "certificates are asked for in the handshake"),
  has(
    "GatewayFrontendClientCertificateValidationInsecureFallback",
    "asked for, and not insisted on",
  ),
  has("GatewayBackendClientCertificate", "TLS to backends shows the Gateway's certificate"),
  has(
    "GatewayRouteHostnameIntersectionPrecedence",
    "bindings are ordered by the route's own hostname",
  ),
  has("GatewayListenerFilters", "auth of a listener comes before that of its routes"),
  has("ListenerSet", "their listeners join those of the Gateway"),
  has("GatewayInfrastructure", "the Service that is made for a Gateway carries its labels"),
  lacks(
    "GatewayAddressRoutability",
    "addresses of the pool are not told apart by who reaches them",
  ),
  lacks(
    "GatewayAddressRoutabilityCluster",
    "addresses of the pool are not told apart by who reaches them",
  ),
  lacks("ClusterTrustBundle", "authorities are read from ConfigMaps and Secrets"),

  has("BackendTLSPolicy", "certificates of backends are checked"),
  has("BackendTLSPolicySANValidation", "names in them, too"),

  has("HTTPRouteDestinationPortMatching", "parentRefs may name a port"),
  has("HTTPRouteParentRefPort", "parentRefs may name a port"),
  has("HTTPRouteQueryParamMatching", ROUTER),
  has("HTTPRouteMethodMatching", ROUTER),
  has("HTTPRouteNamedRouteRule", "rules are found by index; policies may name them"),
  has("HTTPRouteResponseHeaderModification", MODIFIER),
  has("HTTPRouteBackendRequestHeaderModification", "the backend is chosen before its filters"),
  has("HTTPRoutePortRedirect", REDIRECT),
  has("HTTPRouteSchemeRedirect", REDIRECT),
  has("HTTPRoutePathRedirect", REDIRECT),
  has("HTTPRoute303RedirectStatusCode", REDIRECT),
  has("HTTPRoute307RedirectStatusCode", REDIRECT),
  has("HTTPRoute308RedirectStatusCode", REDIRECT),
  has("HTTPRouteHostRewrite", "the host sent to the backend is a field of the route"),
  has("HTTPRoutePathRewrite", "the path sent to the backend is, too"),
  has("HTTPRouteBackendURLRewrite", "the backend is chosen before its filters"),
  has("HTTPRouteRequestMirror", "copies are sent beside the request"),
  has("HTTPRouteRequestMultipleMirrors", "copies are sent beside the request"),
  has(
    "HTTPRouteRequestPercentageMirror",
    "exactly their share, spread evenly over the requests that a worker serves",
  ),
  has("HTTPRouteCORS", "preflights are answered, responses get the headers"),
  has("HTTPRouteRequestTimeout", "a deadline over every attempt"),
  has("HTTPRouteBackendTimeout", "a deadline for each attempt"),
  has("HTTPRouteRetryCodes", "the balancer tries again for the statuses that nginx knows"),
  has("HTTPRouteRetryConnectionError", "the balancer tries another endpoint"),
  has("HTTPRouteBackendProtocolH2C", "appProtocol kubernetes.io/h2c"),
  has("HTTPRouteBackendProtocolWebSocket", "appProtocol kubernetes.io/ws"),
];

/** What is claimed; sorted, as status.supportedFeatures has to be. */
export function supportedFeatures({ stream }: Pick<CompileOptions, "stream">): readonly string[] {
  return FEATURES.filter(
    ({ isSupported, needsStream = false }) => isSupported && (stream || !needsStream),
  )
    .map(({ name }) => name)
    .sort();
}
