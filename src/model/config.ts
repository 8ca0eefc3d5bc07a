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
 * The data plane's whole model: what translation gives and rendering takes. It knows neither Kubernetes nor nginx syntax.
 * Every list is sorted by id (bindings by listener and order), so equal objects give equal configurations.
 */
export interface DataPlaneConfig {
  readonly servers: readonly Server[];
  readonly listeners: readonly Listener[];
  readonly bindings: readonly RouteBinding[];
  readonly routes: readonly Route[];
  readonly auths: readonly AuthConfig[];
  /** Of the listeners from which there is anything to inherit. */
  readonly inherited: readonly InheritedAuth[];
  readonly credentials: readonly CredentialSet[];
  readonly upstreams: readonly Upstream[];
  readonly backendTls: readonly BackendTls[];
  readonly serverCertificates: readonly ServerCertificate[];
  readonly certificates: readonly Certificate[];
  readonly streams: readonly StreamServer[];
  readonly pools: readonly StreamPool[];
  /** Those of the pools. */
  readonly streamUpstreams: readonly Upstream[];
}

/** All of it but for what changes most often, and changes nothing else. */
export type RoutingModel = Omit<DataPlaneConfig, "upstreams" | "streamUpstreams">;
