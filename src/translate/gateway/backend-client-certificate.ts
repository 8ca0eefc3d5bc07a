import type { Gateway } from "../../api/gateway.js";
import type { BuildContext } from "../build-context.js";
import { placeOf } from "../place.js";
import type { CertificateLookup } from "./certificate-reference.js";
import { lookUpCertificate } from "./certificate-reference.js";

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
