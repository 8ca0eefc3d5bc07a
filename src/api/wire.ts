import type {
  CONFIG_MAP_SCHEMA,
  ENDPOINT_SLICE_SCHEMA,
  INGRESS_CLASS_SCHEMA,
  INGRESS_SCHEMA,
  NAMESPACE_SCHEMA,
  SECRET_SCHEMA,
  SERVICE_SCHEMA,
  SERVICE_STATUS,
} from "./schemas/core-schemas.js";
import type { Static } from "./schemas/schema.js";

export interface ObjectMeta {
  readonly name: string;
  /** `""` for cluster-scoped kinds. */
  readonly namespace: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  /** Set by decoding, never by users: the object can't be served as written, and consists of its readable parts. */
  readonly closed?: Closed;
}

/** A refused object is closed, not absent: its requests answer 503, and no wider rule serves them. */
export interface Closed {
  /** The field that is wrong, for the reason that clients see: it never quotes a value. */
  readonly what: string;
  /**
   * What is closed: its own paths; all of its hosts, because a path can't be read; or all routes of its namespace, because a host or
   * parent can't be read.
   */
  readonly extent: "paths" | "hosts" | "namespace";
}

type ObjectOf<S> = KubernetesObject & Static<S>;

export type ConfigMap = ObjectOf<typeof CONFIG_MAP_SCHEMA>;
/** `endpoints` has a default. */
export type EndpointSlice = ObjectOf<typeof ENDPOINT_SLICE_SCHEMA> &
  Required<Pick<Static<typeof ENDPOINT_SLICE_SCHEMA>, "endpoints">>;
export type Ingress = ObjectOf<typeof INGRESS_SCHEMA>;
export type IngressClass = ObjectOf<typeof INGRESS_CLASS_SCHEMA>;
export type Namespace = ObjectOf<typeof NAMESPACE_SCHEMA>;
/** `data` is base64; `stringData` has been merged into it. */
export type Secret = ObjectOf<typeof SECRET_SCHEMA>;
export type Service = ObjectOf<typeof SERVICE_SCHEMA> & {
  readonly status?: Static<typeof SERVICE_STATUS>;
};

export const GATEWAY_GROUP = "gateway.networking.k8s.io";
