/** Stand-ins for Secrets, ConfigMaps and Services that manifests name and do not contain, because a cluster gets them in another way. */
import type { KindMap, KindName } from "../api/kinds.js";
import type { KubernetesObject } from "../api/wire.js";
import { getOrInsert } from "../support/collections.js";
import { type JsonObject, fieldsOf, own } from "../support/json-object.js";
import type { Resources } from "./resources.js";

const ASSUMABLE: ReadonlySet<KindName> = new Set<KindName>(["Secret", "ConfigMap", "Service"]);

export type IsAssumed = (kind: KindName, namespace: string, name: string) => boolean;

/** The same resources, in which a lookup of a missing Secret, ConfigMap or Service finds a stand-in if `isAssumed` holds. */
export function assuming(resources: Resources, isAssumed: IsAssumed): Resources {
  const standIns = new Map<string, KubernetesObject>();
  return {
    ...resources,
    get: <K extends KindName>(kind: K, namespace: string, name: string) => {
      const found = resources.get(kind, namespace, name);
      if (found !== undefined || !ASSUMABLE.has(kind)) return found;
      if (!isAssumed(kind, namespace, name)) return undefined;
      const metadata = { namespace, name };
      const standIn = getOrInsert(standIns, JSON.stringify([kind, namespace, name]), () => {
        return { apiVersion: "v1", kind, metadata, assumed: true } as const;
      });
      // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- all other fields of these three kinds are optional
      return standIn as KindMap[K];
    },
  };
}

/** A Secret that a controller of the cluster makes. */
export interface PromisedSecret {
  readonly namespace: string;
  readonly name: string;
}

/** Kinds of other controllers that make a Secret, and the name of that Secret. */
const MAKERS: ReadonlyMap<string, (spec: JsonObject, name: unknown) => unknown> = new Map([
  ["bitnami.com SealedSecret", (_, name) => name],
  [
    "external-secrets.io ExternalSecret",
    ({ target }, name) => own(fieldsOf(target), "name") ?? name,
  ],
  ["cert-manager.io Certificate", ({ secretName }) => secretName],
]);

/** The Secret that an object of a kind that is not read makes. */
export function promisedBy(
  value: JsonObject,
  defaultNamespace: string,
): PromisedSecret | undefined {
  const [group] = String(value["apiVersion"]).split("/");
  const { name: own, namespace = defaultNamespace } = fieldsOf(value["metadata"]);
  const nameOf = MAKERS.get(`${String(group)} ${String(value["kind"])}`);
  const name = nameOf?.(fieldsOf(value["spec"]), own);
  return typeof name === "string" && typeof namespace === "string"
    ? { namespace, name }
    : undefined;
}

/** With these annotations cert-manager makes the Secrets for TLS. */
const ISSUERS = ["cert-manager.io/issuer", "cert-manager.io/cluster-issuer"];

/** Whether a SealedSecret, ExternalSecret, Certificate or annotation of cert-manager makes the object. */
export function promisedIn(resources: Resources, promised: readonly PromisedSecret[]): IsAssumed {
  const ofIngresses = resources.list("Ingress").map(({ metadata, spec }) => {
    return { metadata, names: (spec?.tls ?? []).map(({ secretName }) => secretName) };
  });
  const ofGateways = resources.list("Gateway").map(({ metadata, spec }) => {
    const references = spec.listeners.flatMap(({ tls }) => tls?.certificateRefs ?? []);
    return { metadata, names: references.map(({ name }) => name) };
  });
  const issued = [...ofIngresses, ...ofGateways].filter(({ metadata }) => hasIssuer(metadata));
  const all = new Set([
    ...promised.map(({ namespace, name }) => `${namespace}/${name}`),
    ...issued.flatMap(({ metadata, names }) =>
      names.map((name) => `${metadata.namespace}/${String(name)}`),
    ),
  ]);
  return (kind, namespace, name) => kind === "Secret" && all.has(`${namespace}/${name}`);
}

function hasIssuer({ annotations }: KubernetesObject["metadata"]): boolean {
  return ISSUERS.some((key) => own(annotations, key) !== undefined);
}
