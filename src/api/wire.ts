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
  /** Set by input/assumed.ts: a stand-in for an object that is not among the manifests. */
  readonly assumed?: true;
}

/** A refused object of which no good version is known: the hosts and paths that it names answer 503, so no wider rule serves them. */
export interface Closed {
  /** The field that is wrong, for the reason that clients see: it never quotes a value. */
  readonly what: string;
  /** What is wrong, as it is reported; begins with the field, if there is one. */
  readonly message: string;
  /** Hosts that are closed as a whole, because one of their paths can't be read; `all`: all that the object names. */
  readonly hosts?: "all" | readonly string[];
  /** All routes of its namespace are closed: the policy has no room for those of the object (translate/policy-budget.ts). */
  readonly isNamespace?: boolean;
  /** The object names no host, so its paths are closed where no object names the host of a request. */
  readonly isHostless?: true;
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
