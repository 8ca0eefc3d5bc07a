/** What nginx.conf depends on: a small part of the model, so that few changes render it again. */
import type { AuthConfig } from "../../model/auth.js";
import type { RoutingModel } from "../../model/config.js";
import type { Backend, ErrorPages, Route } from "../../model/route.js";
import { compareIds, compareStrings, listDifferences } from "../../support/collections.js";
import { SHARED_SHAPE, filled, present } from "../../support/json-object.js";

/** `routes` and `auths`: in `ConfModels`, one for each distinct value. */
export interface ConfModel extends Pick<
  RoutingModel,
  "servers" | "listeners" | "streams" | "pools" | "backendTls"
> {
  readonly routes: readonly ConfRoute[];
  readonly auths: readonly ConfAuth[];
}

export interface ConfRoute extends Pick<
  Route,
  "bodyLimit" | "retry" | "deadlines" | "largeHeaders"
> {
  readonly errorPages?: Pick<ErrorPages, "statuses">;
  /** Only if the locations of the route depend on them. */
  readonly backends?: readonly Pick<Backend, "protocol" | "tls">[];
  /** Ids of the verified TLS of mirrors. */
  readonly mirrorTls?: readonly string[];
}

interface ConfAuth {
  readonly external?: Pick<NonNullable<AuthConfig["external"]>, "maxBody">;
}

/** Paths of the certificate files by id. */
export type CertificatePaths = Pick<ReadonlyMap<string, string>, "get">;

class DistinctValues<T extends { readonly id: string }, V> {
  readonly #valueOf: (entry: T) => V;
  readonly #values = new Map<string, { readonly value: V; count: number }>();
  #list: readonly T[] = [];

  constructor(valueOf: (entry: T) => V) {
    this.#valueOf = valueOf;
  }

  /** Of a list that is sorted by id. */
  of(list: readonly T[]): readonly V[] {
    for (const { before, now } of listDifferences(this.#list, list, compareIds)) {
      if (now) this.#count(now, 1);
      if (before) this.#count(before, -1);
    }
    this.#list = list;
    return [...this.#values].sort(([a], [b]) => compareStrings(a, b)).map(([, { value }]) => value);
  }

  #count(entry: T, added: number): void {
    const value = this.#valueOf(entry);
    const key = JSON.stringify(value);
    const known = this.#values.get(key) ?? { value, count: 0 };
    known.count += added;
    if (known.count === 0) this.#values.delete(key);
    else this.#values.set(key, known);
  }
}

/** Extracts the part again and again; each time it looks only at routes and auths that have changed. */
export class ConfModels {
  readonly #routes = new DistinctValues(routePart);
  readonly #auths = new DistinctValues(authPart);

  of({ routes, auths, servers, listeners, streams, pools, backendTls }: RoutingModel): ConfModel {
    return {
      ...{ servers, listeners, streams, pools, backendTls },
      routes: this.#routes.of(routes),
      auths: this.#auths.of(auths),
    };
  }
}

function routePart({
  bodyLimit,
  holdsBody,
  retry,
  deadlines,
  errorPages,
  largeHeaders,
  mirrors = [],
  backends = [],
}: Route): ConfRoute {
  const isPlain =
    retry === undefined &&
    deadlines === undefined &&
    backends.every(({ protocol, tls }) => protocol !== "h2c" && tls === undefined);
  const all = [mirrors, ...backends.map(({ filters }) => filters?.mirrors ?? [])].flat();
  return {
    ...SHARED_SHAPE,
    ...(bodyLimit !== undefined && holdsBody !== true && { bodyLimit }),
    ...present("largeHeaders", largeHeaders),
    ...(errorPages && { errorPages: present("statuses", errorPages.statuses) }),
    ...(!isPlain && {
      ...(retry && { retry }),
      ...(deadlines && { deadlines }),
      backends: backends.map(({ protocol, tls }) => ({ protocol, ...present("tls", tls) })),
    }),
    ...filled(
      "mirrorTls",
      all.flatMap(({ tls }) => tls ?? []),
    ),
  };
}

function authPart({ external }: AuthConfig): ConfAuth {
  const { maxBody } = external ?? {};
  return maxBody === undefined ? {} : { external: { maxBody } };
}
