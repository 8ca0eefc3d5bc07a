/** TLSRoute, TCPRoute and UDPRoute of Gateway API v1.7: routes of connections and datagrams, which nobody looks into. */
import type { BackendReference, CommonRouteSpec, RouteStatus } from "./gateway.js";
import type { KubernetesObject } from "./wire.js";

/** One rule in v1; earlier versions take more. */
export interface StreamRouteRule {
  readonly name?: string;
  readonly backendRefs: readonly StreamBackendRef[];
}

export interface StreamBackendRef extends BackendReference {
  readonly weight?: number;
}

/** TLSRoute, v1, v1alpha3 and v1alpha2. */
export interface TlsRoute extends KubernetesObject {
  /** `hostnames`: server names (RFC 6066, section 3); none, of v1alpha2 only: every connection. */
  readonly spec: CommonRouteSpec & { readonly rules: readonly StreamRouteRule[] };
  readonly status?: RouteStatus;
}

type PortRouteSpec = Omit<CommonRouteSpec, "hostnames"> & {
  readonly rules: readonly StreamRouteRule[];
};

/** TCPRoute, v1 and v1alpha2. */
export interface TcpRoute extends KubernetesObject {
  readonly spec: PortRouteSpec;
  readonly status?: RouteStatus;
}

/** UDPRoute, v1 and v1alpha2. */
export interface UdpRoute extends KubernetesObject {
  readonly spec: PortRouteSpec;
  readonly status?: RouteStatus;
}

export type StreamRoute = TlsRoute | TcpRoute | UdpRoute;
