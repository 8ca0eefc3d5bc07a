import type { Gateway, SecretReference } from "../../api/gateway.js";
import type { BuildContext } from "../context.js";
import type { LoadedCertificate } from "../certificates.js";
import type { Place } from "../place.js";
import { placeOf } from "../place.js";
import { isReferenceGranted } from "../reference-grants.js";
import type { Refused } from "./verdict.js";
import { refused } from "./verdict.js";

type CertificateLookup = { readonly ok: true; readonly certificate: LoadedCertificate } | Refused;

/**
 * The certificate that the object at `place` names. A Secret of another namespace needs a ReferenceGrant; without one the reason is
 * RefNotPermitted whether or not the Secret exists, so that nobody learns which do. Else `invalid` is the reason. Reports nothing.
 */
export function lookUpCertificate(
  ref: SecretReference,
  place: Place,
  invalid: "InvalidCertificateRef" | "InvalidClientCertificateRef",
  { resources, certificates }: BuildContext,
): CertificateLookup {
  const { group = "", kind = "Secret", name, namespace = place.resource.namespace } = ref;
  if (group !== "" || kind !== "Secret") {
    const shown = group === "" ? kind : `${kind} of ${group}`;
    return refused(invalid, `certificates come from Secrets, not from ${shown} ${name}`, place);
  }
  const secret = { kind, namespace, name } as const;
  if (
    namespace !== place.resource.namespace &&
    !isReferenceGranted(resources, place.resource, secret)
  ) {
    return refused(
      "RefNotPermitted",
      `no ReferenceGrant in namespace ${namespace} lets a ${place.resource.kind} of namespace ${place.resource.namespace} use Secret ${name}`,
      place,
    );
  }
  const loaded = certificates.read({ namespace, name }, place);
  return loaded.ok
    ? { ok: true, certificate: loaded.value }
    : refused(invalid, loaded.problem, place);
}

/**
 * The certificate that the Gateway shows to its TLS backends (spec.tls.backend.clientCertificateRef); undefined when it names none.
 * Reports nothing: the Gateway's condition ResolvedRefs does.
 */
export function backendClientCertificate(
  gateway: Gateway,
  context: BuildContext,
): CertificateLookup | undefined {
  const ref = gateway.spec.tls?.backend?.clientCertificateRef;
  if (ref === undefined) return undefined;
  const place = placeOf(gateway, "spec", "tls", "backend", "clientCertificateRef");
  return lookUpCertificate(ref, place, "InvalidClientCertificateRef", context);
}
