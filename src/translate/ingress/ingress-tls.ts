import type { Ingress } from "../../api/wire.js";
import { ANY_HOST, type HostPattern, hostKey } from "../../model/values.js";
import { addTo } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { LoadedCertificate } from "../certificates.js";
import type { HostFacts } from "../host-owners.js";
import { parentWildcard, parseHostPattern } from "../hostnames.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import { type Place, annotationField, nameOf, placeOf } from "../place.js";
import { type NamespacedName, isReferenceGranted } from "../reference-grants.js";
import { serveCertificate } from "../server-certificates.js";
import { hasTlsAnnotation, tlsAnnotationOf } from "./annotations/origin.js";
import type { PreparedIngress } from "./ingress-scope.js";
import { type WantedName, WantedNames } from "./tls-hosts.js";

/** Most Ingresses name no certificate. */
export function namesTls(ingress: Ingress, { domains }: AuthContext["options"]): boolean {
  return (ingress.spec?.tls ?? []).length > 0 || hasTlsAnnotation(ingress, domains);
}

/**
 * Serves the certificates of an Ingress on the HTTPS port of a load balancer, each for the hosts that it is for. Gives the names that it
 * wants TLS for: those that its TLS names, and with spec.tls all hosts of its rules. `factsOf`: what its namespace knows of a host.
 */
export function translateIngressTls(
  prepared: PreparedIngress,
  { ingress: { https } }: LoadBalancer,
  factsOf: (host: HostPattern) => HostFacts,
  context: AuthContext,
): readonly WantedName[] {
  const { ingress } = prepared;
  const hosts = new WantedNames(ingress);
  const names = new TlsNames(prepared, ingress.closed ? ifUnnamed(factsOf) : factsOf);
  const scope: TlsScope = { prepared, https, hosts, names, context };
  const entries = ingress.spec?.tls ?? [];
  const loaded = entries.map((entry, index) =>
    translateEntry(entry, placeOf(ingress, "spec", "tls", index), scope),
  );
  if (entries.length > 0) translateRuleHosts(loaded, scope);
  translateAnnotation(scope);
  return hosts.all;
}

/**
 * A refused Ingress serves its certificates for hosts that no object names, so that clients can read why it answers 503. Not for wildcards:
 * others may name hosts below them.
 */
function ifUnnamed(factsOf: (host: HostPattern) => HostFacts): typeof factsOf {
  return (host) => {
    const facts = factsOf(host);
    return { ...facts, isOwned: host.kind !== "wildcard" && !facts.isNamed };
  };
}

interface TlsScope {
  readonly prepared: PreparedIngress;
  readonly https: EntryPort | undefined;
  readonly hosts: WantedNames;
  readonly names: TlsNames;
  readonly context: AuthContext;
}

/** A certificate, and the entry that names it. */
interface Named {
  readonly certificate: LoadedCertificate;
  readonly place: Place;
}

type TlsEntry = NonNullable<NonNullable<Ingress["spec"]>["tls"]>[number];

/** An entry without hosts is for those of the Ingress's hosts that its certificate names. */
function translateEntry(entry: TlsEntry, place: Place, scope: TlsScope): Named | undefined {
  const { hosts = [], secretName = "" } = entry;
  const own = wantedOf(hosts, place, scope);
  if (secretName === "") {
    for (const host of own) scope.hosts.add(host, place).missing ??= "has no secretName";
    return undefined;
  }
  if (hosts.length > 0 && own.length === 0 && ruleHosts(scope).length === 0) return undefined;
  const { namespace } = scope.prepared.ingress.metadata;
  const certificate = load({ namespace, name: secretName }, own, place, scope);
  if (certificate === undefined) return undefined;
  // An Ingress with a rule for every host takes all names of the certificate that are its own.
  const covered =
    hosts.length > 0 ? own : certificate.names.flatMap((host) => scope.names.of(host));
  serve({ certificate, place }, covered, scope);
  return { certificate, place };
}

/** The names of an entry that are the Ingress's own. */
function wantedOf(hosts: readonly string[], place: Place, scope: TlsScope): readonly HostPattern[] {
  const named = hosts.flatMap((host) => {
    const pattern = parseHostPattern(host, "one");
    return pattern.ok && scope.names.isNew(pattern.value) ? [pattern.value] : [];
  });
  const own = named.flatMap((host) => ownNames(host, place, scope));
  for (const host of own) scope.hosts.add(host, place);
  return own;
}

