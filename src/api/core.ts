/** Kubernetes' own kinds that we read. */
import type {
  V1ConfigMap,
  V1EndpointSlice,
  V1Ingress,
  V1IngressClass,
  V1Namespace,
  V1Secret,
  V1Service,
} from "@kubernetes/client-node";
import type { WireObject } from "./wire.js";

export type ConfigMap = WireObject<V1ConfigMap>;
export type EndpointSlice = WireObject<V1EndpointSlice>;
export type Ingress = WireObject<V1Ingress>;
export type IngressClass = WireObject<V1IngressClass>;
export type Namespace = WireObject<V1Namespace>;
/** `data` is base64; `stringData` has been merged into it. */
export type Secret = WireObject<V1Secret>;
export type Service = WireObject<V1Service>;
