/** How Gateway API's kinds are read. */
import { BACKEND_TLS_POLICY_SCHEMA } from "../api/schemas/backend-tls-policy-schema.js";
import { GATEWAY_GROUP } from "../api/schemas/gateway-names.js";
import {
  GATEWAY_CLASS_SCHEMA,
  GATEWAY_SCHEMA,
  LISTENER_SET_SCHEMA,
} from "../api/schemas/gateway-schema.js";
import { GRPC_ROUTE_SCHEMA } from "../api/schemas/grpc-route-schema.js";
import { HTTP_ROUTE_SCHEMA } from "../api/schemas/http-route-schema.js";
import { PORT_ROUTE_SCHEMA, TLS_ROUTE_SCHEMA } from "../api/schemas/stream-route-schemas.js";
import { REFERENCE_GRANT_SCHEMA } from "../api/schemas/reference-grant-schema.js";
import {
  GATEWAY_CLASS_STATUS,
  GATEWAY_STATUS,
  LISTENER_SET_STATUS,
  POLICY_STATUS,
  ROUTE_STATUS,
} from "../api/schemas/status-schemas.js";
import type { TcpRoute, UdpRoute } from "../api/stream-routes.js";
import { shape } from "./kind-definition.js";
import type { KindTable } from "./kind-definition.js";
import { checkBackendTlsPolicy } from "./rules/backend-tls-policy.js";
import { checkGateway, checkListenerSet } from "./rules/gateway.js";
import { checkGrpcRoute } from "./rules/grpc-route.js";
import { checkHttpRoute } from "./rules/http-route.js";
import { subdomainProblem } from "./rules/names.js";
import { checkStreamRoute } from "./rules/stream-route.js";

/** Versions that the CRDs of v1.7 serve; their contents are the same. */
const GATEWAY = {
  group: GATEWAY_GROUP,
  versions: ["v1", "v1beta1"],
  namespaced: true,
  name: subdomainProblem,
};

/** TCPRoute and UDPRoute. */
const PORT_ROUTE = {
  ...GATEWAY,
  versions: ["v1", "v1alpha2"],
  ...shape<TcpRoute & UdpRoute>(PORT_ROUTE_SCHEMA),
  check: checkStreamRoute,
  status: ROUTE_STATUS,
};

type GatewayKind =
  | "GatewayClass"
  | "Gateway"
  | "ListenerSet"
  | "HTTPRoute"
  | "GRPCRoute"
  | "TLSRoute"
  | "TCPRoute"
  | "UDPRoute"
  | "BackendTLSPolicy"
  | "ReferenceGrant";

export const GATEWAY_KINDS: Pick<KindTable, GatewayKind> = {
  GatewayClass: {
    ...GATEWAY,
    namespaced: false,
    ...shape(GATEWAY_CLASS_SCHEMA),
    status: GATEWAY_CLASS_STATUS,
  },
  Gateway: { ...GATEWAY, ...shape(GATEWAY_SCHEMA), check: checkGateway, status: GATEWAY_STATUS },
  ListenerSet: {
    ...GATEWAY,
    versions: ["v1"],
    ...shape(LISTENER_SET_SCHEMA),
    check: checkListenerSet,
    status: LISTENER_SET_STATUS,
  },
  HTTPRoute: {
    ...GATEWAY,
    ...shape(HTTP_ROUTE_SCHEMA),
    check: checkHttpRoute,
    status: ROUTE_STATUS,
  },
  GRPCRoute: {
    ...GATEWAY,
    versions: ["v1"],
    ...shape(GRPC_ROUTE_SCHEMA),
    check: checkGrpcRoute,
    status: ROUTE_STATUS,
  },
  TLSRoute: {
    ...GATEWAY,
    versions: ["v1", "v1alpha3", "v1alpha2"],
    ...shape(TLS_ROUTE_SCHEMA),
    check: checkStreamRoute,
    status: ROUTE_STATUS,
  },
  TCPRoute: PORT_ROUTE,
  UDPRoute: PORT_ROUTE,
  BackendTLSPolicy: {
    ...GATEWAY,
    versions: ["v1", "v1alpha3"],
    ...shape(BACKEND_TLS_POLICY_SCHEMA),
    check: checkBackendTlsPolicy,
    status: POLICY_STATUS,
  },
  ReferenceGrant: { ...GATEWAY, ...shape(REFERENCE_GRANT_SCHEMA) },
};