/** As in ingress-nginx, a host that no entry gives a certificate gets the first one of the Ingress that is for it. */
function translateRuleHosts(loaded: readonly (Named | undefined)[], scope: TlsScope): void {
  const place = placeOf(scope.prepared.ingress, "spec", "tls");
  for (const host of ruleHosts(scope)) {
    const wanted = scope.hosts.add(host, place);
    if (wanted.certificate !== undefined) continue;
    const found = loaded.find((each) => each?.certificate.isFor(host) === true);
    if (found !== undefined) serve(found, [host], scope);
    else if (wanted.place === place) wanted.missing ??= "does not name it";
  }
}

/** The names of its rules that are its namespace's. */
function ruleHosts({ prepared, names }: TlsScope): readonly HostPattern[] {
  return prepared.hosts.flatMap(({ host }) =>
    host.kind !== "any" && names.isOwned(host) ? [host] : [],
  );
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
  const { key, certificates } = tlsAnnotationOf(ingress, context);
  const named = new Set((ingress.spec?.tls ?? []).flatMap(({ hosts = [] }) => hosts));
  const place = placeOf(ingress, ...annotationField(key));
  for (const { host, secret } of certificates) {
    if (named.has(hostKey(host))) continue;
    const own = ownNames(host, place, scope);
    for (const name of own) scope.hosts.add(name, place);
    if (own.length === 0 || !isPermitted(secret, place, scope)) continue;
    const certificate = load(secret, own, place, scope);
    if (certificate !== undefined) serve({ certificate, place }, own, scope);
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
  hosts: readonly HostPattern[],
  place: Place,
  { context, https, hosts: wanted }: TlsScope,
): LoadedCertificate | undefined {
  const certificate = https && context.certificates.load(secret, place);
  if (certificate !== undefined) return certificate;
  const missing = `names Secret ${secret.namespace}/${secret.name}, which can't be used`;
  for (const host of hosts) wanted.add(host, place).missing ??= missing;
  return undefined;
}

/** The default certificate answers for the others. */
function serve(
  { certificate, place }: Named,
  hosts: readonly HostPattern[],
  { context, https, hosts: wanted, names }: TlsScope,
): void {
  if (https === undefined) return;
  const { namespace, name } = certificate.secret;
  for (const host of hosts) {
    const each = wanted.add(host, place);
    if (!certificate.isFor(host)) {
      each.missing ??= `names Secret ${namespace}/${name}, whose certificate is not for it`;
      continue;
    }
    each.certificate ??= certificate.id;
    if (names.isOwned(host))
      serveCertificate(certificate.id, host, { port: https, place, context });
  }
}

/** The names for which one Ingress may have certificates: those of its rules that its namespace owns. */
class TlsNames {
  readonly #factsOf: (host: HostPattern) => HostFacts;
  readonly #hosts: ReadonlyMap<string, HostPattern>;
  readonly #below = new Map<string, HostPattern[]>();
  readonly #wildcards = new Set<string>();

  constructor(
    { ingress, hosts, aliases }: PreparedIngress,
    factsOf: (host: HostPattern) => HostFacts,
  ) {
    this.#factsOf = factsOf;
    const named = hosts.map(({ host }) => host);
    const isCatchAll = hosts.length === 0 && ingress.spec?.defaultBackend !== undefined;
    const all = [...named, ...aliases, ...(isCatchAll ? [ANY_HOST] : [])];
    this.#hosts = new Map(all.map((host) => [hostKey(host), host]));
    for (const host of this.#hosts.values()) {
      const parent = parentWildcard(host);
      if (parent !== undefined) addTo(this.#below, hostKey(parent), host);
    }
  }

  /** False for a wildcard that was asked for: it stands for many names, and its first certificate holds. */
  isNew(name: HostPattern): boolean {
    if (name.kind !== "wildcard") return true;
    const known = this.#wildcards.size;
    return this.#wildcards.add(name.suffix).size > known;
  }

  /**
   * What a name in its TLS stands for: itself, or the hosts below a wildcard. Another namespace's wildcard stands for the names below it
   * that belong to this one.
   */
  of(name: HostPattern): readonly HostPattern[] {
    return this.#ruled(name).filter((host) => host.kind === "wildcard" || this.isOwned(host));
  }

  isOwned(host: HostPattern): boolean {
    return this.#factsOf(host).isOwned;
  }

  whyNot(name: HostPattern): string {
    const [ruled] = this.#ruled(name);
    const owner = ruled && this.#factsOf(ruled).owner;
    if (owner === undefined) return `no rule of this Ingress is for ${hostKey(name)}`;
    return `${hostKey(name)} belongs to ${nameOf(owner)}, which is older`;
  }

  #ruled(name: HostPattern): readonly HostPattern[] {
    const parent = parentWildcard(name);
    const isRuled = [name, ...(parent ? [parent] : []), ANY_HOST].some((host) =>
      this.#hosts.has(hostKey(host)),
    );
    return [...(isRuled ? [name] : []), ...(this.#below.get(hostKey(name)) ?? [])];
  }
}
