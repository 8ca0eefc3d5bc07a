/** One side of a comparison: what its entrances do with the requests for a host. */
import { type HostedBinding, bindingsFor } from "../explain/candidates.js";
import { certificateFor, findListener, routeOn } from "../explain/explain.js";
import type { DataPlaneConfig } from "../model/config.js";
import type { PolicyDocument, PolicyServer } from "../model/policy.js";
import type { PathMatch, Predicate } from "../model/route.js";
import type { NamedStream, StreamTarget } from "../model/stream.js";
import { hostKey } from "../model/values.js";
import { coveringKeys } from "../explain/request.js";
import { getOrInsert, memoized } from "../support/collections.js";
import { own } from "../support/json-object.js";
import { type Outcome, NOTHING, outcomeKey, outcomeOf } from "./outcome.js";
import { OPEN, clientCertificate } from "./protection.js";

export type Scheme = "http" | "https" | "tcp" | "udp";

/** A port, and what clients speak there. */
export interface Door {
  readonly scheme: Scheme;
  readonly port: number;
}

/** What is compared: a policy, and what nginx.conf says about connections that are passed on. */
export interface DiffInput {
  readonly policy: PolicyDocument;
  readonly config: Pick<DataPlaneConfig, "streams" | "pools">;
}

/** A binding and what it leads to. */
export interface SideEntry {
  readonly path?: PathMatch;
  readonly when: readonly Predicate[];
  readonly outcome: Outcome;
  /** Equal for equal outcomes. */
  readonly does: string;
  /** Equal for entries that do the same with the same requests. */
  readonly key: string;
}

/** A server, or a stream: its id is the same in both sides if its port and addresses are. */
interface Entrance extends Door {
  readonly id: string;
}

export class Side {
  readonly #policy: PolicyDocument;
  readonly #config: DiffInput["config"];
  readonly #outcomes = new Map<string, Pick<SideEntry, "outcome" | "does">>();

  constructor({ policy, config }: DiffInput) {
    this.#policy = policy;
    this.#config = config;
  }

