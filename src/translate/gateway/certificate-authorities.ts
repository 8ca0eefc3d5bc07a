/** Certificate authorities: reading them, and which ones clients of a Gateway must have certificates of (Gateway.spec.tls.frontend). */
import type { ConfigMap, Secret } from "../../api/wire.js";
import type { FrontendTls, Gateway, ObjectReference } from "../../api/gateway.js";
import type { RoutingResources } from "../../input/resources.js";
import type { ClientCertificates } from "../../model/listener.js";
import { memoized } from "../../support/collections.js";
import { own } from "../../support/json-object.js";
import { type Result, ok, problem } from "../../support/result.js";
import type { TranslateContext } from "../context.js";
import { type Place, placeOf, within } from "../place.js";
import { isWeakAuthority, parsePemCertificates } from "../certificate-strength.js";
import { missingGrant } from "./gateway-certificates.js";
import { HOLDS, type Refused, type Verdict, refused } from "./verdict.js";

const CA_KEY = "ca.crt";
/** All public authorities of an operating system are 220 KiB. */
const MOST_BUNDLE_TEXT = 256 * 1024;

/**
 * The certificates under `ca.crt` of a ConfigMap or Secret, as PEM texts. Otherwise the reason is InvalidKind or InvalidCACertificateRef,
 * and the message is a sentence that names the reference.
 */
export function readCertificateAuthorities(
  { group, kind, name }: ObjectReference,
  namespace: string,
  resources: RoutingResources,
): { readonly ok: true; readonly certificates: readonly string[] } | Refused {
  if (group !== "" || (kind !== "ConfigMap" && kind !== "Secret")) {
    const shown = group === "" ? kind : `${kind}.${group}`;
    const message = `${shown} is no kind that holds authorities; a ConfigMap or Secret does`;
    return refused("InvalidKind", message);
  }
  const object = resources.get(kind, namespace, name);
  const read =
    object === undefined
      ? problem<readonly string[]>("does not exist")
      : object.assumed
        ? ok([`assumed ${kind} ${namespace}/${name}\n`])
        : READERS[kind](object);
  return read.ok
    ? { ok: true, certificates: read.value }
    : refused("InvalidCACertificateRef", `${kind} ${namespace}/${name} ${read.problem}`);
}

/** One PEM text of several authorities, each once; undefined: there are none. */
export function bundleOf(certificates: readonly string[]): string | undefined {
  return certificates.length === 0 ? undefined : [...new Set(certificates)].join("");
}

/** Reads an object once, however many policies name it. */
const READERS = {
  ConfigMap: memoized(({ data }: ConfigMap) => certificatesOf(data, (text) => text)),
  Secret: memoized(({ data }: Secret) =>
    certificatesOf(data, (text) => Buffer.from(text, "base64").toString("latin1")),
  ),
};

/** Writes each certificate as PEM again, so text around the blocks is dropped. */
function certificatesOf(
  data: ConfigMap["data"] = {},
  decode: (value: string) => string,
): Result<readonly string[]> {
  const value = own(data, CA_KEY);
  if (value === undefined) return problem(`has no key ${CA_KEY}`);
  const text = decode(value);
  if (text.length > MOST_BUNDLE_TEXT) return problem(`has a ${CA_KEY} that is larger than 256 KiB`);
  const certificates = parsePemCertificates(text);
  if (certificates === undefined || certificates.length === 0) {
    return problem(`has a ${CA_KEY} that is no list of PEM certificates`);
  }
  return certificates.every(isWeakAuthority)
    ? problem(
        `has a ${CA_KEY} with no key of at least 112 bits (RSA 2048, EC P-256): TLS trusts none`,
      )
    : ok(certificates.map((certificate) => certificate.toString()));
}

interface ClientValidation {
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
