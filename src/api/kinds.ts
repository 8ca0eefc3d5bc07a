/** Every kind that we read, by its name; schemas are in the table of input/decode.ts. */
import type { Alb2, Frontend, Rule } from "./alb.js";
import type {
  ConfigMap,
  EndpointSlice,
  Ingress,
  IngressClass,
  Namespace,
  ReferenceGrant,
  Secret,
  Service,
} from "./core.js";

export interface KindMap {
  readonly ALB2: Alb2;
  readonly Frontend: Frontend;
  readonly Rule: Rule;
  readonly Ingress: Ingress;
  readonly IngressClass: IngressClass;
  readonly Service: Service;
  readonly EndpointSlice: EndpointSlice;
  readonly Secret: Secret;
  readonly ConfigMap: ConfigMap;
  readonly Namespace: Namespace;
  readonly ReferenceGrant: ReferenceGrant;
}

export type KindName = keyof KindMap;

/** All of them, in the order in which they are printed. */
export const KIND_NAMES: readonly KindName[] = [
  "Namespace",
  "ALB2",
  "Frontend",
  "Rule",
  "IngressClass",
  "Ingress",
  "Service",
  "EndpointSlice",
  "Secret",
  "ConfigMap",
  "ReferenceGrant",
];
