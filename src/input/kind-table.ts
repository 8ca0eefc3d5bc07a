/** The kinds that are read, and how: one row for each kind. */
import { ALB2_SCHEMA, FRONTEND_SCHEMA, RULE_SCHEMA } from "../api/alb.js";
import { AUTH_POLICY_SCHEMA } from "../api/auth.js";
import type { TcpRoute, UdpRoute } from "../api/gateway.js";
import type { KindMap, KindName } from "../api/kinds.js";
import {
  CONFIG_MAP_SCHEMA,
  ENDPOINT_SLICE_SCHEMA,
  INGRESS_CLASS_SCHEMA,
  INGRESS_SCHEMA,
  NAMESPACE_SCHEMA,
  SECRET_SCHEMA,
  SERVICE_SCHEMA,
  SERVICE_STATUS,
} from "../api/schemas/core-schemas.js";
import { GATEWAY_SPECS, GATEWAY_STATUSES } from "../api/schemas/gateway-schemas.js";
import { type JsonSchema, objectSchema } from "../api/schemas/schema.js";
import { GATEWAY_GROUP, type KubernetesObject, type Namespace } from "../api/wire.js";
import { present } from "../support/json-object.js";
import { checkAuthPolicy } from "./rules/auth-policy.js";
import {
  checkConfigMap,
  checkEndpointSlice,
  checkSecret,
  checkService,
  defaultSecret,
  defaultService,
} from "./rules/core.js";
import { checkBackendTlsPolicy, checkGateway, checkListenerSet } from "./rules/gateway.js";
import { checkGrpcRoute, checkHttpRoute, checkStreamRoute } from "./rules/route.js";
import { checkIngress, checkIngressClass } from "./rules/ingress.js";
import { type NameRule, type Reports, labelProblem, subdomainProblem } from "./rules/names.js";
import { type Validate, validator } from "./schema-validation.js";

/** What reading objects depends on besides the objects. */
export interface InputOptions {
  /** API group of ALB2, Frontend, Rule and AuthPolicy. */
  readonly albGroup: string;
}

export const DEFAULT_INPUT_OPTIONS: InputOptions = { albGroup: "crd.alauda.io" };

/** How one kind is read. */
export interface KindDefinition<T extends KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string;
  /** Best first. */
  readonly versions: readonly string[];
  /** Groups that served the kind once: a report names the current one. */
  readonly formerGroups?: readonly string[];
  readonly namespaced: boolean;
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
  readonly name: NameRule;
  /** What an API server fills in besides the schema's defaults. */
  readonly fill?: (object: T) => T;
  /** What an API server checks beyond the schema, after filling in its defaults. */
  readonly check?: (object: T) => Reports;
  /** The fields of the status that are kept; none without a schema. */
  readonly status?: JsonSchema;
}

export type KindTable = { readonly [K in KindName]: KindDefinition<KindMap[K]> };

function shape<T>(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
} {
  return { schema, validate: validator<T>(schema) };
}

/** A row of Gateway API's kinds. By default the versions that the CRDs of v1.7 serve; their contents are the same. */
function gateway<T extends KubernetesObject>(
  kind: keyof typeof GATEWAY_SPECS,
  row: Partial<Pick<KindDefinition<T>, "versions" | "namespaced" | "check">> = {},
): KindDefinition<T> {
  const statuses: Partial<Record<string, JsonSchema>> = GATEWAY_STATUSES;
  return {
    group: GATEWAY_GROUP,
    versions: ["v1", "v1beta1"],
    namespaced: true,
    name: subdomainProblem,
    ...shape<T>(objectSchema({ spec: GATEWAY_SPECS[kind] }, ["spec"])),
    ...present("status", statuses[kind]),
    ...row,
  };
}

/** TCPRoute and UDPRoute. */
const PORT_ROUTE = gateway<TcpRoute & UdpRoute>("TCPRoute", {
  versions: ["v1", "v1alpha2"],
  check: checkStreamRoute,
});

const GATEWAY_KINDS: Pick<KindTable, keyof typeof GATEWAY_SPECS> = {
  GatewayClass: gateway("GatewayClass", { namespaced: false }),
  Gateway: gateway("Gateway", { check: checkGateway }),
  ListenerSet: gateway("ListenerSet", { versions: ["v1"], check: checkListenerSet }),
  HTTPRoute: gateway("HTTPRoute", { check: checkHttpRoute }),
  GRPCRoute: gateway("GRPCRoute", { versions: ["v1"], check: checkGrpcRoute }),
  TLSRoute: gateway("TLSRoute", {
    versions: ["v1", "v1alpha3", "v1alpha2"],
    check: checkStreamRoute,
  }),
  TCPRoute: PORT_ROUTE,
  UDPRoute: PORT_ROUTE,
  BackendTLSPolicy: gateway("BackendTLSPolicy", {
    versions: ["v1", "v1alpha3"],
    check: checkBackendTlsPolicy,
  }),
  ReferenceGrant: gateway("ReferenceGrant"),
};

const CORE = { group: "", versions: ["v1"], namespaced: true, name: subdomainProblem };
const NETWORKING = {
  group: "networking.k8s.io",
  versions: ["v1"],
  formerGroups: ["extensions"],
  name: subdomainProblem,
};

const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

/** Namespaces carry their name as a label, for selectors. */
function defaultNamespace(namespace: Namespace): Namespace {
  const { metadata } = namespace;
  if (metadata.labels?.[NAMESPACE_NAME_LABEL] === metadata.name) return namespace;
  const labels = { ...metadata.labels, [NAMESPACE_NAME_LABEL]: metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}

/** `albGroup` is the group of ALB2, Frontend, Rule and AuthPolicy. */
export function kindTable(albGroup: string): KindTable {
  const own = { group: albGroup, namespaced: true, name: subdomainProblem };
  const alb = { ...own, versions: ["v1"] };
  return {
    ALB2: { ...alb, versions: ["v2", "v2beta1"], ...shape(ALB2_SCHEMA) },
    Frontend: { ...alb, ...shape(FRONTEND_SCHEMA) },
    Rule: { ...alb, ...shape(RULE_SCHEMA) },
    Ingress: { ...NETWORKING, namespaced: true, ...shape(INGRESS_SCHEMA), check: checkIngress },
    IngressClass: {
      ...NETWORKING,
      namespaced: false,
      ...shape(INGRESS_CLASS_SCHEMA),
      check: checkIngressClass,
    },
    Service: {
      ...CORE,
      ...shape(SERVICE_SCHEMA),
      name: labelProblem,
      fill: defaultService,
      check: checkService,
      status: SERVICE_STATUS,
    },
    EndpointSlice: {
      ...CORE,
      group: "discovery.k8s.io",
      ...shape(ENDPOINT_SLICE_SCHEMA),
      check: checkEndpointSlice,
    },
    Secret: { ...CORE, ...shape(SECRET_SCHEMA), fill: defaultSecret, check: checkSecret },
    ConfigMap: { ...CORE, ...shape(CONFIG_MAP_SCHEMA), check: checkConfigMap },
    Namespace: {
      ...CORE,
      namespaced: false,
      ...shape(NAMESPACE_SCHEMA),
      name: labelProblem,
      fill: defaultNamespace,
    },
    ...GATEWAY_KINDS,
    AuthPolicy: {
      ...own,
      versions: ["v1alpha1"],
      ...shape(AUTH_POLICY_SCHEMA),
      check: checkAuthPolicy,
      status: GATEWAY_STATUSES.BackendTLSPolicy,
    },
  };
}
