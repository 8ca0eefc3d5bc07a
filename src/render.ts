/** The data plane's model → its files, in memory. Equal models give equal bytes. */
import type { DataPlaneConfig, RoutingModel } from "./model/config.js";
import type { CompileOptions } from "./model/options.js";
import type { Route } from "./model/route.js";
import { POLICY_FORMAT } from "./model/policy.js";
import { ENDPOINTS_FILE, renderEndpoints } from "./render/nginx/endpoints-view.js";
import { type ConfModel, ConfModels } from "./render/nginx/conf-model.js";
import { policyMemory } from "./render/nginx/http-view.js";
import { renderNginxConf } from "./render/nginx/nginx-conf.js";
import {
  ListShards,
  type RouteDefaults,
  RecordShards,
  buildPolicy,
  renderedPolicy,
  routeText,
  routingShards,
  upstreamText,
} from "./render/policy/build-policy.js";
import { HostShards } from "./render/policy/host-shards.js";
import {
  authorityFiles,
  certificateFile,
  credentialsFile,
  distinctFiles,
} from "./render/policy/named-files.js";
import type { RenderedFile } from "./render/rendered-file.js";
import type { ShardMap } from "./render/shard-map.js";
import { compareStrings, memoized, sameElements } from "./support/collections.js";
import { PolicyTooLarge } from "./support/errors.js";

/** The shards of bindings and routes. */
class RouteShards {
  readonly defaults: RouteDefaults;
  readonly hosts = new HostShards();
  readonly routes = new ListShards<Route>((route) => routeText(route, this.defaults));
  readonly records = {
    servers: new RecordShards(),
    headers: new RecordShards(),
    auths: new RecordShards(),
    certificates: new RecordShards(),
  };

  constructor(defaults: RouteDefaults) {
    this.defaults = defaults;
  }
}

/** The files of everything except upstreams. */
interface RenderedRouting {
  readonly routing: RoutingModel;
  readonly options: CompileOptions;
  /** The maps of policy.json except upstreams. */
  readonly shards: ReadonlyMap<string, ShardMap>;
  readonly certificatePaths: ReadonlyMap<string, string>;
  readonly files: readonly RenderedFile[];
}

/** Renders repeatedly: if only upstreams changed, it renders only those. */
export class Renderer {
  #routing: RenderedRouting | undefined;
  readonly #confModels = new ConfModels();
  #conf: RenderedConf | undefined;
  #shards: RouteShards | undefined;
  readonly #upstreams = new ListShards(upstreamText);

