import type { KubernetesObject } from "../../api/wire.js";
import type { ObjectStatus } from "../../status/object-status.js";
import { canonicalAddress } from "../../support/ip-address.js";

/**
 * Where each Ingress that is served is reached (Kubernetes, IngressStatus.loadBalancer). Without `addresses` (see publishedAddresses)
 * Ingresses have no status of ours.
 */
export function ingressStatuses(
  served: readonly { readonly object: KubernetesObject }[],
  addresses: readonly string[] | undefined,
): readonly ObjectStatus[] {
  if (addresses === undefined) return [];
  const entries = addresses.map((each) =>
    canonicalAddress(each) === undefined ? { hostname: each } : { ip: each },
  );
  const status = { loadBalancer: entries.length === 0 ? {} : { ingress: entries } };
  const text = JSON.stringify(status);
  return served.map(({ object }) => {
    const known = STATUSES.get(object);
    if (known?.text === text) return known.status;
    const { apiVersion, kind, metadata } = object;
    const { name, namespace } = metadata;
    const made = { text, status: { apiVersion, kind, metadata: { name, namespace }, status } };
    STATUSES.set(object, made);
    return made.status;
  });
}

/** Of thousands of Ingresses few are new. */
const STATUSES = new WeakMap<
  KubernetesObject,
  { readonly text: string; readonly status: ObjectStatus }
>();
