/** What clients see of a configuration: of requests by the data plane's model, of connections and datagrams by nginx's maps. */
import { type Compilation, compile } from "../../../src/compile.js";
import type { Candidate } from "../../../src/explain/candidates.js";
import { certificateFor, explain, readPolicy } from "../../../src/explain/explain.js";
import type { ExplainRequest } from "../../../src/explain/request.js";
import { resourcesFromObjects } from "../../../src/input/load.js";
import type { CompileOptions } from "../../../src/model/options.js";
import type { PolicyDocument } from "../../../src/model/policy.js";
import { contentsOf } from "../../../src/render/rendered-file.js";
import { streamTarget } from "../stream-target.js";
import type { Manifest } from "./manifest.js";

export interface World {
  readonly compilation: Compilation;
  readonly policy: PolicyDocument;
  /** What routes name by an id, by that id. */
  readonly named: ReadonlyMap<string, unknown>;
}

export function worldOf(objects: readonly Manifest[], options: CompileOptions): World {
  const compilation = compile(resourcesFromObjects(objects).resources, options);
  const file = compilation.files.find(({ path }) => path === "policy.json");
  if (file === undefined) throw new Error("there is no policy");
  const policy = readPolicy(contentsOf(file));
  const named = new Map<string, unknown>([
    ...Object.entries(policy.auths),
    ...Object.entries(policy.upstreams),
    ...compilation.config.backendTls.map((each) => [each.id, each] as const),
  ]);
  return { compilation, policy, named };
}

export interface Outcome {
  /** The route's binding; absent: the request has none. */
  readonly chosen?: Candidate;
  /** Bindings before it with expressions that only nginx can try: any of them may have the request. */
  readonly undecided: readonly Candidate[];
  /** `[kind, namespace, …]` of the listener. */
  readonly listener: readonly string[];
  /** Of what decides: the route, else the listener. */
  readonly source: readonly string[];
  readonly seen: object;
}

/** All that is done for a request, with the contents of what its route names. */
export function outcomeOf({ policy, named, compilation }: World, request: ExplainRequest): Outcome {
  const explanation = explain(policy, request);
  const { route, answer, server = "", clientCertificate, candidates } = explanation;
  const listener = (explanation.listener ?? "").split("/");
  const content = policy.routes[route?.id ?? ""];
  const chosen = candidates.find(({ outcome }) => outcome.kind === "chosen");
  return {
    ...(chosen !== undefined && { chosen }),
    undecided: candidates.filter(({ outcome }) => outcome.kind === "undecided"),
    listener,
    source: chosen?.source ?? listener,
    seen: {
      answer,
      content: content ?? null,
      named: namesIn(content).map((id) => [id, named.get(id)]),
      clientCertificate,
      elsewhere: elsewhere(compilation, server, request.serverName),
      certificate: request.scheme === "https" && certificateFor(policy, server, request.serverName),
    },
  };
}

/** Where a handshake for the name leads in place of the server. */
function elsewhere({ config }: Compilation, server: string, name: string): unknown {
  const stream = config.streams.find(({ id }) => id === server);
  const to = stream?.protocol === "tls" ? streamTarget(stream, name) : undefined;
  return to?.kind === "https" ? undefined : to;
}

/** Ids below a route. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    if (key === "auth" && Array.isArray(each)) return each as string[];
    return ["upstream", "tls"].includes(key) && typeof each === "string" ? [each] : namesIn(each);
  });
}

/** Where connections for a port lead, for each of the names if it tells them apart; undefined: they are closed. */
export function streamsOf(
  { compilation: { config } }: World,
  names: readonly string[],
): ReadonlyMap<string, unknown> {
  const poolOf = (id: string | undefined): unknown => {
    const pool = config.pools.find((each) => each.id === id);
    return pool?.backends.map(({ upstream, weight }) => ({
      weight,
      endpoints: config.streamUpstreams.find((each) => each.id === upstream)?.endpoints,
      tls: config.backendTls.find((each) => each.id === pool.tls),
    }));
  };
  return new Map(
    config.streams.flatMap((stream): [string, unknown][] => {
      const key = `${stream.protocol} ${stream.addresses.join()}:${String(stream.port)}`;
      if (stream.protocol !== "tls") return [[key, poolOf(stream.pool)]];
      return names.map((name) => {
        const to = streamTarget(stream, name);
        return [`${key} ${name}`, to?.kind === "pool" ? { ...to, pool: poolOf(to.pool) } : to];
      });
    }),
  );
}
