import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { LoadedCertificate } from "../certificates.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import { parentWildcard, parseHostPattern } from "../hostnames.js";
import { annotationField, placeOf } from "../place.js";
import type { Place } from "../place.js";
import { isReferenceGranted } from "../reference-grants.js";
import type { NamespacedName } from "../references.js";
import { compareAge } from "../precedence.js";
import { serveCertificate } from "../server-certificates.js";
import type { HostOwners } from "./host-owners.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { TlsNames } from "./tls-names.js";
import { tlsAnnotationOf } from "./origin-annotations.js";

type TlsEntry = NonNullable<NonNullable<Ingress["spec"]>["tls"]>[number];

/** Hosts for which the namespace that owns them wants TLS, whether or not its certificate is usable. */
export class TlsHosts {
  readonly #named = new Map<string, { readonly host: HostPattern; readonly by: Ingress }>();
  readonly #broken = new Set<string>();
  readonly #served = new Set<string>();
  readonly #owners: HostOwners;

  constructor(owners: HostOwners) {
    this.#owners = owners;
  }

  add(host: HostPattern, by: Ingress): void {
    const key = hostKey(host);
    if (!this.#named.has(key)) this.#named.set(key, { host, by });
  }

  has(host: HostPattern): boolean {
    return this.#named.has(hostKey(host)) || this.#holdsBelow(host) === true;
  }

  /** Its certificate can't be used, so that nothing answers there by HTTPS unless another one is for the name. */
  addBroken(host: HostPattern): void {
    this.#broken.add(hostKey(host));
  }

  addServed(host: HostPattern): void {
    this.#served.add(hostKey(host));
  }

  /** Whether a client may be sent to HTTPS. */
  answers(host: HostPattern): boolean {
    const parent = this.#named.has(hostKey(host)) ? undefined : parentWildcard(host);
    const key = hostKey(parent ?? host);
    return this.has(host) && (!this.#broken.has(key) || this.#served.has(key));
  }

  /** Names below a wildcard with TLS that must not have its certificate. */
  exempt(): readonly HostPattern[] {
    return this.#owners.names().filter((host) => this.#holdsBelow(host) === false);
  }

  /** Whether the wildcard above a name holds for it: not for an older name of another namespace. Undefined: there is none. */
  #holdsBelow(host: HostPattern): boolean | undefined {
    const parent = parentWildcard(host);
    const above = parent && this.#named.get(hostKey(parent));
    const owner = this.#owners.ownerOf(host);
    if (above === undefined || owner === undefined) return undefined;
    const isSame = above.by.metadata.namespace === owner.metadata.namespace;
    return isSame || compareAge(above.by, owner) < 0;
  }
}

/** Serves the certificates of Ingresses, given oldest first, on the HTTPS port. */
export function translateIngressTls(
  ingresses: readonly PreparedIngress[],
  https: EntryPort | undefined,
  owners: HostOwners,
  context: BuildContext,
): TlsHosts {
  const hosts = new TlsHosts(owners);
  for (const prepared of ingresses) {
    const { ingress } = prepared;
    const names = new TlsNames(prepared, owners);
    const scope: TlsScope = { prepared, https, hosts, names, context };
    for (const [index, entry] of (ingress.spec?.tls ?? []).entries()) {
      translateEntry(entry, placeOf(ingress, "spec", "tls", index), scope);
    }
    translateAnnotation(scope);
  }
  if (https === undefined) return hosts;
  for (const host of hosts.exempt()) {
    context.config.keepDefaultCertificate(https.server, host);
  }
  return hosts;
}

interface TlsScope {
  readonly prepared: PreparedIngress;
  readonly https: EntryPort | undefined;
  readonly hosts: TlsHosts;
  readonly names: TlsNames;
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
    return pattern.ok && scope.names.isNew(pattern.value) ? [pattern.value] : [];
  });
  if (hosts.length > 0 && named.length === 0) return;
  const own = named.flatMap((host) => ownNames(host, place, scope));
  for (const host of own) scope.hosts.add(host, scope.prepared.ingress);
  if (secretName === "" || (named.length > 0 && own.length === 0)) return;
  const certificate = load({ namespace, name: secretName }, place, scope);
  if (certificate === undefined) {
    noteBroken(own, scope);
    return;
  }
  const covered = named.length > 0 ? own : hostsInCertificate(certificate, scope);
  serve(certificate, covered, place, scope);
}

/** Reports a host for which the Ingress may have no certificate. */
function ownNames(
  host: HostPattern,
  place: Place,
  { names, context }: TlsScope,
): readonly HostPattern[] {
  const own = names.of(host);
  if (own.length > 0) return own;
  const { diagnostics } = context;
  diagnostics.report({ code: "TLS_HOST_UNUSED", message: names.whyNot(host), ...place });
  return [];
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
    const own = ownNames(host, place, scope);
    for (const name of own) scope.hosts.add(name, ingress);
    if (own.length === 0 || !isPermitted(secret, place, scope)) continue;
    const certificate = load(secret, place, scope);
    if (certificate === undefined) noteBroken(own, scope);
    else serve(certificate, own, place, scope);
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

/** The default certificate answers where there is one. */
function noteBroken(names: readonly HostPattern[], { hosts, context }: TlsScope): void {
  if (context.options.defaultCertificate !== "") return;
  for (const host of names) hosts.addBroken(host);
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
  { prepared, context, https, hosts: tlsHosts }: TlsScope,
): void {
  for (const host of hosts) {
    tlsHosts.add(host, prepared.ingress);
    tlsHosts.addServed(host);
    if (https) serveCertificate(certificate.id, host, { port: https, place, context });
  }
}

/** An Ingress with a rule for every host takes all names of the certificate that are its own. */
function hostsInCertificate(
  { leaf }: LoadedCertificate,
  { names }: TlsScope,
): readonly HostPattern[] {
  const written = (leaf.subjectAltName ?? "").split(", ").flatMap((entry) => {
    const name = entry.startsWith("DNS:") ? parseHostPattern(entry.slice(4), "one") : undefined;
    return name?.ok === true ? [name.value] : [];
  });
  return written.flatMap((host) => names.of(host));
}
