import type { AuthConfig, CredentialSet } from "./auth.js";
import type { BackendTls, Upstream } from "./upstream.js";
import type {
  Certificate,
  InheritedAuth,
  Listener,
  Server,
  ServerCertificate,
} from "./listener.js";
import type { Route, RouteBinding } from "./route.js";
import type { StreamPool, StreamServer } from "./stream.js";

/**
 * The model of the data plane: translation returns it and rendering takes it. It contains neither Kubernetes objects nor nginx syntax.
 * Lists are sorted by id (bindings by listener and order), so equal objects give equal configurations.
 */
export interface DataPlaneConfig {
  readonly servers: readonly Server[];
  readonly listeners: readonly Listener[];
  readonly bindings: readonly RouteBinding[];
  readonly routes: readonly Route[];
  readonly auths: readonly AuthConfig[];
  /** Only for listeners whose routes inherit auth. */
  readonly inherited: readonly InheritedAuth[];
  readonly credentials: readonly CredentialSet[];
  readonly upstreams: readonly Upstream[];
  readonly backendTls: readonly BackendTls[];
  readonly serverCertificates: readonly ServerCertificate[];
  readonly certificates: readonly Certificate[];
  readonly streams: readonly StreamServer[];
  readonly pools: readonly StreamPool[];
  /** The upstreams of the pools. */
  readonly streamUpstreams: readonly Upstream[];
}

/** Without endpoints, which change most often and affect nothing else. */
export type RoutingModel = Omit<DataPlaneConfig, "upstreams" | "streamUpstreams">;
