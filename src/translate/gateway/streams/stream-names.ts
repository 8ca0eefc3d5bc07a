/**
 * Which server name goes where on a port of TLS. A name belongs to the listener with the best hostname, whichever protocol that has, and
 * there to the route whose own hostname is best, then to the older one (Gateway API, TLSRoute.spec.hostnames). What no route of its
 * listener is for is closed, though another listener may have one.
 */
import type { HostPattern } from "../../../ir/host-pattern.js";
import { ANY_HOST, hostKey } from "../../../ir/host-pattern.js";
import type { StreamName, StreamTarget } from "../../../ir/stream.js";
import { compareBy, compareStrings } from "../../../support/compare.js";
import { memoized } from "../../../support/memoized.js";
import { getOrInsert, groupBy } from "../../../support/group-by.js";
import { covers } from "../../hostnames.js";
import { compareAge } from "../../precedence.js";
import { hostnameRank } from "../../route-precedence.js";
import type { StreamBinding, StreamListener } from "./stream-binding.js";

export interface NamedListener {
  readonly listener: StreamListener;
  readonly bindings: readonly StreamBinding[];
}

/** `https`: hostnames of the HTTPS listeners on the port, and hosts that they keep, which no other listener gets. Sorted by key. */
export function streamNames(
  listeners: readonly NamedListener[],
  https: readonly HostPattern[],
): readonly StreamName[] {
  const owners = new Map<string, Owner>();
  for (const named of listeners) owners.set(hostKey(named.listener.hostname), new Routes(named));
  for (const hostname of https.map(ofAnyDepth)) {
    owners.set(hostKey(hostname), new HttpsOwner(hostname));
  }
  const names: StreamName[] = [];
  let last = "";
  // Of each owner they are sorted: so is the whole, with one comparison for most.
  const hosts = [...owners.values()].flatMap((owner) => owner.hosts);
  for (const { key, host } of hosts.sort(byKey)) {
    if (key === last) continue;
    last = key;
    names.push(firstOf(owners, host)?.name(host) ?? closedName(host));
  }
  const any = firstOf(owners, ANY_HOST)?.name(ANY_HOST);
  return any === undefined || any.to.kind === "closed" ? names : [any, ...names];
}

/** What is bound, sorted by host. */
interface BoundHosts {
  readonly hosts: readonly KeyedHost[];
  readonly byKey: ReadonlyMap<string, readonly StreamBinding[]>;
}

/** Listeners share bindings. */
const boundHosts = memoized((bindings: readonly StreamBinding[]): BoundHosts => {
  const byHost = groupBy(bindings, ({ host }) => hostKey(host));
  const hosts = [...byHost].flatMap(([key, [first]]) => (first ? { key, host: first.host } : []));
  return { hosts: hosts.sort(byKey), byKey: byHost };
});

const closedName = memoized((host: HostPattern): StreamName => ({ host, to: { kind: "closed" } }));

interface KeyedHost {
  readonly key: string;
  readonly host: HostPattern;
}

const byKey = compareBy<KeyedHost>((a, b) => compareStrings(a.key, b.key));

function keyed(host: HostPattern): KeyedHost {
  return { key: hostKey(host), host };
}

/** A listener: the hosts for which it has something to say, and what. */
interface Owner {
  readonly hosts: readonly KeyedHost[];
  /** Ports have the same object for the same. */
  name(host: HostPattern): StreamName;
}

class HttpsOwner implements Owner {
  readonly hosts: readonly KeyedHost[];

  constructor(hostname: HostPattern) {
    this.hosts = [keyed(hostname)];
  }

  name(host: HostPattern): StreamName {
    return { host, to: { kind: "https" } };
  }
}

class Routes implements Owner {
  readonly hosts: readonly KeyedHost[];
  readonly #bindings: ReadonlyMap<string, readonly StreamBinding[]>;
  /** Ids of certificates; empty where TLS is passed through. */
  readonly #certificates = new Map<string, string>();

  constructor({ listener, bindings }: NamedListener) {
    const { hostname, certificates } = listener;
    const bound = boundHosts(bindings);
    this.#bindings = bound.byKey;
    const named = certificates.flatMap(({ id, names }) =>
      names.map(ofAnyDepth).map((name) => ({ id, name })),
    );
    const own = named.filter(({ name }) => covers(hostname, name));
    const [first] = certificates;
    // A name that has a certificate keeps it.
    for (const { id, name } of [...own].reverse()) this.#certificates.set(hostKey(name), id);
    if (first !== undefined) this.#certificates.set(hostKey(hostname), first.id);
    const distinct = certificates.length > 1 ? own.map(({ name }) => name) : [];
    this.hosts = [keyed(hostname), ...bound.hosts, ...distinct.map(keyed)];
  }

  name(host: HostPattern): StreamName {
    const binding = this.#best(host);
    if (binding?.pool === undefined) return closedName(host);
    const { pool } = binding;
    const certificate = firstOf(this.#certificates, host);
    const to: StreamTarget = {
      kind: "pool",
      pool,
      ...(certificate !== undefined && { certificate }),
    };
    if (binding.host !== host) return { host, to };
    return getOrInsert(namesOf(binding), certificate, () => ({ host, to }));
  }

  /** A narrower host that the listener has in common with a route is of a better hostname. */
  #best(host: HostPattern): StreamBinding | undefined {
    const [first, ...others] = firstOf(this.#bindings, host) ?? [];
    return others.length === 0
      ? first
      : [...others, ...(first ? [first] : [])].sort(byPrecedence)[0];
  }
}

/** By certificate. */
const namesOf = memoized((_: StreamBinding) => new Map<string | undefined, StreamName>());

function byPrecedence(a: StreamBinding, b: StreamBinding): number {
  return (
    compareStrings(hostnameRank(a.hostname), hostnameRank(b.hostname)) ||
    compareAge(a.route, b.route)
  );
}

/**
 * nginx's map has no wildcard for one label, which names of certificates and hosts of Ingresses have. A deeper name has no certificate of
 * its own, and gets the one that is nearest.
 */
function ofAnyDepth(name: HostPattern): HostPattern {
  return name.kind === "wildcard" ? { ...name, labels: "many" } : name;
}

function firstOf<T>(map: ReadonlyMap<string, T>, host: HostPattern): T | undefined {
  const key = widening(host).find((each) => map.has(each));
  return key === undefined ? undefined : map.get(key);
}

/** Keys of the patterns that cover the host, the narrowest first. */
const widening = memoized((host: HostPattern): readonly string[] => {
  if (host.kind === "any") return [hostKey(ANY_HOST)];
  const keys = host.kind === "exact" ? [host.host] : [`**.${host.suffix}`];
  const name = host.kind === "exact" ? host.host : host.suffix;
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    keys.push(`**.${name.slice(dot + 1)}`);
  }
  return [...keys, hostKey(ANY_HOST)];
});
