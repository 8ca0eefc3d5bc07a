/** What a policy serves, in numbers, and what in it is broken. */
import { type PolicyDocument, UNNAMED_HOST } from "../model/policy.js";
import type { Refusal } from "../model/upstream.js";
import { compareStrings, getOrInsert, groupBy } from "../support/collections.js";
import { own } from "../support/json-object.js";
import { formatSource } from "./format.js";
import { brokenAuth } from "./outcome.js";
import { formatPath } from "./path-text.js";

export interface PolicySummary {
  readonly listeners: readonly {
    readonly port: number;
    readonly tls: boolean;
    /** Host keys of its listeners; `""` is any host. */
    readonly hosts: readonly string[];
    /** Hosts that bindings name, and bindings. */
    readonly names: number;
    readonly bindings: number;
  }[];
  readonly routes: number;
  /** Routes that auth of their own, or of a backend, protects. */
  readonly protectedRoutes: number;
  readonly upstreams: number;
  readonly endpoints: number;
  /** Upstreams that routes use and that have no endpoint. */
  readonly empty: readonly string[];
  /** Objects whose requests are refused, with the reason; each once. */
  readonly broken: readonly {
    readonly object: string;
    readonly reason: string;
    /** Hosts and paths that answer so, such as `a.example/admin[/…]`; none for a listener. */
    readonly paths: readonly string[];
  }[];
}

export function summaryOf(policy: PolicyDocument): PolicySummary {
  const routes = Object.values(policy.routes);
  const upstreams = Object.entries(policy.upstreams);
  const used = new Set(
    routes.flatMap(({ backends = [] }) => backends.map((each) => each.upstream)),
  );
  return {
    listeners: listenersOf(policy),
    routes: routes.length,
    protectedRoutes: routes.filter(
      ({ auth = [], backends = [] }) =>
        auth.length > 0 || backends.some(({ filters }) => (filters?.auth ?? []).length > 0),
    ).length,
    upstreams: upstreams.length,
    endpoints: upstreams.reduce((sum, [, { endpoints }]) => sum + endpoints.length, 0),
    empty: upstreams
      .filter(([id, { endpoints }]) => endpoints.length === 0 && used.has(id))
      .map(([id]) => id),
    broken: brokenIn(policy),
  };
}

function listenersOf({ servers, hosts, matches = {} }: PolicyDocument): PolicySummary["listeners"] {
  const sizes = new Map(Object.entries(matches).map(([id, list]) => [id, list.length]));
  const tables = new Map<string, { names: number; bindings: number }>();
  for (const [key, list] of Object.entries(hosts)) {
    const table = key.slice(0, key.lastIndexOf("|"));
    const { names, bindings } = tables.get(table) ?? { names: 0, bindings: 0 };
    const added = list.reduce(
      (sum, entry) => sum + ("matches" in entry ? (sizes.get(entry.matches) ?? 0) : 1),
      0,
    );
    tables.set(table, { names: names + 1, bindings: bindings + added });
  }
  return Object.values(servers)
    .map(({ port, tls, listeners }) => {
      const used = [...new Set(listeners.flatMap(([, ...ids]) => ids))];
      const found = used.flatMap((id) => tables.get(id) ?? []);
      return {
        ...{ port, tls, hosts: listeners.map(([host]) => host) },
        names: found.reduce((sum, { names }) => sum + names, 0),
        bindings: found.reduce((sum, { bindings }) => sum + bindings, 0),
      };
    })
    .sort((a, b) => a.port - b.port);
}

function brokenIn(policy: PolicyDocument): PolicySummary["broken"] {
  const { routes, auths, inherited = {} } = policy;
  const reasonOf = (ids: readonly string[], refusals: readonly (Refusal | undefined)[]): string => {
    const invalid = ids.map((id) => own(auths, id)?.invalid).find((reason) => reason !== undefined);
    const refused = refusals.find((refuse) => refuse !== undefined && refuse[0] >= 500);
    return invalid === undefined ? (refused?.join(" ") ?? "") : `503 ${brokenAuth(invalid)}`;
  };
  const found = [
    ...Object.entries(routes).map(([id, { source, refuse, auth = [], backends = [] }]) => ({
      object: formatSource([source[0], source[1], source[2], ""]),
      reason: reasonOf(auth, [refuse, ...backends.map((backend) => backend.refuse)]),
      id,
    })),
    ...Object.entries(inherited).map(([id, { refuse, filters = [], policies = [] }]) => ({
      object: `listener ${id}`,
      reason: reasonOf([...filters, ...policies], [refuse]),
      id: "",
    })),
  ].filter(({ reason }) => reason !== "");
  const paths = pathsOf(policy, new Set(found.map(({ id }) => id)));
  const groups = groupBy(found, ({ object, reason }) => JSON.stringify([object, reason]));
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ object, reason }) => {
      const all = same.flatMap(({ id }) => [...(paths.get(id) ?? [])]);
      return { object, reason, paths: [...new Set(all)].sort(compareStrings) };
    }),
  );
}

/** Hosts and paths of these routes, by route. */
function pathsOf(
  { hosts, matches = {} }: PolicyDocument,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  if (ids.size === 0) return found;
  for (const [key, list] of Object.entries(hosts)) {
    const host = key.slice(key.lastIndexOf("|") + 1);
    const name = host === "" || host === UNNAMED_HOST ? "*" : host;
    const bindings = list.flatMap((entry) =>
      "matches" in entry ? (own(matches, entry.matches) ?? []) : [entry],
    );
    for (const { route, path } of bindings.filter((each) => ids.has(each.route))) {
      getOrInsert(found, route, () => new Set()).add(name + formatPath(path));
    }
  }
  return found;
}
