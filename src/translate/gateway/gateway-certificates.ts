/** Certificates that Gateways and ListenerSets name: those of their listeners, and the one that a Gateway shows to backends. */
import type { Gateway, SecretReference } from "../../api/gateway.js";
import { hostKey } from "../../model/values.js";
import type { LoadedCertificate } from "../certificates.js";
import type { BuildContext } from "../config-builder.js";
import { keysAbove } from "../hostnames.js";
import { type Place, placeOf, within } from "../place.js";
import {
  type CoreReference,
  isReferenceGranted,
  parseNamespacedName,
} from "../reference-grants.js";
import { reportOtherHosts, serveCertificate } from "../server-certificates.js";
import type { TranslatedListener, WrittenListener } from "./model.js";
import { HOLDS, type Refused, type Verdict, refused } from "./verdict.js";

export interface ListenerCertificates extends Pick<TranslatedListener, "certificates"> {
  /** InvalidCertificateRef, RefNotPermitted. */
  readonly verdict: Verdict;
}

/** Whether TLS ends at a listener, so it needs a certificate. */
export function endsTls({ tls, stream }: WrittenListener): boolean {
  return tls || stream === "terminate";
}

/** The certificates of a listener that ends TLS. A listener that names none has the one of the option defaultCertificate. */
export function listenerCertificates(
  listener: WrittenListener,
  context: BuildContext,
): ListenerCertificates {
  if (!endsTls(listener)) return { certificates: [], verdict: HOLDS };
  const refs = listener.spec.tls?.certificateRefs ?? [];
  if (refs.length === 0) return defaultCertificate(context);
  const found = refs.map((ref, index) => {
    const place = within(listener.place, "tls", "certificateRefs", index);
    return lookUpCertificate(ref, place, "InvalidCertificateRef", context);
  });
  return {
    certificates: found.flatMap((lookup) => (lookup.ok ? [lookup.certificate] : [])),
    verdict: found.find((lookup): lookup is Refused => !lookup.ok) ?? HOLDS,
  };
}

function defaultCertificate({ options, certificates }: BuildContext): ListenerCertificates {
  const none = "the listener names no certificate";
  if (options.defaultCertificate === "") {
    const hint = "add tls.certificateRefs with the name of the Secret that has the certificate";
    return { certificates: [], verdict: { ...refused("InvalidCertificateRef", none), hint } };
  }
  const name = parseNamespacedName(options.defaultCertificate);
  const loaded = name.ok ? certificates.read(name.value) : name;
  if (loaded.ok) return { certificates: [loaded.value], verdict: HOLDS };
  const message = `${none}, and option defaultCertificate: ${loaded.problem}`;
  return { certificates: [], verdict: refused("InvalidCertificateRef", message) };
}

/**
 * The certificate that the Gateway shows to its TLS backends (spec.tls.backend.clientCertificateRef); undefined: it names none.
 * Reports nothing: the Gateway's condition ResolvedRefs does.
 */
export function backendClientCertificate(
  gateway: Gateway,
  context: BuildContext,
): ReturnType<typeof lookUpCertificate> | undefined {
  const ref = gateway.spec.tls?.backend?.clientCertificateRef;
  if (ref === undefined) return undefined;
  const place = placeOf(gateway, "spec", "tls", "backend", "clientCertificateRef");
  return lookUpCertificate(ref, place, "InvalidClientCertificateRef", context);
}

/**
 * Looks up the certificate that the object at `place` names, and reports nothing. A Secret of another namespace needs a ReferenceGrant.
 * Without one the reason is RefNotPermitted whether or not the Secret exists, so the reason does not reveal which Secrets exist.
 * Otherwise the reason is `invalid`.
 */
function lookUpCertificate(
  ref: SecretReference,
  place: Place,
  invalid: "InvalidCertificateRef" | "InvalidClientCertificateRef",
  { resources, certificates }: BuildContext,
): { readonly ok: true; readonly certificate: LoadedCertificate } | Refused {
  const { resource } = place;
  const { group = "", kind = "Secret", name, namespace = resource.namespace } = ref;
  if (group !== "" || kind !== "Secret") {
    const shown = group === "" ? kind : `${kind} of ${group}`;
    return refused(invalid, `certificates come from Secrets, not from ${shown} ${name}`, place);
  }
  const missing = missingGrant(place, { kind, namespace, name }, resources);
  if (missing !== undefined) return missing;
  const loaded = certificates.read({ namespace, name }, place);
  return loaded.ok
    ? { ok: true, certificate: loaded.value }
    : refused(invalid, loaded.problem, place);
}

/** RefNotPermitted if the object at `place` must not use this object of another namespace. */
export function missingGrant(
  place: Place,
  to: CoreReference,
  resources: BuildContext["resources"],
): Refused | undefined {
  const { resource } = place;
  const { kind, namespace, name } = to;
  if (namespace === resource.namespace || isReferenceGranted(resources, resource, to)) {
    return undefined;
  }
  const message = `no ReferenceGrant in namespace ${namespace} lets a ${resource.kind} of namespace ${resource.namespace} use ${kind} ${name}`;
  return refused("RefNotPermitted", message, place);
}

/**
 * Serves the certificates of HTTPS listeners: the first one for the hostname. Each of several also serves the names in it that belong to
 * the listener, so that clients get the certificate for the name that they ask for.
 */
export function serveListenerCertificates(
  listeners: readonly TranslatedListener[],
  context: BuildContext,
): void {
  for (const { hostname, serves, place, certificates } of listeners) {
    if (serves === undefined || certificates.length === 0) continue;
    reportOtherHosts(certificates, [hostname], { place: within(place, "tls"), context });
  }
  const https = listeners.filter(({ stream }) => stream === undefined);
  for (const { hostname, port, serves, place, certificates } of https) {
    const [first] = certificates;
    if (serves === undefined || first === undefined) continue;
    const use = { port: { server: serves.server, port }, place, context };
    serveCertificate(first.id, hostname, use);
  }
  const owners = hostOwners(context.config);
  for (const listener of https) {
    if (listener.certificates.length > 1) serveByNames(listener, owners, context.config);
  }
}

/** Ids of listeners by server and host, including hosts that they keep. */
function hostOwners(config: BuildContext["config"]): ReadonlyMap<string, string> {
  return new Map(
    config
      .listeners()
      .flatMap(({ id, server, hostname, keeps = [] }) =>
        [hostname, ...keeps].map((host) => [`${server} ${hostKey(host)}`, id] as const),
      ),
  );
}

function serveByNames(
  { serves, certificates }: TranslatedListener,
  owners: ReadonlyMap<string, string>,
  config: BuildContext["config"],
): void {
  if (serves === undefined) return;
  const { server, listener } = serves;
  for (const { id, names } of certificates) {
    for (const host of names) {
      const keys = [...keysAbove(host, "one"), ...keysAbove(host, "many"), ""];
      const owner = keys.find((key) => owners.has(`${server} ${key}`)) ?? "";
      // A name that has a certificate keeps it.
      if (owners.get(`${server} ${owner}`) === listener) {
        config.addCertificate({ server, host, certificate: id });
      }
    }
  }
}
