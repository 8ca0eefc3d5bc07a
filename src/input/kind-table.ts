/** The kinds that are read and what is needed to read them. One row for each kind. */
import type { KindMap, KindName } from "../api/kinds.js";
import type { KubernetesObject } from "../api/wire.js";
import { ALB2_SCHEMA } from "../api/schemas/alb2-schema.js";
import {
  CONFIG_MAP_SCHEMA,
  NAMESPACE_SCHEMA,
  SECRET_SCHEMA,
} from "../api/schemas/config-schema.js";
import { ENDPOINT_SLICE_SCHEMA } from "../api/schemas/endpoint-slice-schema.js";
import { FRONTEND_SCHEMA } from "../api/schemas/frontend-schema.js";
import { INGRESS_CLASS_SCHEMA, INGRESS_SCHEMA } from "../api/schemas/ingress-schema.js";
import { REFERENCE_GRANT_SCHEMA } from "../api/schemas/reference-grant-schema.js";
import { RULE_SCHEMA } from "../api/schemas/rule-schema.js";
import type { JsonSchema } from "../api/schemas/schema.js";
import { SERVICE_SCHEMA } from "../api/schemas/service-schema.js";
import {
  defaultEndpointSlice,
  defaultIngressClass,
  defaultNamespace,
  defaultSecret,
  defaultService,
} from "./defaults.js";
import type { Findings } from "./finding.js";
import { checkConfigMap, checkSecret } from "./rules/config-data.js";
import { checkEndpointSlice } from "./rules/endpoint-slice.js";
import { checkIngressClass } from "./rules/ingress-class.js";
import { checkIngress } from "./rules/ingress.js";
import { labelProblem, subdomainProblem } from "./rules/names.js";
import type { NameRule } from "./rules/names.js";
import { checkService } from "./rules/service.js";
import { validator } from "./validator.js";
import type { Validate } from "./validator.js";

/** How one kind is read. */
export interface KindDefinition<T extends KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string;
  /** Best first. */
  readonly versions: readonly string[];
  /** Groups that served the kind once; their manifests get told where it is now. */
  readonly formerGroups?: readonly string[];
  readonly namespaced: boolean;
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
  readonly name: NameRule;
  /** What an API server fills in. */
  readonly fill?: (object: T) => T;
  /** What an API server checks beyond the schema, before filling in. */
  readonly check?: (object: T) => Findings;
  /** Holds an Auth object at spec.config.auth. */
  readonly auth?: true;
}

export type KindTable = { readonly [K in KindName]: KindDefinition<KindMap[K]> };

const CORE = { group: "", versions: ["v1"], namespaced: true, name: subdomainProblem };
const NETWORKING = {
  group: "networking.k8s.io",
  versions: ["v1"],
  formerGroups: ["extensions"],
  name: subdomainProblem,
};

/** `albGroup` is the group of ALB2, Frontend and Rule. */
export function kindTable(albGroup: string): KindTable {
  const own = { group: albGroup, namespaced: true, name: subdomainProblem, auth: true } as const;
  return {
    ALB2: { ...own, versions: ["v2", "v2beta1"], ...shape(ALB2_SCHEMA) },
    Frontend: { ...own, versions: ["v1"], ...shape(FRONTEND_SCHEMA) },
    Rule: { ...own, versions: ["v1"], ...shape(RULE_SCHEMA) },
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
    ReferenceGrant: {
      ...CORE,
      group: "gateway.networking.k8s.io",
      versions: ["v1", "v1beta1"],
      ...shape(REFERENCE_GRANT_SCHEMA),
    },
  };
}

function shape<T>(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly validate: Validate<T>;
} {
  return { schema, validate: validator<T>(schema) };
}
