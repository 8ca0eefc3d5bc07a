/**
 * A client class as the plain JSON that users write: read-only all the way down, timestamps as RFC 3339 text.
 * `apiVersion`, `kind`, `metadata.name` and `metadata.namespace` are always there: decoding fills them in.
 */
export type Wire<T> = T extends Date
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
}

export type WireObject<T> = KubernetesObject & Omit<Wire<T>, "apiVersion" | "kind" | "metadata">;
