import type { BackendReference, GrpcRoute } from "../../api/gateway.js";
import type { Service } from "../../api/wire.js";
import type { DiagnosticCode } from "../../diagnostics/catalog.js";
import type { BackendProtocol, Refusal } from "../../model/upstream.js";
import { type ServicePort, findPort, isExternalName, portList } from "../backends.js";
import { type Place, placeOf, resourceRef } from "../place.js";
import { invalidBackend } from "../reasons.js";
import { isReferenceGranted } from "../reference-grants.js";
import type {
  AnyRoute,
  AttachableRoute,
  BackendTlsChoice,
  RouteContext,
  RuleContext,
} from "./model.js";
import type { UnresolvedReason } from "./route-problems.js";

/** Where requests are sent, or how they are refused. */
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

/** The Service port that a reference names. Its problems are reported, and stated in the condition ResolvedRefs. */
export function destinationOf(
  reference: BackendReference,
  place: Place,
  context: RuleContext,
): Destination {
  const port = portReference(reference, context.route, context);
  const found = "ok" in port ? port : servicePortDestination(port, context);
  if (found.ok || "refuse" in found) return found;
  context.problems.unresolvable(found.reason, found.message, place, found.code);
  return { ok: false, refuse: invalidBackend(found.reason) };
}

function servicePortDestination(
  reference: PortReference,
  context: RuleContext,
): Destination | Unusable {
  const { route, gateways, policies } = context;
  const { namespace, name, port } = reference;
  const service = context.resources.get("Service", namespace, name);
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
  // Called also for missing Services, because the policy's status names the Gateway.
  const tls = policies.backendTls(gateways, backend);
  if (service === undefined || servicePort === undefined || isExternalName(service)) {
    return missingPort(reference, service);
  }
  if (tls.kind === "refused") return { ok: false, refuse: tls.refuse };
  const spoken = protocolOf(reference, servicePort.appProtocol, tls, route);
  if (typeof spoken !== "string") return spoken;
  reportClearText(spoken, service, servicePort, context);
  const upstream = context.backends.add(reference);
  return { ok: true, upstream, protocol: spoken, ...(tls.kind === "tls" && { tls: tls.tls.id }) };
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
  route: AnyRoute,
): BackendProtocol | Unusable {
  const protocol = backendProtocol(appProtocol, isGrpcRoute(route), tls.kind === "tls");
  if (protocol === undefined) {
    const message = `port ${String(port)} of Service ${namespace}/${name} has the appProtocol ${JSON.stringify(appProtocol)}, which ${route.kind}s can't speak`;
    return unusable("UnsupportedProtocol", message);
  }
  if (protocol === "grpcs" && tls.kind === "tls" && tls.tls.names !== undefined) {
    const message = `the BackendTLSPolicy of Service ${namespace}/${name} has subjectAltNames, which can't be checked over gRPC`;
    return { ...unusable("UnsupportedProtocol", message), code: "ROUTE_BACKEND_TLS_NAMES" };
  }
  return protocol;
}

export function isGrpcRoute(route: AnyRoute): route is GrpcRoute {
  return route.kind === "GRPCRoute";
}

/** Why a backendRef of a route of any kind can't be used. */
export interface Unusable {
  readonly ok: false;
  readonly reason: UnresolvedReason;
  readonly message: string;
  /** Replaces the code of the reason. */
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

/** The port that the reference names, whether it exists or not: InvalidKind, RefNotPermitted. */
export function portReference(
  reference: BackendReference,
  route: AttachableRoute,
  { resources }: Pick<RouteContext, "resources">,
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
  if (!isOwn && !isReferenceGranted(resources, resourceRef(route), to)) {
    const message = `no ReferenceGrant in ${namespace} lets ${from}s of ${metadata.namespace} name Service ${name}`;
    return unusable("RefNotPermitted", message);
  }
  if (port === undefined) return unusable("BackendNotFound", "a Service needs a port");
  return { namespace, name, port };
}

/** Why a Service, or its absence, provides no backend. */
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

/**
 * Values of appProtocol, case-insensitive: those of Kubernetes (KEP-3726), and names of IANA's registry of services, which alone may
 * lack a prefix.
 */
const PROTOCOLS: ReadonlyMap<string, BackendProtocol | "ws" | "wss"> = new Map([
  ["kubernetes.io/h2c", "h2c"],
  ["kubernetes.io/ws", "ws"],
  ["kubernetes.io/wss", "wss"],
  ["", "http"],
  ["http", "http"],
  ["https", "https"],
  ["h2c", "h2c"],
  ["http2", "h2c"],
  ["ws", "ws"],
  ["wss", "wss"],
  ["grpc", "grpc"],
  ["grpcs", "grpcs"],
]);
const WITH_TLS: ReadonlySet<string> = new Set(["https", "wss", "grpcs"]);

/**
 * The protocol for a Service port, by its appProtocol and whether a policy gives it TLS; backends of a GRPCRoute use gRPC.
 * Undefined: the appProtocol is not supported.
 */
export function backendProtocol(
  appProtocol: string | undefined,
  isGrpc: boolean,
  hasTls: boolean,
): BackendProtocol | undefined {
  const protocol = PROTOCOLS.get((appProtocol ?? "").toLowerCase());
  if (protocol === undefined || (isGrpc && protocol.startsWith("ws"))) return undefined;
  const tls = hasTls || WITH_TLS.has(protocol);
  if (isGrpc || protocol.startsWith("grpc")) return tls ? "grpcs" : "grpc";
  if (tls) return "https";
  return protocol === "h2c" ? "h2c" : "http";
}

/** Whether an appProtocol means HTTP/2 without TLS, but not gRPC. */
function speaksHttp2(appProtocol: string | undefined): boolean {
  return PROTOCOLS.get(appProtocol?.toLowerCase() ?? "") === "h2c";
}
