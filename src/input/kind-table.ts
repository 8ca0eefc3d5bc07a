/** The kinds that are read and what is needed to read them. One row for each kind. */
import { ALB2_SCHEMA, FRONTEND_SCHEMA, RULE_SCHEMA } from "../api/alb.js";
import { AUTH_POLICY_SCHEMA } from "../api/auth-policy.js";
import {
  CONFIG_MAP_SCHEMA,
  NAMESPACE_SCHEMA,
  SECRET_SCHEMA,
} from "../api/schemas/config-schema.js";
import { ENDPOINT_SLICE_SCHEMA } from "../api/schemas/endpoint-slice-schema.js";
import { INGRESS_CLASS_SCHEMA, INGRESS_SCHEMA } from "../api/schemas/ingress-schema.js";
import { SERVICE_SCHEMA, SERVICE_STATUS } from "../api/schemas/service-schema.js";
import { GATEWAY_STATUSES } from "../api/schemas/gateway-schemas.js";
import { closeBrokenPolicy } from "./auth-policy-shape.js";
import { closeBrokenAuth } from "./auth-shape.js";
import {
  defaultEndpointSlice,
  defaultIngressClass,
  defaultNamespace,
  defaultSecret,
  defaultService,
} from "./defaults.js";
import { GATEWAY_KINDS } from "./gateway-kinds.js";
import { shape } from "./kind-definition.js";
import type { KindTable } from "./kind-definition.js";

export type { KindDefinition, KindTable } from "./kind-definition.js";
import { checkRule } from "./rule-text.js";
import { checkConfigMap, checkSecret } from "./rules/config-data.js";
import { checkEndpointSlice } from "./rules/endpoint-slice.js";
import { checkIngressClass } from "./rules/ingress-class.js";
import { checkIngress } from "./rules/ingress.js";
import { labelProblem, subdomainProblem } from "./rules/names.js";
import { checkService } from "./rules/service.js";

const CORE = { group: "", versions: ["v1"], namespaced: true, name: subdomainProblem };
const NETWORKING = {
  group: "networking.k8s.io",
  versions: ["v1"],
  formerGroups: ["extensions"],
  name: subdomainProblem,
};

/** `albGroup` is the group of ALB2, Frontend, Rule and AuthPolicy. */
export function kindTable(albGroup: string): KindTable {
  const own = { group: albGroup, namespaced: true, name: subdomainProblem };
  const alb = { ...own, versions: ["v1"], close: closeBrokenAuth };
  return {
    ALB2: { ...alb, versions: ["v2", "v2beta1"], ...shape(ALB2_SCHEMA) },
    Frontend: { ...alb, ...shape(FRONTEND_SCHEMA) },
    Rule: { ...alb, ...shape(RULE_SCHEMA), check: checkRule },
    Ingress: { ...NETWORKING, namespaced: true, ...shape(INGRESS_SCHEMA), check: checkIngress },
    IngressClass: {
      ...NETWORKING,
      namespaced: false,
      ...shape(INGRESS_CLASS_SCHEMA),
      fill: defaultIngressClass,
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
      fill: defaultEndpointSlice,
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
      close: closeBrokenPolicy,
      status: GATEWAY_STATUSES.BackendTLSPolicy,
    },
  };
}