  /** nginx.conf, policy.json, streams/, credentials/, certificates/ and authorities/, sorted by path. Throws PolicyTooLarge. */
  render(config: DataPlaneConfig, options: CompileOptions): readonly RenderedFile[] {
    const { upstreams, streamUpstreams, ...routing } = config;
    const rendered =
      this.#routing !== undefined && isSame(this.#routing, routing, options)
        ? this.#routing
        : renderFitting(routing, options, this.#shardsFor(options));
    this.#routing = rendered;
    const policy = renderedPolicy(POLICY_FORMAT, rendered.shards, this.#upstreams.map(upstreams));
    const files: RenderedFile[] = [
      { path: "nginx.conf", contents: this.#nginxConf(rendered, policy.size), mode: 0o644 },
      { path: "policy.json", contents: policy, mode: 0o600 },
      ...rendered.files,
    ];
    if (routing.streams.length > 0) {
      const contents = renderEndpoints({ pools: routing.pools, streamUpstreams });
      files.push({ path: ENDPOINTS_FILE, contents, mode: 0o644 });
    }
    return files.sort((a, b) => compareStrings(a.path, b.path));
  }

  #shardsFor({ dataPlane: { bodyLimit, outageErrors } }: CompileOptions): RouteShards {
    const known = this.#shards;
    const { defaults } = known ?? {};
    if (known && defaults?.bodyLimit === bodyLimit && defaults.outageErrors === outageErrors)
      return known;
    return (this.#shards = new RouteShards({ bodyLimit, outageErrors }));
  }

  #nginxConf(rendered: RenderedRouting, policySize: number): string {
    const memory = policyMemory(policySize);
    if (this.#conf?.of === rendered && this.#conf.memory === memory) return this.#conf.text;
    const { routing, options, certificatePaths } = rendered;
    const model = this.#confModels.of(routing);
    const { servers, listeners, streams, pools, backendTls, ...rest } = model;
    const lists = [servers, listeners, streams, pools, backendTls].map(textOf);
    const key = [...lists, JSON.stringify([rest, options, memory])];
    const known = this.#conf;
    const isKnown =
      known !== undefined &&
      sameElements(known.key, key) &&
      [...known.paths].every(([id, path]) => certificatePaths.get(id) === path);
    this.#conf = isKnown
      ? { ...known, of: rendered }
      : { of: rendered, memory, key, ...renderedConf(model, options, memory, certificatePaths) };
    return this.#conf.text;
  }
}

/** These lists stay the same objects while nothing in them changes. */
const textOf = memoized((list: readonly unknown[]) => JSON.stringify(list));

/** nginx.conf, and what it depends on. */
interface RenderedConf {
  readonly of: RenderedRouting;
  readonly memory: number;
  /** Everything but the certificates. */
  readonly key: readonly string[];
  /** Of the certificates that it names, by id. */
  readonly paths: ReadonlyMap<string, string | undefined>;
  readonly text: string;
}

function renderedConf(
  model: ConfModel,
  options: CompileOptions,
  memory: number,
  certificates: ReadonlyMap<string, string>,
): Pick<RenderedConf, "paths" | "text"> {
  const paths = new Map<string, string | undefined>();
  const get = (id: string): string | undefined => {
    const path = certificates.get(id);
    paths.set(id, path);
    return path;
  };
  return { text: renderNginxConf(model, options, memory, { get }), paths };
}

/** Whether all lists are the same objects. */
function isSame(last: RenderedRouting, routing: RoutingModel, options: CompileOptions): boolean {
  const before = new Map<string, unknown>(Object.entries(last.routing));
  const entries = Object.entries(routing);
  return (
    last.options === options &&
    entries.length === before.size &&
    entries.every(([name, list]) => before.get(name) === list)
  );
}

/** The bindings of a host are one text, and JavaScript limits the length of a text. */
function renderFitting(
  routing: RoutingModel,
  options: CompileOptions,
  shards: RouteShards,
): RenderedRouting {
  try {
    return renderRouting(routing, options, shards);
  } catch (error: unknown) {
    if (!(error instanceof RangeError)) throw error;
    throw new PolicyTooLarge(
      `policy.json can't be made, one host would have too much of it: ${String(routing.bindings.length)} bindings of ${String(routing.routes.length)} rules`,
      { cause: error },
    );
  }
}

function renderRouting(
  routing: RoutingModel,
  options: CompileOptions,
  shards: RouteShards,
): RenderedRouting {
  const credentials = new Map(routing.credentials.map((set) => [set.id, credentialsFile(set)]));
  const certificates = new Map(
    routing.certificates.map((entry) => [entry.id, certificateFile(entry)]),
  );
  const certificatePaths = paths(certificates);
  const { hosts, matches, tables } = shards.hosts.render(routing.bindings);
  const policy = buildPolicy(routing, options, {
    credentials: paths(credentials),
    certificates: certificatePaths,
    tables,
  });
  return {
    routing,
    options,
    shards: routingShards(policy, {
      hosts,
      matches,
      routes: shards.routes.map(routing.routes),
      records: shards.records,
    }),
    certificatePaths,
    files: distinctFiles([
      ...credentials.values(),
      ...certificates.values(),
      ...authorityFiles(routing),
    ]),
  };
}

function paths(files: ReadonlyMap<string, RenderedFile>): ReadonlyMap<string, string> {
  return new Map([...files].map(([id, file]) => [id, file.path]));
}
