/**
 * Which server name goes where on a port of TLS. A name belongs to the listener with the best hostname, whichever protocol that has, and
 * there to the route whose own hostname is best, then to the older one (Gateway API, TLSRoute.spec.hostnames). What no route of its
 * listener is for is closed, though another listener may have one.
 */
import type { HostPattern } from "../../../ir/host-pattern.js";
import { ANY_HOST, hostKey } from "../../../ir/host-pattern.js";
import type { StreamName, StreamTarget } from "../../../ir/stream.js";
import { compareStrings } from "../../../support/compare.js";
import { memoized } from "../../../support/memoized.js";
import { groupBy } from "../../../support/group-by.js";
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
  const hosts = new Map<string, HostPattern>();
  for (const owner of owners.values()) {
    for (const host of owner.hosts) hosts.set(hostKey(host), host);
  }
  return [...hosts]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([, host]) => ({ host, to: firstOf(owners, host)?.target(host) ?? CLOSED }))
    .filter(({ host, to }) => host.kind !== "any" || to.kind !== "closed");
}

const CLOSED: StreamTarget = { kind: "closed" };

/** A listener: the hosts for which it has something to say, and what. */
interface Owner {
  readonly hosts: readonly HostPattern[];
  target(host: HostPattern): StreamTarget;
}

class HttpsOwner implements Owner {
  readonly hosts: readonly HostPattern[];

  constructor(hostname: HostPattern) {
    this.hosts = [hostname];
  }

  target(): StreamTarget {
    return { kind: "https" };
  }
}

class Routes implements Owner {
  readonly hosts: readonly HostPattern[];
  readonly #bindings: ReadonlyMap<string, readonly StreamBinding[]>;
  /** Ids of certificates; empty where TLS is passed through. */
  readonly #certificates = new Map<string, string>();

  constructor({ listener, bindings }: NamedListener) {
    const { hostname, certificates } = listener;
    this.#bindings = groupBy(bindings, ({ host }) => hostKey(host));
    const named = certificates.flatMap(({ id, names }) =>
      names.map(ofAnyDepth).map((name) => ({ id, name })),
    );
    const own = named.filter(({ name }) => covers(hostname, name));
    const [first] = certificates;
    // A name that has a certificate keeps it.
    for (const { id, name } of [...own].reverse()) this.#certificates.set(hostKey(name), id);
    if (first !== undefined) this.#certificates.set(hostKey(hostname), first.id);
    const distinct = certificates.length > 1 ? own.map(({ name }) => name) : [];
    this.hosts = [hostname, ...bindings.map(({ host }) => host), ...distinct];
  }

  target(host: HostPattern): StreamTarget {
    const candidates = widening(host).flatMap((key) => this.#bindings.get(key) ?? []);
    const pool = candidates.sort(byPrecedence)[0]?.pool;
    if (pool === undefined) return CLOSED;
    const certificate = firstOf(this.#certificates, host);
    return { kind: "pool", pool, ...(certificate !== undefined && { certificate }) };
  }
}

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
