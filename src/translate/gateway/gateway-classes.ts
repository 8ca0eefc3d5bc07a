import type { Gateway, GatewayClass } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import type { CompileOptions } from "../../model/options.js";
import { type ObjectStatus, statusOf } from "../../status/object-status.js";
import { didYouMean } from "../../support/did-you-mean.js";
import type { TranslateContext } from "../context.js";
import { placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { classParameters } from "./parameters.js";
import { HOLDS, type Verdict, condition, refused } from "./verdict.js";

/** The GatewayClasses that name our controller. */
function ownClasses({ resources, options }: TranslateContext): readonly GatewayClass[] {
  return resources
    .list("GatewayClass")
    .filter(({ spec }) => spec.controllerName === options.controllerName);
}

/** InvalidParameters: without its parameters, the class can't be served as intended. */
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

/** Reports each Gateway of another class: its class may be misspelt. */
export function reportForeignGateways(context: TranslateContext): void {
  const { resources, diagnostics, options } = context;
  const own = ownClassNames(context);
  for (const gateway of resources.list("Gateway")) {
    const name = gateway.spec.gatewayClassName;
    if (own.has(name)) continue;
    const other = resources.get("GatewayClass", "", name);
    const place = placeOf(gateway, "spec", "gatewayClassName");
    if (other === undefined) {
      const meant = didYouMean(name, own);
      const hint = meant === undefined ? {} : { hint: `did you mean ${meant}?` };
      const message = `there is no GatewayClass ${name}`;
      diagnostics.report({ code: "CLASS_NOT_FOUND", message, ...hint, ...place });
      continue;
    }
    const message = `GatewayClass ${name} belongs to ${other.spec.controllerName}, not to ${options.controllerName}`;
    diagnostics.report({ code: "GATEWAY_NOT_SERVED", message, ...place });
  }
}

/** The statuses of our GatewayClasses; reports classes that can't be accepted. */
export function gatewayClassStatuses(context: TranslateContext): readonly ObjectStatus[] {
  return ownClasses(context).map((gatewayClass) => {
    const verdict = classVerdict(gatewayClass, context.resources);
    if (!verdict.ok) {
      const place = placeOf(gatewayClass, "spec", "parametersRef");
      const { message } = verdict;
      context.diagnostics.report({ code: "GATEWAY_CLASS_INVALID", message, ...place });
    }
    const served = { reason: "Accepted", message: "Gateways of the class are served" };
    const version = { reason: "SupportedVersion", message: "Gateway API v1.7 is supported" };
    return statusOf(gatewayClass, {
      conditions: [
        condition("Accepted", verdict, served, gatewayClass),
        condition("SupportedVersion", HOLDS, version, gatewayClass),
      ],
      supportedFeatures: supportedFeatures(context.options).map((name) => ({ name })),
    });
  });
}

/**
 * A feature of Gateway API v1.7 (its package pkg/features) for the profiles of gateways. GatewayClasses list the supported ones in
 * status.supportedFeatures, and the conformance suite tests these.
 */
interface Feature {
  readonly name: string;
  readonly isSupported: boolean;
  /** How it works, or why it is not supported: text for docs/gateway-api.md. */
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
const MODIFIER = "changes headers before the request or response is sent";

export const FEATURES: readonly Feature[] = [
  has("Gateway", "listeners of protocol HTTP, HTTPS, TLS, TCP and UDP are served"),
  has("ReferenceGrant", "every reference to another namespace is looked up in the grants"),
  has("HTTPRoute", ROUTER),
  has("GRPCRoute", "methods are paths of HTTP/2 requests, so the same router serves them"),
  has("GRPCRouteNamedRouteRule", "rules are identified by index; policies may name them"),
  has("GRPCRouteRequestHeaderModifier", MODIFIER),

  streams("TLSRoute", "forwards connections by the server name of their handshake"),
  streams("TLSRouteModeTerminate", "nginx ends TLS with the listener's certificates"),
  streams("TLSRouteModeMixed", "the server name selects whether TLS ends at the gateway"),
  streams("TCPRoute", "forwards connections, distributed by weight"),
  streams("UDPRoute", "forwards datagrams, distributed by weight"),

  has("GatewayPort8080", "listeners may use any port"),
  has("GatewayStaticAddresses", "spec.addresses must be in the pool gatewayAddresses"),
  has("GatewayAddressEmpty", "an address without a value gets a free one"),
  has(
    "GatewayHTTPListenerIsolation",
    "only the listener with the most specific hostname serves a host",
  ),
  has(
    "GatewayHTTPSListenerDetectMisdirectedRequests",
    "answers 421 if Host and SNI belong to different listeners",
  ),
  has("GatewayFrontendClientCertificateValidation", "the handshake requests client certificates"),
  has(
    "GatewayFrontendClientCertificateValidationInsecureFallback",
    "requests a certificate, but accepts clients without a valid one",
  ),
  has("GatewayBackendClientCertificate", "TLS to backends uses the Gateway's client certificate"),
  has("GatewayRouteHostnameIntersectionPrecedence", "routes are ordered by their own hostname"),
  has("GatewayListenerFilters", "a listener's auth runs before that of its routes"),
  has("ListenerSet", "its listeners join those of the Gateway"),
  has("GatewayInfrastructure", "the Service created for a Gateway has its labels"),
  lacks("GatewayAddressRoutability", "all addresses of the pool are treated alike"),
  lacks("GatewayAddressRoutabilityCluster", "all addresses of the pool are treated alike"),
  lacks("ClusterTrustBundle", "only ConfigMaps and Secrets can hold authorities"),

  has("BackendTLSPolicy", "checks certificates of backends"),
  has("BackendTLSPolicySANValidation", "checks their subjectAltNames too"),

  has("HTTPRouteDestinationPortMatching", "parentRefs may name a port"),
  has("HTTPRouteParentRefPort", "parentRefs may name a port"),
  has("HTTPRouteQueryParamMatching", ROUTER),
  has("HTTPRouteMethodMatching", ROUTER),
  has("HTTPRouteNamedRouteRule", "rules are identified by index; policies may name them"),
  has("HTTPRouteResponseHeaderModification", MODIFIER),
  has(
    "HTTPRouteBackendRequestHeaderModification",
    "the backend is chosen first, then its filters run",
  ),
  has("HTTPRoutePortRedirect", REDIRECT),
  has("HTTPRouteSchemeRedirect", REDIRECT),
  has("HTTPRoutePathRedirect", REDIRECT),
  has("HTTPRoute303RedirectStatusCode", REDIRECT),
  has("HTTPRoute307RedirectStatusCode", REDIRECT),
  has("HTTPRoute308RedirectStatusCode", REDIRECT),
  has("HTTPRouteHostRewrite", "sets the Host header that the backend gets"),
  has("HTTPRoutePathRewrite", "sets the path that the backend gets"),
  has("HTTPRouteBackendURLRewrite", "the backend is chosen first, then its filters run"),
  has("HTTPRouteRequestMirror", "sends copies of the request"),
  has("HTTPRouteRequestMultipleMirrors", "sends copies of the request"),
  has(
    "HTTPRouteRequestPercentageMirror",
    "copies exactly the given share, spread evenly over the requests of a worker",
  ),
  has("HTTPRouteCORS", "answers preflights and adds headers to responses"),
  has("HTTPRouteRequestTimeout", "one deadline for all attempts"),
  has("HTTPRouteBackendTimeout", "a deadline for each attempt"),
  has("HTTPRouteRetryCodes", "the balancer retries the statuses that nginx supports"),
  has("HTTPRouteRetryConnectionError", "the balancer retries on another endpoint"),
  has("HTTPRouteBackendProtocolH2C", "appProtocol kubernetes.io/h2c"),
  has("HTTPRouteBackendProtocolWebSocket", "appProtocol kubernetes.io/ws"),
];

/** Names of the supported features; sorted, as status.supportedFeatures must be. */
export function supportedFeatures({ stream }: Pick<CompileOptions, "stream">): readonly string[] {
  return FEATURES.filter(
    ({ isSupported, needsStream = false }) => isSupported && (stream || !needsStream),
  )
    .map(({ name }) => name)
    .sort();
}
