import type {
  V1ConfigMap,
  V1EndpointSlice,
  V1Ingress,
  V1IngressClass,
  V1Namespace,
  V1Secret,
  V1Service,
} from "@kubernetes/client-node";

/**
 * A class of the client library as plain JSON: read-only at every depth, timestamps as RFC 3339 text. `apiVersion`, `kind`,
 * `metadata.name` and `metadata.namespace` are always present, because decoding sets them.
 */
type Wire<T> = T extends Date
  ? string
  : T extends (infer E)[]
    ? readonly Wire<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

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

type WireObject<T> = KubernetesObject & Omit<Wire<T>, "apiVersion" | "kind" | "metadata">;

export type ConfigMap = WireObject<V1ConfigMap>;
export type EndpointSlice = WireObject<V1EndpointSlice>;
export type Ingress = WireObject<V1Ingress>;
export type IngressClass = WireObject<V1IngressClass>;
export type Namespace = WireObject<V1Namespace>;
/** `data` is base64; `stringData` has been merged into it. */
export type Secret = WireObject<V1Secret>;
export type Service = WireObject<V1Service>;

export const GATEWAY_GROUP = "gateway.networking.k8s.io";
