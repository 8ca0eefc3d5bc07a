/**
 * Ingresses and Rules of all load balancers, each translated on its own. What they read of each other are facts about hosts: the owner
 * (HostOwners), TLS (TlsHosts), paths that hide others (ShadowedPaths). A changed object changes facts about its hosts, and objects that
 * read these are translated again.
 */
import type { Rule } from "../../api/alb.js";
import type { Ingress } from "../../api/wire.js";
import type { Report } from "../../diagnostics/sink.js";
import { Changes, Derived, Input, Outside, type Read } from "../../engine/tables.js";
import { byNamespaceAndName } from "../../input/resources.js";
import type { RouteBinding } from "../../model/route.js";
import { getOrInsert, patched } from "../../support/collections.js";
import { hostsOfRule, namedPort, ruleFacts, translateRule } from "../alb/rules.js";
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
import type { ObjectTables } from "../known-objects.js";
import type { LoadBalancer, NewBalancer } from "../load-balancer.js";
import { type Part, type Whole, kept, ownContext, partOf } from "./part.js";
import { ServedCertificates } from "../server-certificates.js";
import { type OrderedClaim, type PathClaim, ShadowedPaths } from "../shadowed-paths.js";
import { SHARED_SHAPE } from "../../support/json-object.js";

function described({ alb, ingress, prioritised }: NewBalancer): unknown {
  const { http, https, sslStrategy, selection } = ingress;
  const { namespace, name } = alb?.metadata ?? {};
  const ports = [http, https].map(
    (port) => port && [{ ...port, frontend: undefined }, port.frontend?.spec.protocol],
  );
  return [namespace, name, [...prioritised], ports, sslStrategy, selection];
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

const NOTHING: readonly never[] = [];

/** In the whole, an Ingress has a part of its own for its TLS. */
function tlsKey(key: Key): Key {
  return `tls ${key}`;
}

/** Ingresses and Rules, and their translations. */
export class Entries {
  readonly #objects: ObjectTables;
  readonly #named: Derived<true, readonly (HostClaims | undefined)[]>;
  readonly #tls: Derived<true, TlsPart>;
  readonly #parts: Derived<true, EntryPart>;
  readonly #changedTls: Changes<TlsPart>;
  readonly #changedParts: Changes<EntryPart>;
  /** Facts about the ports of Rules. */
  readonly #ports = new Input<string>();
  /** By load balancer. */
  readonly #hosts: Hosts[] = [];
  readonly #bindings: EntryBindings;
  readonly #shadows = new ShadowedPaths();
  /** What Ingresses read of the load balancers; once it changes, all entries are translated again. */
  #text = "";
  #scope: EntryScope | undefined;
  #known: readonly NewBalancer[] = [];
  /** With the owners of their hosts. */
  balancers: readonly LoadBalancer[] = [];
  /** Has one row, for those who read all owners of hosts. */
  readonly hosts = new Outside();
  /** Ingresses that a port serves, by namespace and name. */
  served: readonly EntryPart[] = [];
  readonly serverCertificates = new ServedCertificates();
  readonly #whole: Whole;

  constructor(whole: Whole, objects: ObjectTables) {
    this.#whole = whole;
    this.#objects = objects;
    this.#named = this.#each(hostsOf);
    this.#tls = this.#each((object, scope, read) => {
      const hosts = () => read(this.#named, keyOfObject(object)) ?? NOTHING;
      return isRule(object) ? undefined : tlsOf(object, hosts, scope, read);
    });
    this.#parts = this.#each(entryOf);
    this.#changedTls = new Changes(this.#tls);
    this.#changedParts = new Changes(this.#parts);
    this.#bindings = new EntryBindings(this.#parts);
  }

  #each<T>(make: (object: Entry, scope: EntryScope, read: Read) => T | undefined) {
    return new Derived<true, T>(this.#objects.entries, (_, read, key) => {
      const object = this.#scope && objectOf(key, this.#scope.context);
      return this.#scope && object && make(object, this.#scope, read);
    });
  }

  /** Finds out the owners of hosts, which Gateways have to know. */
  name(balancers: readonly NewBalancer[], context: TranslateContext): void {
    if (balancers !== this.#known) this.#setBalancers(balancers, context);
    const tls = this.#hosts.map((hosts) => hosts.tls);
    const [objects, ports] = [this.#objects, this.#ports];
    this.#scope = { balancers: this.balancers, tls, context, objects, ports };
    this.#named.update();
    for (const { owners } of this.#hosts) owners.update();
  }

  #setBalancers(balancers: readonly NewBalancer[], { options }: TranslateContext): void {
    for (let i = this.#hosts.length; i < balancers.length; i += 1) {
      const owners = new HostOwners(this.#named, i, options);
      owners.named.follow(() => {
        this.hosts.change([""]);
      });
      this.#hosts.push({ owners, tls: new TlsHosts(this.#tls, i, owners) });
    }
    this.balancers = balancers.flatMap((balancer, i) => {
      const owners = this.#hosts[i]?.owners;
      return owners === undefined ? [] : { ...balancer, owners };
    });
    this.#ports.replaceAll(ruleFacts(balancers));
    const text = JSON.stringify(balancers.map(described));
    const { entries } = this.#objects;
    if (text !== this.#text) for (const [key] of entries.entries()) entries.set(key, true);
    this.#text = text;
    this.#known = balancers;
  }

  translate(): void {
    this.#tls.update();
    for (const [i, { tls }] of this.#hosts.entries()) {
      tls.update();
      const https = this.balancers[i]?.ingress.https;
      this.serverCertificates.serveBelow(i, https?.server, tls.below);
    }
    this.#parts.update();
    // The context knows all prepared Ingresses.
    this.#scope = undefined;
    const ofTls = this.#changedTls.take().map((each) => ({ ...each, key: tlsKey(each.key) }));
    const changes = this.#changedParts.take();
    const all = [...ofTls, ...changes];
    this.#whole.update(all);
    for (const { key, now } of all) this.serverCertificates.replace(key, now);
    this.served = patched(
      this.served,
      changes.map(({ before, now }) => ({
        ...SHARED_SHAPE,
        ...(before?.isServed === true && { before }),
        ...(now?.isServed === true && { now }),
      })),
      (a, b) => byNamespaceAndName(a.object, b.object),
    );
    const { claims, bindings } = this.#bindings.update(changes);
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
}

/** What entries are translated with. */
interface EntryScope {
  readonly balancers: readonly LoadBalancer[];
  /** By load balancer. */
  readonly tls: readonly TlsHosts[];
  readonly context: TranslateContext;
  readonly objects: ObjectTables;
  /** Facts about the ports of Rules (`ruleFacts`). */
  readonly ports: Input<string>;
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
  scope: EntryScope,
  read: Read,
): readonly (HostClaims | undefined)[] {
  readNamespace(object, scope, read);
  // A mistake of one object must not move the paths of others.
  if (object.closed !== undefined) return NOTHING;
  if (isRule(object)) {
    read(scope.ports, namedPort(object, scope));
    return hostsOfRule(object, scope);
  }
  return hostsOfIngress(preparedIngresses(scope.context)(object), scope.balancers);
}

/** Undefined: it has nothing to do with TLS. */
function tlsOf(
  object: Ingress,
  hosts: () => readonly (HostClaims | undefined)[],
  scope: EntryScope,
  read: Read,
): TlsPart | undefined {
  const { balancers, context } = scope;
  readNamespace(object, scope, read);
  if (!namesTls(object, context.options)) return undefined;
  const prepared = preparedIngresses(context)(object);
  const own = ownContext(context, scope.objects, read);
  const { closed } = object;
  // A refused Ingress owns none of its hosts, and wants nothing that others would notice.
  const named = closed ? hostsOfIngress(prepared, balancers) : hosts();
  const wanted = balancers.map((balancer, i) => {
    if (named[i] === undefined) return [];
    const factsOf = balancer.owners.factsFor(object.metadata.namespace, read);
    return translateIngressTls(prepared, balancer, factsOf, own);
  });
  const collected = collectedFrom(object, own);
  if (closed) return { ...SHARED_SHAPE, ...collected, reports: NOTHING, wanted: NOTHING };
  const isEmpty = collected.reports.length === 0 && wanted.every(({ length }) => length === 0);
  return isEmpty ? undefined : { ...SHARED_SHAPE, ...collected, wanted };
}

function entryOf(object: Entry, scope: EntryScope, read: Read): EntryPart {
  readNamespace(object, scope, read);
  const { balancers, tls, context } = scope;
  const own = ownContext(context, scope.objects, read);
  const all = new Map<LoadBalancer, PathClaim[]>();
  const claimsOn = (balancer: LoadBalancer): PathClaim[] => getOrInsert(all, balancer, () => []);
  const factsOf = (balancer: LoadBalancer): ReturnType<LoadBalancer["owners"]["factsFor"]> =>
    balancer.owners.factsFor(object.metadata.namespace, read);
  let isServed = false;
  if (isRule(object)) {
    read(scope.ports, namedPort(object, scope));
    translateRule(object, { balancers, context: own, factsOf, claimsOn });
  } else {
    isServed = translateIngress(
      preparedIngresses(context)(object),
      balancers,
      (balancer) => ({
        ...SHARED_SHAPE,
        ...{ balancer, context: own, factsOf: factsOf(balancer), claims: claimsOn(balancer) },
        names: new Map(),
        isTls: tls[balancers.indexOf(balancer)]?.reader(read) ?? (() => false),
      }),
      own,
    );
  }
  const claims = [...all].flatMap(([balancer, each]) =>
    orderedClaims(each, factsOf(balancer), balancer),
  );
  const bindings = kept(own.config.bound.bindings);
  const part = { bindings, claims: kept(claims), isServed };
  return { ...SHARED_SHAPE, ...collectedFrom(object, own, claims), ...part };
}

/** Its labels say which load balancers serve its Ingresses. */
function readNamespace(
  { metadata: { namespace: name } }: Entry,
  { objects }: EntryScope,
  read: Read,
): void {
  read(objects.lookups, objectKey({ kind: "Namespace", namespace: "", name }));
}

function collectedFrom(
  object: Entry,
  own: AuthContext,
  claims: readonly OrderedClaim[] = NOTHING,
): CollectedPart {
  const part = partOf(own, () => claims.map(({ binding }) => binding));
  return { ...SHARED_SHAPE, ...part, object, served: kept(own.config.candidates) };
}
