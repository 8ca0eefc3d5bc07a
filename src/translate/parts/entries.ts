/**
 * Ingresses and Rules of all load balancers, each translated on its own. What they read of each other are facts about hosts: the owner
 * (HostOwners), TLS (TlsHosts), paths that hide others (ShadowedPaths). A changed object changes facts about its hosts, and objects that
 * read these are translated again.
 */
import type { Rule } from "../../api/alb.js";
import type { Ingress } from "../../api/wire.js";
import type { Report } from "../../diagnostics/sink.js";
import { byNamespaceAndName } from "../../input/resources.js";
import type { RouteBinding } from "../../model/route.js";
import { type Difference, getOrInsert, patched } from "../../support/collections.js";
import { factsOfRule, hostsOfRule, ruleFacts, translateRule } from "../alb/rules.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { CertificateCandidate } from "../config-builder.js";
import type { TranslateContext } from "../context.js";
import { EntryBindings, orderedClaims } from "../entry-bindings.js";
import { type HostClaims, HostOwners } from "../host-owners.js";
import { namesTls, translateIngressTls } from "../ingress/ingress-tls.js";
import { hostsOfIngress, translateIngress } from "../ingress/ingresses.js";
import { preparedIngresses } from "../ingress/prepared-ingress.js";
import { TlsHosts, type WantedName } from "../ingress/tls-hosts.js";
import { type Key, keyOfObject, objectKey, objectName } from "../keys.js";
import type { LoadBalancer } from "../load-balancer.js";
import { Facts, Parts } from "../memory.js";
import { type Part, type Whole, kept, ownContext, partOf } from "./part.js";
import { ServedCertificates } from "../server-certificates.js";
import { type OrderedClaim, type PathClaim, ShadowedPaths } from "../shadowed-paths.js";
import { SHARED_SHAPE } from "../../support/json-object.js";

type Balancers = readonly Omit<LoadBalancer, "owners">[];

/** Keeps entries as long as Ingresses are served at the same ports of the same load balancers. */
export class EntryMemory {
  /** What Ingresses read of the load balancers; once it changes, all entries are translated again. */
  #text = "";
  readonly #ruleFacts = new Facts();
  readonly #whole: Whole;
  #entries: Entries;

  constructor(whole: Whole) {
    this.#whole = whole;
    this.#entries = new Entries([], whole);
  }

  /** `changed`: keys of what has changed since the last call. */
  entries(balancers: Balancers, changed: ReadonlySet<Key>, context: AuthContext): Entries {
    const text = JSON.stringify(balancers.map(described));
    const isOther = text !== this.#text;
    if (isOther) {
      this.#entries.removeAll();
      const hosts = balancers.map((_, i) => newHosts(String(i), context));
      this.#entries = new Entries(hosts, this.#whole);
    }
    this.#text = text;
    const facts = this.#ruleFacts.changed(ruleFacts(balancers));
    const stale = isOther ? allKeys(context) : [...changed].filter(isEntry);
    this.#entries.name(balancers, stale, new Set([...changed, ...facts]), context);
    return this.#entries;
  }
}

function described({ alb, ingress, prioritised }: Balancers[number]): unknown {
  const { http, https, sslStrategy, selection } = ingress;
  const { namespace, name } = alb?.metadata ?? {};
  const ports = [http, https].map(
    (port) => port && [{ ...port, frontend: undefined }, port.frontend?.spec.protocol],
  );
  return [namespace, name, [...prioritised], ports, sslStrategy, selection];
}

function isEntry(key: Key): boolean {
  return key.startsWith("Ingress/") || key.startsWith("Rule/");
}

function allKeys({ resources }: TranslateContext): readonly Key[] {
  return [...resources.list("Ingress"), ...resources.list("Rule")].map(keyOfObject);
}

function objectOf(key: Key, { resources }: TranslateContext): Entry | undefined {
  const { kind, namespace, name } = objectName(key);
  return resources.get(kind === "Rule" ? kind : "Ingress", namespace, name);
}

/** Facts about the hosts of a load balancer. */
interface Hosts {
  readonly owners: HostOwners;
  readonly tls: TlsHosts;
}

function newHosts(id: string, { options }: TranslateContext): Hosts {
  const owners = new HostOwners(id, options);
  return { owners, tls: new TlsHosts(id, owners) };
}

const NOTHING: readonly never[] = [];

/** In the whole, an Ingress has a part of its own for its TLS. */
function tlsKey(key: Key): Key {
  return `tls ${key}`;
}

