import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { LoadedCertificate } from "../certificates.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import { covers, parseHostPattern } from "../hostnames.js";
import { annotationField, placeOf } from "../place.js";
import type { Place } from "../place.js";
import { isReferenceGranted } from "../reference-grants.js";
import type { NamespacedName } from "../references.js";
import { serveCertificate } from "../server-certificates.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { tlsAnnotationOf } from "./origin-annotations.js";

type TlsEntry = NonNullable<NonNullable<Ingress["spec"]>["tls"]>[number];

/** Hosts for which some Ingress wants TLS, whether or not its certificate is usable. */
export class TlsHosts {
  readonly #patterns = new Map<string, HostPattern>();

  add(host: HostPattern): void {
    this.#patterns.set(hostKey(host), host);
  }

  has(host: HostPattern): boolean {
    if (this.#patterns.has(hostKey(host))) return true;
    const parent = host.kind === "exact" ? parentWildcard(host.host) : undefined;
    return parent !== undefined && this.#patterns.has(hostKey(parent));
  }
}

function parentWildcard(host: string): HostPattern | undefined {
  const dot = host.indexOf(".");
  return dot < 1 ? undefined : { kind: "wildcard", suffix: host.slice(dot + 1), labels: "one" };
}

/** Serves the certificates of Ingresses, given oldest first, on the HTTPS port. */
export function translateIngressTls(
  ingresses: readonly PreparedIngress[],
  https: EntryPort | undefined,
  context: BuildContext,
): TlsHosts {
  const hosts = new TlsHosts();
  for (const prepared of ingresses) {
    const { ingress } = prepared;
    const scope: TlsScope = { prepared, https, hosts, context };
    for (const [index, entry] of (ingress.spec?.tls ?? []).entries()) {
      translateEntry(entry, placeOf(ingress, "spec", "tls", index), scope);
    }
    translateAnnotation(scope);
  }
  return hosts;
}

interface TlsScope {
  readonly prepared: PreparedIngress;
  readonly https: EntryPort | undefined;
  readonly hosts: TlsHosts;
  readonly context: BuildContext;
}

/** An entry without hosts is for those of the Ingress's hosts that its certificate names. */
function translateEntry(
  { hosts = [], secretName = "" }: TlsEntry,
  place: Place,
  scope: TlsScope,
): void {
  const { namespace } = scope.prepared.ingress.metadata;
  const named = hosts.flatMap((host) => {
    const pattern = parseHostPattern(host, "one");
    return pattern.ok ? [pattern.value] : [];
  });
  for (const host of named) scope.hosts.add(host);
  if (secretName === "") return;
  const certificate = load({ namespace, name: secretName }, place, scope);
  if (certificate === undefined) return;
  serve(
    certificate,
    named.length > 0 ? named : hostsInCertificate(certificate, scope.prepared),
    place,
    scope,
  );
}

/** spec.tls wins over the annotation for hosts that both name. */
function translateAnnotation(scope: TlsScope): void {
  const { prepared, context } = scope;
  const { ingress } = prepared;
  const annotation = tlsAnnotationOf(ingress, context);
  if (annotation === undefined) return;
  const named = new Set((ingress.spec?.tls ?? []).flatMap(({ hosts = [] }) => hosts));
  const place = placeOf(ingress, ...annotationField(annotation.key));
  for (const { host, secret } of annotation.certificates) {
    if (named.has(hostKey(host))) continue;
    scope.hosts.add(host);
    if (!isPermitted(secret, place, scope)) continue;
    const certificate = load(secret, place, scope);
    if (certificate !== undefined) serve(certificate, [host], place, scope);
  }
}

/** An Ingress may use the secrets of its own namespace, and others when a ReferenceGrant says so. */
function isPermitted(secret: NamespacedName, place: Place, { context }: TlsScope): boolean {
  const { resource } = place;
  const isOwn = secret.namespace === resource.namespace;
  if (isOwn || isReferenceGranted(context.resources, resource, { kind: "Secret", ...secret })) {
    return true;
  }
  const message = `secret ${secret.namespace}/${secret.name} is in another namespace`;
  context.diagnostics.report({ code: "CERTIFICATE_UNUSABLE", message, ...place });
  return false;
}

function load(
  secret: NamespacedName,
  place: Place,
  { context, https }: TlsScope,
): LoadedCertificate | undefined {
  return https && context.certificates.load(secret, place);
}

function serve(
  certificate: LoadedCertificate,
  hosts: readonly HostPattern[],
  place: Place,
  { context, https, hosts: tlsHosts }: TlsScope,
): void {
  for (const host of hosts) {
    tlsHosts.add(host);
    if (https) serveCertificate(certificate.id, host, { port: https, place, context });
  }
}

/** An Ingress with a rule for every host takes all names of the certificate. */
function hostsInCertificate(
  { leaf }: LoadedCertificate,
  prepared: PreparedIngress,
): readonly HostPattern[] {
  const names = (leaf.subjectAltName ?? "").split(", ").flatMap((entry) => {
    const name = entry.startsWith("DNS:") ? parseHostPattern(entry.slice(4), "one") : undefined;
    return name?.ok === true ? [name.value] : [];
  });
  const hosts = prepared.hosts.map(({ host }) => host);
  if (hosts.some(({ kind }) => kind === "any")) return names;
  return hosts.filter((host) => names.some((name) => covers(name, host)));
}
