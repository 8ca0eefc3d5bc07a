import type { BackendReference } from "../../api/gateway.js";
import type { Service } from "../../api/wire.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { BackendProtocol, Refusal } from "../../model/upstream.js";
import type { ServicePort } from "../backends.js";
import { findPort, isExternalName, portList } from "../backends.js";
import type { Place } from "../place.js";
import { placeOf, resourceRef } from "../place.js";
import { invalidBackend } from "../reasons.js";
import type { AttachableRoute, BackendTlsChoice, UnresolvedReason } from "./model.js";
import type { RouteContext, RuleScope } from "./rule-scope.js";
import { isGrpcRoute } from "./rule-scope.js";

/** Where requests are sent, or why they can't be. */
type Destination =
  | {
      readonly ok: true;
      /** Id. */
      readonly upstream: string;
      readonly protocol: BackendProtocol;
      /** Id of the verified TLS. */
      readonly tls?: string;
    }
  | { readonly ok: false; readonly refuse: Refusal };

/** The Service port that a reference names. What is wrong with it is reported, and said in the condition ResolvedRefs. */
export function destinationOf(
  reference: BackendReference,
  place: Place,
  scope: RuleScope,
): Destination {
  const found = findDestination(reference, scope);
  if (found.ok || "refuse" in found) return found;
  scope.problems.unresolvable(found.reason, found.message, place, found.code);
  return { ok: false, refuse: invalidBackend(found.reason) };
}

function findDestination(reference: BackendReference, scope: RuleScope): Destination | Unusable {
  const port = portReference(reference, scope.route, scope.context);
  return "ok" in port ? port : servicePortDestination(port, scope);
}

function servicePortDestination(
  reference: PortReference,
  { route, gateways, policies, context }: RuleScope,
): Destination | Unusable {
  const { namespace, name, port } = reference;
  const service = context.service(namespace, name);
  const servicePort = service && findPort(service, port);
  const portName = servicePort?.name;
  const written = backendProtocol(servicePort?.appProtocol, isGrpcRoute(route), false);
  const backend = {
    namespace,
    service: name,
    port,
    ...(portName !== undefined && { portName }),
    tls: written === "https" || written === "grpcs",
  };
  // Asked for Services that are not there, too: the policy's status names the Gateway.
  const tls = policies.backendTls(gateways, backend);
  if (service === undefined || servicePort === undefined || isExternalName(service)) {
    return missingPort(reference, service);
  }
  if (tls.kind === "refused") return { ok: false, refuse: tls.refuse };
  const spoken = protocolOf(reference, servicePort.appProtocol, tls, route);
  if (typeof spoken !== "string") return spoken;
  reportClearText(spoken, service, servicePort, context);
  const { id: upstream } = context.upstream(reference);
  return { ok: true, upstream, protocol: spoken, ...(tls.kind === "tls" && { tls: tls.id }) };
}

function reportClearText(
  spoken: BackendProtocol,
  service: Service,
  port: ServicePort,
  { diagnostics }: RouteContext,
): void {
  if (spoken !== "https" || !speaksHttp2(port.appProtocol)) return;
  const index = service.spec?.ports?.indexOf(port) ?? 0;
  const message = `${port.appProtocol ?? ""} is clear text; a BackendTLSPolicy has this port spoken to over TLS, by HTTP/1.1`;
  const place = placeOf(service, "spec", "ports", index, "appProtocol");
  diagnostics.report({ code: "SETTING_UNSUPPORTED", message, ...place });
}

function protocolOf(
  { namespace, name, port }: PortReference,
  appProtocol: string | undefined,
  tls: BackendTlsChoice,
  route: RuleScope["route"],
): BackendProtocol | Unusable {
  const protocol = backendProtocol(appProtocol, isGrpcRoute(route), tls.kind === "tls");
  if (protocol === undefined) {
    const message = `port ${String(port)} of Service ${namespace}/${name} has the appProtocol ${JSON.stringify(appProtocol)}, which ${route.kind}s can't speak`;
    return unusable("UnsupportedProtocol", message);
  }
  if (protocol === "grpcs" && tls.kind === "tls" && tls.hasNames === true) {
    const message = `the BackendTLSPolicy of Service ${namespace}/${name} has subjectAltNames, which can't be checked over gRPC`;
    return { ...unusable("UnsupportedProtocol", message), code: "ROUTE_BACKEND_TLS_NAMES" };
  }
  return protocol;
}