/** Ingresses and Rules, and their translations. */
export class Entries {
  readonly #hosts: readonly Hosts[];
  readonly #named = new Parts<{ readonly claims: readonly (HostClaims | undefined)[] }>();
  readonly #tls = new Parts<TlsPart>((key) => this.#forget(key));
  readonly #parts = new Parts<EntryPart>((key) => this.#forget(key));
  readonly #bindings = new EntryBindings();
  readonly #shadows = new ShadowedPaths();
  #stale: readonly Key[] = [];
  #changed = new Set<Key>();
  /** With the owners of their hosts. */
  balancers: readonly LoadBalancer[] = [];
  /** Ingresses that a port serves, by namespace and name. */
  served: readonly EntryPart[] = [];
  readonly serverCertificates = new ServedCertificates();
  readonly #whole: Whole;

  constructor(hosts: readonly Hosts[], whole: Whole) {
    this.#hosts = hosts;
    this.#whole = whole;
  }

  /** From the whole. */
  removeAll(): void {
    const parts = Array.from(this.#parts.entries(), ([key, before]) => ({ key, before }));
    const tls = Array.from(this.#tls.entries(), ([key, before]) => ({ key: tlsKey(key), before }));
    this.#whole.update([...parts, ...tls]);
    this.#whole.bind(this.#bindings.allOf(this.#parts));
  }

  /** Finds out the owners of hosts, which Gateways have to know. */
  name(
    balancers: Balancers,
    stale: readonly Key[],
    changed: ReadonlySet<Key>,
    context: AuthContext,
  ): void {
    this.balancers = balancers.flatMap((balancer, i) => {
      const owners = this.#hosts[i]?.owners;
      return owners === undefined ? [] : { ...balancer, owners };
    });
    this.#stale = stale;
    this.#changed = new Set(changed);
    const scope = this.#scope(context);
    const all = [...stale, ...this.#named.readersOf(changed)];
    const differences = this.#named.update(all, (key, reads) => {
      const object = objectOf(key, context);
      return object && { claims: hostsOf(object, scope, reads) };
    });
    for (const [i, { owners }] of this.#hosts.entries()) {
      const named = differences.map(({ key, now }) => [key, now?.claims[i]] as const);
      for (const key of owners.replace(named)) this.#changed.add(key);
    }
  }

  translate(context: AuthContext): void {
    const scope = this.#scope(context);
    this.#translateTls(scope);
    const all = [...this.#stale, ...this.#parts.readersOf(this.#changed)];
    const differences = this.#parts.update(all, (key, reads) => {
      const object = objectOf(key, context);
      return object && entryOf(object, scope, reads);
    });
    this.#collect(differences);
    this.served = patched(
      this.served,
      differences.map(({ before, now }) => ({
        ...SHARED_SHAPE,
        ...(before?.isServed === true && { before }),
        ...(now?.isServed === true && { now }),
      })),
      (a, b) => byNamespaceAndName(a.object, b.object),
    );
    const { claims, bindings } = this.#bindings.update(differences, this.#parts);
    this.#whole.bind(bindings);
    this.#shadows.update(claims);
  }

  /** Of all hosts; those of objects are in the whole. */
  get reports(): readonly Report[] {
    return [...this.#shadows.reports].flat();
  }

  /** Names for which Ingresses want TLS, and have no certificate. */
  get uncovered(): readonly { readonly server: string; readonly wanted: WantedName }[] {
    return this.#hosts.flatMap(({ tls }, i) => {
      const server = this.balancers[i]?.ingress.https?.server;
      return server === undefined
        ? []
        : Array.from(tls.uncovered, (wanted) => ({ server, wanted }));
    });
  }

  #scope(context: AuthContext): EntryScope {
    return { balancers: this.balancers, tls: this.#hosts.map(({ tls }) => tls), context };
  }

  #translateTls(scope: EntryScope): void {
    const all = [...this.#stale, ...this.#tls.readersOf(this.#changed)];
    const differences = this.#tls.update(all, (key, reads) => {
      const object = objectOf(key, scope.context);
      const hosts = this.#named.get(key)?.claims ?? NOTHING;
      return object && !isRule(object) ? tlsOf(object, hosts, scope, reads) : undefined;
    });
    this.#collect(
      differences.map(({ key, ...difference }) => ({
        ...SHARED_SHAPE,
        ...difference,
        key: tlsKey(key),
      })),
    );
    for (const [i, { tls }] of this.#hosts.entries()) {
      const https = this.balancers[i]?.ingress.https;
      const wanted = differences.map(({ key, now }) => [key, now?.wanted[i] ?? NOTHING] as const);
      for (const key of tls.replace(wanted)) this.#changed.add(key);
      if (https !== undefined) this.serverCertificates.serveBelow(https.server, tls.below);
    }
  }

  #collect(
    differences: readonly (Difference<TlsPart | EntryPart> & { readonly key: Key })[],
  ): void {
    this.#whole.update(differences);
    for (const { key, now } of differences) this.serverCertificates.replace(key, now);
  }

  #forget(key: Key): void {
    if (this.#tls.isRead(key) || this.#parts.isRead(key)) return;
    for (const { owners, tls } of this.#hosts) {
      owners.forget(key);
      tls.forget(key);
    }
  }
}

