/** Every kind that albc reads, by name; input/kind-table.ts has the schemas. */
import type { Alb2, Frontend, Rule } from "./alb.js";
import type { AuthPolicy } from "./auth.js";
import type {
  ConfigMap,
  EndpointSlice,
  Ingress,
  IngressClass,
  Namespace,
  Secret,
  Service,
} from "./wire.js";
import type {
  BackendTlsPolicy,
  Gateway,
  GatewayClass,
  GrpcRoute,
  HttpRoute,
  ListenerSet,
  ReferenceGrant,
  TcpRoute,
  TlsRoute,
  UdpRoute,
} from "./gateway.js";

export interface KindMap {
  readonly ALB2: Alb2;
  readonly Frontend: Frontend;
  readonly Rule: Rule;
  readonly Ingress: Ingress;
  readonly IngressClass: IngressClass;
  readonly GatewayClass: GatewayClass;
  readonly Gateway: Gateway;
  readonly ListenerSet: ListenerSet;
  readonly HTTPRoute: HttpRoute;
  readonly GRPCRoute: GrpcRoute;
  readonly TLSRoute: TlsRoute;
  readonly TCPRoute: TcpRoute;
  readonly UDPRoute: UdpRoute;
  readonly BackendTLSPolicy: BackendTlsPolicy;
  readonly AuthPolicy: AuthPolicy;
  readonly Service: Service;
  readonly EndpointSlice: EndpointSlice;
  readonly Secret: Secret;
  readonly ConfigMap: ConfigMap;
  readonly Namespace: Namespace;
  readonly ReferenceGrant: ReferenceGrant;
}

export type KindName = keyof KindMap;

/** In the order in which they are printed. */
export const KIND_NAMES: readonly KindName[] = [
  "Namespace",
  "ALB2",
  "Frontend",
  "Rule",
  "IngressClass",
  "Ingress",
  "GatewayClass",
  "Gateway",
  "ListenerSet",
  "HTTPRoute",
  "GRPCRoute",
  "TLSRoute",
  "TCPRoute",
  "UDPRoute",
  "BackendTLSPolicy",
  "AuthPolicy",
  "Service",
  "EndpointSlice",
  "Secret",
  "ConfigMap",
  "ReferenceGrant",
];
