/** How Gateway API's kinds are read. */
import type { TcpRoute, UdpRoute } from "../api/gateway.js";
import { GATEWAY_SPECS, GATEWAY_STATUSES } from "../api/schemas/gateway-schemas.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import { GATEWAY_GROUP, objectSchema } from "../api/schemas/object-schema.js";
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
  ...gatewayShape<TcpRoute & UdpRoute>("TCPRoute"),
  check: checkStreamRoute,
};

export const GATEWAY_KINDS: Pick<KindTable, keyof typeof GATEWAY_SPECS> = {
  GatewayClass: {
    ...GATEWAY,
    namespaced: false,
    ...gatewayShape("GatewayClass"),
  },
  Gateway: { ...GATEWAY, ...gatewayShape("Gateway"), check: checkGateway },
  ListenerSet: {
    ...GATEWAY,
    versions: ["v1"],
    ...gatewayShape("ListenerSet"),
    check: checkListenerSet,
  },
  HTTPRoute: {
    ...GATEWAY,
    ...gatewayShape("HTTPRoute"),
    check: checkHttpRoute,
  },
  GRPCRoute: {
    ...GATEWAY,
    versions: ["v1"],
    ...gatewayShape("GRPCRoute"),
    check: checkGrpcRoute,
  },
  TLSRoute: {
    ...GATEWAY,
    versions: ["v1", "v1alpha3", "v1alpha2"],
    ...gatewayShape("TLSRoute"),
    check: checkStreamRoute,
  },
  TCPRoute: PORT_ROUTE,
  UDPRoute: PORT_ROUTE,
  BackendTLSPolicy: {
    ...GATEWAY,
    versions: ["v1", "v1alpha3"],
    ...gatewayShape("BackendTLSPolicy"),
    check: checkBackendTlsPolicy,
  },
  ReferenceGrant: { ...GATEWAY, ...gatewayShape("ReferenceGrant") },
};

function gatewayShape<T>(kind: keyof typeof GATEWAY_SPECS): ReturnType<typeof shape<T>> {
  const statuses: Partial<Record<string, JsonSchema>> = GATEWAY_STATUSES;
  const status = statuses[kind];
  const whole = shape<T>(objectSchema({ spec: GATEWAY_SPECS[kind] }, ["spec"]));
  return { ...whole, ...(status && { status }) };
}