/** What entries are translated with. */
interface EntryScope {
  readonly balancers: readonly LoadBalancer[];
  /** By load balancer. */
  readonly tls: readonly TlsHosts[];
  readonly context: AuthContext;
}

type Entry = Ingress | Rule;

function isRule(object: Entry): object is Rule {
  return object.kind === "Rule";
}

/** The translation of an Ingress or Rule. */
interface CollectedPart extends Part {
  readonly object: Entry;
  readonly served: readonly CertificateCandidate[];
}

/** The names that an Ingress wants TLS for, by load balancer. */
interface TlsPart extends CollectedPart {
  readonly wanted: readonly (readonly WantedName[])[];
}

interface EntryPart extends CollectedPart {
  /** Of default backends, which hide no paths. */
  readonly bindings: readonly RouteBinding[];
  readonly claims: readonly OrderedClaim[];
  /** It is an Ingress that a port serves. */
  readonly isServed: boolean;
}

/** The hosts that it names on each load balancer. */
function hostsOf(
  object: Entry,
  { balancers, context }: EntryScope,
  reads: Set<Key>,
): readonly (HostClaims | undefined)[] {
  readNamespace(object, reads);
  // A mistake of one object must not move the paths of others.
  if (object.closed !== undefined) return NOTHING;
  if (!isRule(object)) return hostsOfIngress(preparedIngresses(context)(object), balancers);
  for (const key of factsOfRule(object, { balancers, context })) reads.add(key);
  return hostsOfRule(object, { balancers, context });
}

/** Undefined: it has nothing to do with TLS. */
function tlsOf(
  object: Ingress,
  hosts: readonly (HostClaims | undefined)[],
  { balancers, context }: EntryScope,
  reads: Set<Key>,
): TlsPart | undefined {
  readNamespace(object, reads);
  if (!namesTls(object, context.options)) return undefined;
  const prepared = preparedIngresses(context)(object);
  const own = ownContext(context, reads);
  const { closed } = object;
  // A refused Ingress owns none of its hosts, and wants nothing that others would notice.
  const named = closed ? hostsOfIngress(prepared, balancers) : hosts;
  const wanted = balancers.map((balancer, i) => {
    if (named[i] === undefined) return [];
    const factsOf = balancer.owners.factsFor(object.metadata.namespace, reads);
    return translateIngressTls(prepared, balancer, factsOf, own);
  });
  const collected = collectedFrom(object, own);
  if (closed) return { ...SHARED_SHAPE, ...collected, reports: NOTHING, wanted: NOTHING };
  const isEmpty = collected.reports.length === 0 && wanted.every(({ length }) => length === 0);
  return isEmpty ? undefined : { ...SHARED_SHAPE, ...collected, wanted };
}

function entryOf(object: Entry, scope: EntryScope, reads: Set<Key>): EntryPart {
  readNamespace(object, reads);
  const { balancers, tls, context } = scope;
  const own = ownContext(context, reads);
  const all = new Map<LoadBalancer, PathClaim[]>();
  const claimsOn = (balancer: LoadBalancer): PathClaim[] => getOrInsert(all, balancer, () => []);
  const factsOf = (balancer: LoadBalancer): ReturnType<LoadBalancer["owners"]["factsFor"]> =>
    balancer.owners.factsFor(object.metadata.namespace, reads);
  let isServed = false;
  if (isRule(object)) {
    for (const key of factsOfRule(object, scope)) reads.add(key);
    translateRule(object, { balancers, context: own, factsOf, claimsOn });
  } else {
    isServed = translateIngress(
      preparedIngresses(context)(object),
      balancers,
      (balancer) => ({
        ...SHARED_SHAPE,
        ...{ balancer, context: own, factsOf: factsOf(balancer), claims: claimsOn(balancer) },
        names: new Map(),
        isTls: tls[balancers.indexOf(balancer)]?.reader(reads) ?? (() => false),
      }),
      own,
    );
  }
  const claims = [...all].flatMap(([balancer, each]) =>
    orderedClaims(each, factsOf(balancer), balancer),
  );
  const bindings = kept(own.config.bound.bindings);
  const part = { bindings, claims: kept(claims), isServed };
  return { ...SHARED_SHAPE, ...collectedFrom(object, own), ...part };
}

/** Its labels say which load balancers serve its Ingresses. */
function readNamespace({ metadata: { namespace: name } }: Entry, reads: Set<Key>): void {
  reads.add(objectKey({ kind: "Namespace", namespace: "", name }));
}

function collectedFrom(object: Entry, own: AuthContext): CollectedPart {
  return { ...SHARED_SHAPE, ...partOf(own), object, served: kept(own.config.candidates) };
}