  get entrances(): readonly Entrance[] {
    const servers = Object.entries(this.#policy.servers).map(([id, { port, tls }]): Entrance => ({
      id,
      port,
      scheme: tls ? "https" : "http",
    }));
    const known = new Set(servers.map(({ id, scheme }) => `${id} ${scheme}`));
    const streams = this.#config.streams.map(({ id, port, protocol }): Entrance => ({
      id,
      port,
      scheme: protocol === "tls" ? "https" : protocol,
    }));
    return [...servers, ...streams.filter(({ id, scheme }) => !known.has(`${id} ${scheme}`))];
  }

  /** All host keys that the entrance distinguishes, and hosts that its conditions name. */
  hostKeys({ id, scheme }: Entrance): readonly string[] {
    const server = this.#serverOf({ id, scheme });
    const named = this.#named(id);
    const { hosts, certificates } = this.#policy;
    const tables = new Set(server?.listeners.flatMap(([, ...tables]) => tables));
    const keys = Object.keys(hosts).filter((key) => tables.has(beforeBar(key)));
    const uses = Object.keys(certificates).filter(
      (key) => scheme === "https" && beforeBar(key) === id,
    );
    return [
      ...(server?.listeners.map(([key]) => key) ?? []),
      ...[...keys, ...uses].map((key) => key.slice(key.lastIndexOf("|") + 1)),
      ...keys.flatMap((key) => this.#hostsInConditions(key)),
      ...(named?.names.map(({ host }) => hostKey(host)) ?? []),
    ];
  }

  /** What is tried for a host, in order. A host for which nothing is served has no entries. */
  entries({ id, scheme, port }: Entrance, host: string): readonly SideEntry[] {
    const stream = this.#streamFor({ id, scheme, port }, host);
    if (stream !== undefined) return stream;
    const server = this.#serverOf({ id, scheme });
    if (server === undefined || (scheme !== "http" && scheme !== "https")) return [];
    const listener = findListener(server, host);
    if (listener === undefined) return [];
    const [mode, authorities] = own(server.clientCertificates, listener) ?? [];
    const demanded =
      mode === "required" && authorities !== undefined ? clientCertificate(authorities) : OPEN;
    return bindingsFor(this.#policy, listener, host).map(({ binding }): SideEntry => {
      const { path, when = [], route } = binding;
      const { outcome, does } = this.#outcome(`${id} ${listener} ${route}`, () => {
        const found = routeOn(this.#policy, listener, route);
        return found === undefined ? NOTHING : outcomeOf(this.#policy, found, scheme, demanded);
      });
      const key = JSON.stringify([path, when, does]);
      return { ...(path && { path }), when, outcome, does, key };
    });
  }

  /** The file of the certificate for a host; undefined: there is none. */
  certificate({ id, scheme }: Entrance, host: string): string | undefined {
    const isServed = scheme === "https" && this.#serverOf({ id, scheme }) !== undefined;
    return isServed ? certificateFor(this.#policy, id, host) : undefined;
  }

  #serverOf({ id, scheme }: Pick<Entrance, "id" | "scheme">): PolicyServer | undefined {
    const server = own(this.#policy.servers, id);
    return server?.tls === (scheme === "https") ? server : undefined;
  }

  #named(id: string): NamedStream | undefined {
    return this.#config.streams.find(
      (stream): stream is NamedStream => stream.protocol === "tls" && stream.id === id,
    );
  }

  /** What is done with connections that are not routed by request; undefined: they are. */
  #streamFor({ id, scheme, port }: Entrance, host: string): readonly SideEntry[] | undefined {
    const named = scheme === "https" ? this.#named(id) : undefined;
    if (named !== undefined) {
      const target = targetOf(named, host);
      if (target?.kind === "https") return undefined;
      return target?.kind === "pool" ? [this.#passed(target.pool)] : [];
    }
    if (this.#serverOf({ id, scheme }) !== undefined) return undefined;
    const pool = this.#poolAt(scheme === "udp" ? "udp" : "tcp", port);
    return pool === undefined ? undefined : [this.#passed(pool)];
  }

  /** The pool of a port that is passed on as a whole. */
  #poolAt(transport: "tcp" | "udp", port: number): string | undefined {
    for (const stream of this.#config.streams) {
      if (stream.protocol !== "tls" && stream.protocol === transport && stream.port === port) {
        return stream.pool;
      }
    }
    return undefined;
  }

  #passed(id: string): SideEntry {
    const pool = this.#config.pools.find((each) => each.id === id);
    const total = pool?.backends.reduce((sum, { weight }) => sum + weight, 0) ?? 0;
    const to = (pool?.backends ?? []).map(
      ({ upstream = "nothing", weight }) =>
        `${String(Math.round((weight / total) * 1000) / 10)} % ${upstream}`,
    );
    const outcome: Outcome = {
      kind: "passed",
      to: `${to.join(", ")} as it comes`,
      protection: OPEN,
      settings: {},
    };
    const does = outcomeKey(outcome);
    return { when: [], outcome, does, key: does };
  }

  #outcome(id: string, make: () => Outcome): Pick<SideEntry, "outcome" | "does"> {
    return getOrInsert(this.#outcomes, id, () => {
      const outcome = make();
      return { outcome, does: outcomeKey(outcome) };
    });
  }

  #hostsInConditions(table: string): readonly string[] {
    const bindings = own(this.#policy.hosts, table) ?? [];
    const all = bindings.flatMap((binding) =>
      "matches" in binding ? (own(this.#policy.matches, binding.matches) ?? []) : [binding],
    );
    return all.flatMap(({ when = [] }: HostedBinding["binding"]) => when.flatMap(hostsOf));
  }
}

function beforeBar(key: string): string {
  return key.slice(0, key.lastIndexOf("|"));
}

/** Host keys that divide the hosts as the condition does. */
function hostsOf({ of, any }: Predicate): readonly string[] {
  if (of !== "host") return [];
  return any.flatMap(([op, ...values]) => {
    const [value = ""] = values;
    if (op === "eq" || op === "in") return values;
    if (op === "oneLabel") return [`*.${value}`];
    return op === "end" && value.startsWith(".") ? [`**${value}`] : [];
  });
}

const targetsByName = memoized(({ names }: NamedStream) => {
  return new Map(names.map(({ host, to }) => [hostKey(host), to]));
});

/** The target of a server name; undefined: its connections are closed. */
function targetOf(stream: NamedStream, host: string): StreamTarget | undefined {
  const targets = targetsByName(stream);
  const to = coveringKeys(host)
    .map((key) => targets.get(key))
    .find((found) => found !== undefined);
  if (to?.kind !== "class") return to;
  const ids = [to.id, to.id.slice(to.id.lastIndexOf(".") + 1)];
  const found = ids.map((id) => stream.classes.find((each) => each.id === id)).find(Boolean);
  return found?.to;
}
