import type { Ingress } from "../../api/core.js";
import type { HostPattern } from "../../model/host-pattern.js";
import { hostKey } from "../../model/host-pattern.js";
import type { LoadedCertificate } from "../certificates.js";
import type { BuildContext } from "../build-context.js";
import type { EntryPort } from "../entry-port.js";
import { parseHostPattern } from "../hostnames.js";
import type { LoadBalancer } from "../load-balancer.js";
import { annotationField, placeOf } from "../place.js";
import type { Place } from "../place.js";
import { isReferenceGranted } from "../reference-grants.js";
import type { NamespacedName } from "../references.js";
import { reportOtherHosts, serveCertificate } from "../server-certificates.js";
import type { PreparedIngress } from "./prepared-ingress.js";
import { TlsHosts } from "./tls-hosts.js";
import { TlsNames } from "./tls-names.js";
import { tlsAnnotationOf } from "./origin-annotations.js";

type TlsEntry = NonNullable<NonNullable<Ingress["spec"]>["tls"]>[number];

/** Serves the certificates of Ingresses, given oldest first, on the HTTPS port. */
export function translateIngressTls(
  ingresses: readonly PreparedIngress[],
  { ingress: { https }, owners }: LoadBalancer,
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
  if (https) hosts.serveBelow(https.server, context.config);
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
  const { ingress } = scope.prepared;
  const { namespace } = ingress.metadata;
  const named = hosts.flatMap((host) => {
    const pattern = parseHostPattern(host, "one");
    return pattern.ok && scope.names.isNew(pattern.value) ? [pattern.value] : [];
  });
  if (hosts.length > 0 && named.length === 0) return;
  const own = named.flatMap((host) => ownNames(host, place, scope));
  for (const host of own) scope.hosts.add(host, ingress);
  if (secretName === "" || (named.length > 0 && own.length === 0)) return;
  const certificate = load({ namespace, name: secretName }, place, scope);
  if (certificate === undefined) {
    noteBroken(own, scope);
    return;
  }
  // An Ingress with a rule for every host takes all names of the certificate that are its own.
  const covered =
    named.length > 0 ? own : certificate.names.flatMap((host) => scope.names.of(host));
  serve(certificate, covered, place, scope);
}

/** Reports a host for which the Ingress may have no certificate. */
function ownNames(
  host: HostPattern,
  place: Place,
  { names, context: { diagnostics } }: TlsScope,
): readonly HostPattern[] {
  const own = names.of(host);
  if (!own.some((name) => names.isOwned(name))) {
    diagnostics.report({ code: "TLS_HOST_UNUSED", message: names.whyNot(host), ...place });
  }
  return own;
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
function noteBroken(names: readonly HostPattern[], { prepared, hosts, context }: TlsScope): void {
  if (context.options.defaultCertificate !== "") return;
  for (const host of names) hosts.add(host, prepared.ingress).isBroken = true;
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
  { prepared, context, https, hosts: tlsHosts, names }: TlsScope,
): void {
  if (https === undefined) return;
  reportOtherHosts([certificate], hosts, { place, context });
  for (const host of hosts) {
    tlsHosts.add(host, prepared.ingress).certificate ??= certificate.id;
    if (names.isOwned(host))
      serveCertificate(certificate.id, host, { port: https, place, context });
  }
}
