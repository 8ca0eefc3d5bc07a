/** Whether clients of a Gateway's HTTPS ports must show certificates (Gateway.spec.tls.frontend). */
import type { FrontendTls, Gateway, ObjectReference } from "../../api/gateway.js";
import type { ClientCertificates } from "../../model/listener.js";
import type { TranslateContext } from "../context.js";
import type { Place } from "../place.js";
import { placeOf, within } from "../place.js";
import { bundleOf, readCertificateAuthorities } from "./certificate-authorities.js";
import { missingGrant } from "./gateway-certificates.js";
import type { Refused, Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

export interface ClientValidation {
  /** Absent: clients are not asked for certificates, or, if `accepted` does not hold, none may connect. */
  readonly clientCertificates?: ClientCertificates;
  /** NoValidCACertificate, UnsupportedValue. */
  readonly accepted: Verdict;
  /** InvalidCACertificateRef, InvalidCACertificateKind, RefNotPermitted. */
  readonly resolvedRefs: Verdict;
}

/** Where the Gateway serves clients with any certificate or none: `the default`, `port 8443`. */
export function insecureValidations({ spec }: Gateway): readonly string[] {
  const { default: fallback, perPort = [] } = spec.tls?.frontend ?? {};
  const isInsecure = (tls: FrontendTls | undefined): boolean =>
    tls?.validation?.mode === "AllowInsecureFallback";
  return [
    ...(isInsecure(fallback) ? ["the default"] : []),
    ...perPort.flatMap(({ port, tls }) => (isInsecure(tls) ? [`port ${String(port)}`] : [])),
  ];
}

/** What the Gateway asks of the clients of its HTTPS listeners on a port; settings of a port replace the default. */
export function clientValidation(
  gateway: Gateway,
  port: number,
  context: TranslateContext,
): ClientValidation {
  const { validation, place } = validationFor(gateway, port);
  if (validation === undefined) return { accepted: HOLDS, resolvedRefs: HOLDS };
  const { mode = "AllowValidOnly", caCertificateRefs } = validation;
  const { authorities, problem } = readAuthorities(caCertificateRefs, place, context);
  const resolvedRefs = problem ?? HOLDS;
  const known = MODES.get(mode);
  if (known === undefined) {
    const message = `validation mode ${JSON.stringify(mode)} is not known`;
    const field = within(place, "validation", "mode");
    return { accepted: refused("UnsupportedValue", message, field), resolvedRefs };
  }
  if (authorities === undefined) {
    const message = problem?.message ?? "no certificate authority is named";
    return { accepted: refused("NoValidCACertificate", message), resolvedRefs };
  }
  return { clientCertificates: { authorities, mode: known }, accepted: HOLDS, resolvedRefs };
}

/** Whether the Gateway asks clients of the port for certificates. */
export function validatesClients(gateway: Gateway, port: number): boolean {
  return validationFor(gateway, port).validation !== undefined;
}

function validationFor(
  gateway: Gateway,
  port: number,
): { readonly validation: FrontendTls["validation"]; readonly place: Place } {
  const { default: fallback, perPort = [] } = gateway.spec.tls?.frontend ?? {};
  const place = placeOf(gateway, "spec", "tls", "frontend");
  const index = perPort.findIndex((entry) => entry.port === port);
  const ofPort = perPort[index];
  return ofPort === undefined
    ? { validation: fallback?.validation, place: within(place, "default") }
    : { validation: ofPort.tls.validation, place: within(place, "perPort", index, "tls") };
}

/** A Map, not an object: the text in the Gateway may be `constructor`. */
const MODES: ReadonlyMap<string, ClientCertificates["mode"]> = new Map([
  ["AllowValidOnly", "required"],
  ["AllowInsecureFallback", "requested"],
]);

/** The authorities of all usable references, and the problem of the first one that is not usable. */
function readAuthorities(
  refs: readonly ObjectReference[],
  place: Place,
  context: TranslateContext,
): { readonly authorities: string | undefined; readonly problem: Refused | undefined } {
  const found = refs.map((ref, index) =>
    readAuthority(ref, within(place, "validation", "caCertificateRefs", index), context),
  );
  return {
    authorities: bundleOf(found.flatMap((each) => (each.ok ? each.bundle : []))),
    problem: found.find((each): each is Refused => !each.ok),
  };
}

function readAuthority(
  ref: ObjectReference,
  place: Place,
  { resources }: TranslateContext,
): { readonly ok: true; readonly bundle: string } | Refused {
  const { kind, name, namespace = place.resource.namespace } = ref;
  if (kind === "ConfigMap" || kind === "Secret") {
    const missing = missingGrant(place, { kind, namespace, name }, resources);
    if (missing !== undefined) return missing;
  }
  const read = readCertificateAuthorities(ref, namespace, resources);
  if (read.ok) return { ok: true, bundle: bundleOf(read.certificates) ?? "" };
  const reason = read.reason === "InvalidKind" ? "InvalidCACertificateKind" : read.reason;
  return refused(reason, read.message, place);
}
