/** Reads Gateways, their ListenerSets and their listeners as far as that needs no other Gateway. */
import { isIP } from "node:net";
import { GATEWAY_GROUP } from "../../api/wire.js";
import type { Gateway, GatewayListener, ListenerSet, RouteFilter } from "../../api/gateway.js";
import type { CompileOptions } from "../../model/options.js";
import { ANY_HOST } from "../../model/values.js";
import { own } from "../../support/json-object.js";
import type { BuildContext } from "../config-builder.js";
import type { TranslateContext } from "../context.js";
import { parseHostPattern } from "../hostnames.js";
import { placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { classVerdict, ownGateways } from "./gateway-classes.js";
import { listenerPages, reportPageAnnotations } from "./listener-pages.js";
import type { GatewayState, ListenerState, RouteKindName, WrittenListener } from "./model.js";
import { namespaceFilter, unknownInNamespaces } from "./namespace-filter.js";
import { ownParameters, parametersFor } from "./parameters.js";
import { HOLDS, type Verdict, firstRefused, refused } from "./verdict.js";

/** A Gateway of one of our classes. */
export interface WrittenGateway {
  readonly gateway: Gateway;
  /** InvalidParameters, UnsupportedAddress. */
  readonly written: Verdict;
  /** Addresses and CIDRs of which it gets addresses of its own; empty: it shares the machine's addresses. */
  readonly pool: readonly string[];
  readonly body: GatewayState["body"];
  /** Without those of its ListenerSets. */
  readonly own: readonly WrittenListener[];
  /** The ListenerSets that name it: older first, then by namespace and name. */
  readonly sets: readonly {
    readonly listenerSet: ListenerSet;
    /** NotAllowed. */
    readonly allowed: Verdict;
    /** Empty unless it is allowed. */
    readonly listeners: readonly WrittenListener[];
  }[];
}

/** Oldest first. */
export function readGateways(context: BuildContext): readonly WrittenGateway[] {
  const { dataPlane } = context.options;
  return ownGateways(context).map((gateway) => {
    const { gatewayAddresses, bodyLimit } = parametersFor(gateway, context);
    return {
      gateway,
      written: gatewayVerdict(gateway, context),
      pool: gatewayAddresses,
      body: bodyLimit === dataPlane.bodyLimit ? {} : { bodyLimit },
      own: readListeners(gateway, gateway, context),
      sets: readListenerSets(gateway, context),
    };
  });
}

/** Its own listeners and those of its ListenerSets, in order of precedence. */
export function listenersOf({ own: first, sets }: WrittenGateway): readonly WrittenListener[] {
  return [...first, ...sets.flatMap(({ listeners }) => listeners)];
}

function gatewayVerdict(gateway: Gateway, { resources }: TranslateContext): Verdict {
  const { gatewayClassName, addresses = [] } = gateway.spec;
  const ofClass = resources.get("GatewayClass", "", gatewayClassName);
  const parameters = ownParameters(gateway, resources);
  const other = addresses.find(({ type }) => (type ?? "IPAddress") !== "IPAddress");
  return firstRefused([
    ofClass === undefined ? HOLDS : classVerdict(ofClass, resources),
    parameters.ok ? HOLDS : refused("InvalidParameters", parameters.problem),
    other === undefined
      ? HOLDS
      : refused(
          "UnsupportedAddress",
          `addresses are of type IPAddress, not ${other.type ?? ""} ${other.value ?? ""}`.trim(),
        ),
  ]);
}

function readListenerSets(gateway: Gateway, context: BuildContext): WrittenGateway["sets"] {
  const { metadata, spec } = gateway;
  const { namespace } = metadata;
  const namespaces = spec.allowedListeners?.namespaces;
  const allows = namespaceFilter(namespaces, "None", namespace, context.resources);
  const notAllowed = refused(
    "NotAllowed",
    `Gateway ${namespace}/${metadata.name} takes ListenerSets of namespaces from ${namespaces?.from ?? "None"} (spec.allowedListeners)`,
  );
  return context.resources
    .list("ListenerSet")
    .filter((listenerSet) => namesGateway(listenerSet, gateway))
    .sort(compareAge)
    .map((listenerSet) =>
      allows(listenerSet.metadata.namespace)
        ? { listenerSet, allowed: HOLDS, listeners: readListeners(gateway, listenerSet, context) }
        : { listenerSet, allowed: notAllowed, listeners: [] },
    );
}

function namesGateway({ metadata, spec }: ListenerSet, gateway: Gateway): boolean {
  const { group = GATEWAY_GROUP, kind = "Gateway", name, namespace } = spec.parentRef;
  return (
    group === GATEWAY_GROUP &&
    kind === "Gateway" &&
    name === gateway.metadata.name &&
    (namespace ?? metadata.namespace) === gateway.metadata.namespace
  );
}

/** Reports ListenerSets that name a Gateway that does not exist: they have no Gateway whose status could count them. */
export function reportUnattachedSets({ resources, diagnostics }: TranslateContext): void {
  const gateways = resources.list("Gateway");
  for (const listenerSet of resources.list("ListenerSet")) {
    if (gateways.some((gateway) => namesGateway(listenerSet, gateway))) continue;
    const { kind = "Gateway", name, namespace } = listenerSet.spec.parentRef;
    const message = `there is no ${kind} ${namespace ?? listenerSet.metadata.namespace}/${name} that takes ListenerSets`;
    const place = placeOf(listenerSet, "spec", "parentRef");
    diagnostics.report({ code: "LISTENER_SET_UNATTACHED", message, ...place });
  }
}

function readListeners(
  gateway: Gateway,
  parent: Gateway | ListenerSet,
  context: BuildContext,
): readonly WrittenListener[] {
  reportPageAnnotations(parent, context);
  const { options, resources } = context;
  const { namespace } = parent.metadata;
  return parent.spec.listeners.map((spec, index) => {
    const { name, port, protocol, allowedRoutes } = spec;
    const hostname = parseHostPattern(spec.hostname, "many");
    const { kinds, verdict: routeKindsVerdict } = routeKinds(spec, options);
    return {
      gateway,
      parent,
      name,
      port,
      hostname: hostname.ok ? hostname.value : ANY_HOST,
      tls: protocol === "HTTPS",
      ...streamOf(spec),
      kinds,
      allowsNamespace: namespaceFilter(allowedRoutes?.namespaces, "Same", namespace, resources),
      spec,
      place: placeOf(parent, "spec", "listeners", index),
      written: firstRefused([
        protocolVerdict(protocol, options),
        modeVerdict(spec),
        hostnameVerdict(spec.hostname),
        namespacesVerdict(spec),
        ...(spec.filters?.requests ?? []).map(filterVerdict),
      ]),
      routeKindsVerdict,
      ...listenerPages(parent, name, context),
    };
  });
}

/** The supported protocols of listeners, and the kinds of routes that each takes. */
const KINDS = {
  HTTP: ["HTTPRoute", "GRPCRoute"],
  HTTPS: ["HTTPRoute", "GRPCRoute"],
  TLS: ["TLSRoute"],
  TCP: ["TCPRoute"],
  UDP: ["UDPRoute"],
} as const satisfies Record<string, readonly RouteKindName[]>;

const NEEDS_STREAM: readonly string[] = ["TLS", "TCP", "UDP"];

/** Whether listeners of the protocol pass on connections or datagrams unread, so without auth. */
export function needsStream(protocol: string): boolean {
  return NEEDS_STREAM.includes(protocol);
}

export function isServedProtocol(
  protocol: string,
  options: Pick<CompileOptions, "stream">,
): protocol is keyof typeof KINDS {
  return Object.hasOwn(KINDS, protocol) && (options.stream || !needsStream(protocol));
}

/** Why connections and datagrams can't be passed on, without the option `stream`. */
export const NO_STREAM =
  "nginx has no stream module (Debian's package libnginx-mod-stream), or one before 1.25.5";

/** UnsupportedProtocol. */
function protocolVerdict(protocol: string, options: Pick<CompileOptions, "stream">): Verdict {
  if (isServedProtocol(protocol, options)) return HOLDS;
  const why = needsStream(protocol) ? NO_STREAM : `${Object.keys(KINDS).join(", ")} are`;
  return refused("UnsupportedProtocol", `protocol ${protocol} is not served; ${why}`);
}

/** The kinds of routes that a listener takes, and InvalidRouteKinds when it names one that it can't take. */
function routeKinds(
  { protocol, allowedRoutes }: GatewayListener,
  options: Pick<CompileOptions, "stream">,
): {
  readonly kinds: readonly RouteKindName[];
  readonly verdict: Verdict;
} {
  const possible: readonly RouteKindName[] = isServedProtocol(protocol, options)
    ? KINDS[protocol]
    : [];
  const wanted = allowedRoutes?.kinds ?? [];
  if (wanted.length === 0) return { kinds: possible, verdict: HOLDS };
  const inGroup = wanted.filter(({ group = GATEWAY_GROUP }) => group === GATEWAY_GROUP);
  const kinds = possible.filter((name) => inGroup.some(({ kind }) => kind === name));
  const unknown = wanted.find(
    ({ group = GATEWAY_GROUP, kind }) =>
      group !== GATEWAY_GROUP || !possible.some((name) => name === kind),
  );
  if (unknown === undefined) return { kinds, verdict: HOLDS };
  const shown =
    unknown.group === undefined || unknown.group === GATEWAY_GROUP
      ? unknown.kind
      : `${unknown.kind} of ${JSON.stringify(unknown.group)}`;
  const message = `a listener of protocol ${protocol} takes ${possible.join(", ") || "no routes"}, not ${shown}`;
  return { kinds, verdict: refused("InvalidRouteKinds", message) };
}

function streamOf({ protocol, tls }: GatewayListener): Pick<ListenerState, "stream"> {
  switch (protocol) {
    case "TCP":
      return { stream: "tcp" };
    case "UDP":
      return { stream: "udp" };
    case "TLS":
      return { stream: tls?.mode === "Passthrough" ? "passthrough" : "terminate" };
    default:
      return {};
  }
}

/** By protocol; the other protocols have no TLS. */
const MODES: Readonly<Record<string, readonly string[] | undefined>> = {
  HTTPS: ["Terminate"],
  TLS: ["Terminate", "Passthrough"],
};

function modeVerdict({ protocol, tls }: GatewayListener): Verdict {
  const modes = own(MODES, protocol);
  return tls?.mode === undefined || modes === undefined || modes.includes(tls.mode)
    ? HOLDS
    : refused("UnsupportedValue", `tls.mode ${JSON.stringify(tls.mode)} is not known`);
}

/** A hostname is not an address (Gateway API, Hostname), though an IPv4 address looks like a DNS name. */
function hostnameVerdict(text: string | undefined): Verdict {
  const hostname = parseHostPattern(text, "many");
  if (!hostname.ok) return refused("UnsupportedValue", hostname.problem);
  return text !== undefined && isIP(text) !== 0
    ? refused("UnsupportedValue", `hostname ${text} is an address, not a name`)
    : HOLDS;
}

function namespacesVerdict({ allowedRoutes }: GatewayListener): Verdict {
  const unknown = unknownInNamespaces(allowedRoutes?.namespaces ?? {}, ["All", "Same", "Selector"]);
  return unknown === undefined
    ? HOLDS
    : refused("UnsupportedValue", `allowedRoutes.namespaces: ${unknown}`);
}

/** GRPC is a known value that is not supported; the condition ResolvedRefs says so. */
const AUTH_PROTOCOLS: readonly string[] = ["HTTP", "GRPC"];

/** An ignored filter could be the one that restricts access, so the listener is refused. */
function filterVerdict({ type, externalAuth }: RouteFilter): Verdict {
  if (type !== "ExternalAuth" && type !== "ExtensionRef") {
    const message = `filters of a listener are ExternalAuth or ExtensionRef, not ${type}`;
    return refused("UnsupportedValue", message);
  }
  const protocol = externalAuth?.protocol ?? "HTTP";
  if (AUTH_PROTOCOLS.includes(protocol)) return HOLDS;
  const message = `protocol ${JSON.stringify(protocol)} of external auth is none of ${AUTH_PROTOCOLS.join(", ")}`;
  return refused("UnsupportedValue", message);
}
