import type { BackendProtocol } from "../../../model/upstream.js";

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