/** What the backendRefs of routes of every kind have in common: they name ports of Services. */

/** Why a backendRef can't be used. */
export interface Unusable {
  readonly ok: false;
  readonly reason: UnresolvedReason;
  readonly message: string;
  /** Instead of the reason's. */
  readonly code?: DiagnosticCode;
}

export function unusable(reason: UnresolvedReason, message: string): Unusable {
  return { ok: false, reason, message };
}

interface PortReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The port that the reference names, whether it is there or not: InvalidKind, RefNotPermitted. */
export function portReference(
  reference: BackendReference,
  route: AttachableRoute,
  context: Pick<RouteContext, "isGranted">,
): PortReference | Unusable {
  const { group = "", kind = "Service", name, port } = reference;
  if (group !== "" || kind !== "Service") {
    const what = group === "" ? kind : `${kind}.${group}`;
    return unusable("InvalidKind", `a ${what} can't be a backend, only a Service can`);
  }
  const { kind: from, metadata } = route;
  const { namespace = metadata.namespace } = reference;
  const to = { kind: "Service", namespace, name } as const;
  const isOwn = namespace === metadata.namespace;
  if (!isOwn && !context.isGranted(resourceRef(route), to)) {
    const message = `no ReferenceGrant in ${namespace} lets ${from}s of ${metadata.namespace} name Service ${name}`;
    return unusable("RefNotPermitted", message);
  }
  if (port === undefined) return unusable("BackendNotFound", "a Service needs a port");
  return { namespace, name, port };
}

/** Why a Service, or the lack of it, gives no backend. */
export function missingPort(
  { namespace, name, port }: PortReference,
  service: Service | undefined,
  transport: "TCP" | "UDP" = "TCP",
): Unusable {
  const subject = `Service ${namespace}/${name}`;
  if (service === undefined) return unusable("BackendNotFound", `there is no ${subject}`);
  if (isExternalName(service)) {
    return unusable("UnsupportedValue", `${subject} is of type ExternalName`);
  }
  const message = `${subject} has no ${transport} port ${String(port)}; it has ${portList(service, transport)}`;
  return unusable("BackendNotFound", message);
}

/** What is spoken over the connection, and whether the connection has TLS. */
interface Spoken {
  readonly language: "http" | "http2" | "grpc";
  readonly tls: boolean;
}

/**
 * Values of Kubernetes (KEP-3726) and names of IANA's registry of services, which have no case. Only the latter may go without a
 * prefix.
 */
const PROTOCOLS: ReadonlyMap<string, Spoken> = new Map<string, Spoken>([
  ["kubernetes.io/h2c", { language: "http2", tls: false }],
  ["kubernetes.io/ws", { language: "http", tls: false }],
  ["kubernetes.io/wss", { language: "http", tls: true }],
  ["http", { language: "http", tls: false }],
  ["https", { language: "http", tls: true }],
  ["h2c", { language: "http2", tls: false }],
  ["http2", { language: "http2", tls: false }],
  ["ws", { language: "http", tls: false }],
  ["wss", { language: "http", tls: true }],
  ["grpc", { language: "grpc", tls: false }],
  ["grpcs", { language: "grpc", tls: true }],
]);
const WEB_SOCKETS: ReadonlySet<string> = new Set([
  "kubernetes.io/ws",
  "kubernetes.io/wss",
  "ws",
  "wss",
]);

/**
 * How a Service port is spoken to, by its appProtocol and whether a policy gives it TLS; a GRPCRoute's backends speak gRPC.
 * Undefined for protocols that are not.
 */
export function backendProtocol(
  appProtocol: string | undefined,
  isGrpc: boolean,
  hasTls: boolean,
): BackendProtocol | undefined {
  const name = appProtocol === undefined || appProtocol === "" ? "http" : appProtocol.toLowerCase();
  const spoken = PROTOCOLS.get(name);
  if (spoken === undefined || (isGrpc && WEB_SOCKETS.has(name))) return undefined;
  const tls = hasTls || spoken.tls;
  if (isGrpc || spoken.language === "grpc") return tls ? "grpcs" : "grpc";
  if (tls) return "https";
  return spoken.language === "http2" ? "h2c" : "http";
}

/** Whether an appProtocol asks for HTTP/2 that is not gRPC. */
function speaksHttp2(appProtocol: string | undefined): boolean {
  return PROTOCOLS.get(appProtocol?.toLowerCase() ?? "")?.language === "http2";
}
