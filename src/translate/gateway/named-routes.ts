import type { ParentReference } from "../../api/gateway.js";
import { GATEWAY_GROUP, type KubernetesObject } from "../../api/wire.js";
import { ANY_HOST, type HostPattern, hostKey } from "../../model/values.js";
import { addTo, getOrInsert, memoized } from "../../support/collections.js";
import type { TranslateContext } from "../context.js";
import { intersect, keysAbove, parseHostPattern } from "../hostnames.js";
import type { AttachableRoute, WrittenListener } from "./model.js";

const KINDS = ["HTTPRoute", "GRPCRoute", "TLSRoute"] as const;

const DEFAULTS = "";

/** The hosts that routes name on listeners, computed before it is known which listeners serve. */
export class NamedRoutes {
  readonly #context: TranslateContext;
  readonly #asked = { named: new Set<string>(), below: new Set<string>() };
  /** By route and listener's hostname: the requested keys. */
  readonly #keys = new Map<AttachableRoute, Map<string, HostKeys>>();
  /** By the parent that a parentRef names; routes that ask for default Gateways are at DEFAULTS. */
  #byParent: ReadonlyMap<string, readonly NamedParent[]> | undefined;

  constructor(context: TranslateContext) {
    this.#context = context;
  }

  /** Requests the keys for a hostname of a listener that other listeners may exclude; to be called before `of`. */
  ask(hostname: HostPattern): void {
    const keys = keysAbove(hostname, "many");
    for (const key of keys) this.#asked.named.add(key);
    for (const key of keys.slice(0, 1)) this.#asked.below.add(key);
  }

  /** The requested keys that routes have in common with the listener; a route without hostnames has none. */
  of({
    gateway,
    parent,
    name: section,
    port: own,
    hostname,
    kinds,
    allowsNamespace,
  }: WrittenListener): readonly {
    readonly object: KubernetesObject;
    readonly keys: HostKeys;
  }[] {
    const { namespace, name } = parent.metadata;
    const isDefault = parent === gateway && gateway.spec.defaultScope === "All";
    const candidates = [
      `${parent.kind} ${namespace}/${name}`,
      ...(isDefault ? [DEFAULTS] : []),
    ].flatMap((key) => this.#named.get(key) ?? []);
    if (candidates.length === 0) return [];
    return candidates
      .filter(
        ({ route, reference: { sectionName = section, port = own } }) =>
          sectionName === section &&
          port === own &&
          kinds.some((kind) => kind === route.kind) &&
          allowsNamespace(route.metadata.namespace),
      )
      .map(({ route }) => ({ object: route, keys: this.#keysOf(route, hostname) }));
  }

  /** Computed on first use, because only Gateways that may be in conflict need it. */
  get #named(): ReadonlyMap<string, readonly NamedParent[]> {
    const { resources } = this.#context;
    return (this.#byParent ??= namedParents(KINDS.flatMap((kind) => resources.list(kind))));
  }

  /** Cached, because ports share most routes and hostnames, and few hosts are requested. */
  #keysOf(route: AttachableRoute, hostname: HostPattern): HostKeys {
    const known = getOrInsert(this.#keys, route, () => new Map<string, HostKeys>());
    return getOrInsert(known, hostKey(hostname), () => {
      const all = hostname.kind === "any" ? allKeys(route) : commonKeys(route, hostname);
      return {
        named: all.named.filter((key) => this.#asked.named.has(key)),
        below: all.below.filter((key) => this.#asked.below.has(key)),
      };
    });
  }
}

interface NamedParent {
  readonly route: AttachableRoute;
  readonly reference: Pick<ParentReference, "sectionName" | "port">;
}

function namedParents(routes: Iterable<AttachableRoute>): ReadonlyMap<string, NamedParent[]> {
  const byParent = new Map<string, NamedParent[]>();
  for (const route of routes) {
    const { parentRefs = [], useDefaultGateways } = route.spec;
    if (useDefaultGateways === "All") {
      addTo(byParent, DEFAULTS, { route, reference: {} });
    }
    for (const reference of parentRefs) {
      const { group = GATEWAY_GROUP, kind = "Gateway", name } = reference;
      if (group !== GATEWAY_GROUP) continue;
      const key = `${kind} ${reference.namespace ?? route.metadata.namespace}/${name}`;
      addTo(byParent, key, { route, reference });
    }
  }
  return byParent;
}

/** Keys of hosts, and of all hosts and wildcards above them up to the listener's hostname; each once. */
interface HostKeys {
  readonly named: readonly string[];
  readonly below: readonly string[];
}

const hostnamesOf = memoized(({ spec: { hostnames = [] } }: AttachableRoute) =>
  hostnames.flatMap((text) => {
    const named = parseHostPattern(text, "many");
    return named.ok ? named.value : [];
  }),
);

const allKeys = memoized((route: AttachableRoute) => commonKeys(route, ANY_HOST));

function commonKeys(route: AttachableRoute, hostname: HostPattern): HostKeys {
  const own = hostKey(hostname);
  const hosts = hostnamesOf(route).flatMap((named) => intersect(hostname, named) ?? []);
  const above = hosts.map((host) => keysAbove(host, "many"));
  const below = above.flatMap((keys) => keys.slice(0, [...keys, own].indexOf(own)));
  return { named: above.flatMap(([key]) => key ?? []), below: [...new Set(below)] };
}
