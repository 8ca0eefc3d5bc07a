/** What the backendRefs of routes of every kind have in common: they name ports of Services. */
import type { BackendReference } from "../../../api/gateway.js";
import type { Service } from "../../../api/wire.js";
import type { DiagnosticCode } from "../../../diagnostics/catalog.js";
import type { BackendProtocol } from "../../../model/upstream.js";
import { isExternalName, portList } from "../../backends.js";
import { resourceRef } from "../../place.js";
import type { AttachableRoute, UnresolvedReason } from "../model.js";
import type { RouteContext } from "./scope.js";

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

export interface PortReference {
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
export function speaksHttp2(appProtocol: string | undefined): boolean {
  return PROTOCOLS.get(appProtocol?.toLowerCase() ?? "")?.language === "http2";
}
