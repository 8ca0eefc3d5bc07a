import type { ObjectReference, FrontendTls, Gateway } from "../../api/gateway.js";
import type { ClientCertificates } from "../../model/listener.js";
import type { TranslateContext } from "../context.js";
import { placeOf, within } from "../place.js";
import type { Place } from "../place.js";
import { isReferenceGranted } from "../reference-grants.js";
import { readCertificateAuthorities } from "./certificate-authorities.js";
import type { Refused, Verdict } from "./verdict.js";
import { HOLDS, refused } from "./verdict.js";

/** Whether clients of a port show certificates (Gateway.spec.tls.frontend). */
export interface ClientValidation {
  /** Absent: clients are not asked, or, when not `accepted`, nobody may connect. */
  readonly clientCertificates?: ClientCertificates;
  /** NoValidCACertificate, UnsupportedValue. */
  readonly accepted: Verdict;
  /** InvalidCACertificateRef, InvalidCACertificateKind, RefNotPermitted. */
  readonly resolvedRefs: Verdict;
}

/** Where the Gateway lets clients pass whatever they show: `the default`, `port 8443`. Empty: nowhere. */
export function insecureValidations({ spec }: Gateway): readonly string[] {
  const { default: fallback, perPort = [] }: Partial<Frontend> = spec.tls?.frontend ?? {};
  const isInsecure = (tls: FrontendTls | undefined): boolean =>
    tls?.validation?.mode === "AllowInsecureFallback";
  return [
    ...(isInsecure(fallback) ? ["the default"] : []),
    ...perPort.flatMap(({ port, tls }) => (isInsecure(tls) ? [`port ${String(port)}`] : [])),
  ];
}

type Frontend = NonNullable<NonNullable<Gateway["spec"]["tls"]>["frontend"]>;
type Validation = NonNullable<FrontendTls["validation"]>;

/** What the Gateway asks of the clients of its HTTPS listeners on a port; what is said for a port replaces the default. */
export function clientValidation(
  gateway: Gateway,
  port: number,
  context: TranslateContext,
): ClientValidation {
  const { validation, place } = validationFor(gateway, port);
  if (validation === undefined) return { accepted: HOLDS, resolvedRefs: HOLDS };
  const { mode = "AllowValidOnly", caCertificateRefs } = validation;
  const { pem, problem } = readAuthorities(caCertificateRefs, place, context);
  const resolvedRefs = problem ?? HOLDS;
  const known = MODES.get(mode);
  if (known === undefined) {
    const message = `validation mode ${JSON.stringify(mode)} is not known`;
    const field = within(place, "validation", "mode");
    return { accepted: refused("UnsupportedValue", message, field), resolvedRefs };
  }
  if (pem === undefined) {
    const message = problem?.message ?? "no certificate authority is named";
    return { accepted: refused("NoValidCACertificate", message), resolvedRefs };
  }
  const clientCertificates = { authorities: pem, mode: known };
  return { clientCertificates, accepted: HOLDS, resolvedRefs };
}

/** Whether the Gateway asks clients of the port for certificates. */
export function validatesClients(gateway: Gateway, port: number): boolean {
  return validationFor(gateway, port).validation !== undefined;
}

function validationFor(
  gateway: Gateway,
  port: number,
): { readonly validation: Validation | undefined; readonly place: Place } {
  const frontend: Partial<Frontend> = gateway.spec.tls?.frontend ?? {};
  const place = placeOf(gateway, "spec", "tls", "frontend");
  const index = (frontend.perPort ?? []).findIndex((entry) => entry.port === port);
  const perPort = frontend.perPort?.[index];
  return perPort === undefined
    ? { validation: frontend.default?.validation, place: within(place, "default") }
    : { validation: perPort.tls.validation, place: within(place, "perPort", index, "tls") };
}

/** No object: every value of a Gateway is looked up here, `constructor` as well. */
const MODES: ReadonlyMap<string, ClientCertificates["mode"]> = new Map([
  ["AllowValidOnly", "required"],
  ["AllowInsecureFallback", "requested"],
]);

/** The authorities of every usable reference, and what is wrong with the first that is not. */
function readAuthorities(
  refs: readonly ObjectReference[],
  place: Place,
  context: TranslateContext,
): { readonly pem?: string; readonly problem?: Refused } {
  const readings = refs.map((ref, index) =>
    readAuthority(ref, within(place, "validation", "caCertificateRefs", index), context),
  );
  const texts = readings.flatMap((reading) => ("pem" in reading ? [reading.pem] : []));
  const problem = readings.find((reading) => "reason" in reading);
  return {
    ...(texts.length > 0 && { pem: [...new Set(texts)].join("") }),
    ...(problem && { problem }),
  };
}

function readAuthority(
  ref: ObjectReference,
  place: Place,
  { resources }: TranslateContext,
): { readonly pem: string } | Refused {
  const { resource } = place;
  const { kind, name, namespace = resource.namespace } = ref;
  if (namespace !== resource.namespace && (kind === "ConfigMap" || kind === "Secret")) {
    if (!isReferenceGranted(resources, resource, { kind, namespace, name })) {
      const message = `no ReferenceGrant in namespace ${namespace} lets a ${resource.kind} of namespace ${resource.namespace} use ${kind} ${name}`;
      return refused("RefNotPermitted", message, place);
    }
  }
  const { pem, problems } = readCertificateAuthorities([ref], namespace, resources);
  if (pem !== undefined) return { pem };
  const [problem] = problems;
  const reason =
    problem?.reason === "InvalidKind" ? "InvalidCACertificateKind" : "InvalidCACertificateRef";
  return refused(reason, problem?.message ?? `${kind} ${namespace}/${name} can't be used`, place);
}
