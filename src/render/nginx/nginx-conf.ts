/**
 * Model → nginx.conf: how nginx listens, limits and forwards, as numbers, addresses and generated names. It changes with listeners,
 * options, body limits and the order of magnitude of the policy; each change is a reload.
 */
import type { CompileOptions, DataPlaneOptions } from "../../model/options.js";
import { groupBy } from "../../support/collections.js";
import { present } from "../../support/json-object.js";
import type { CertificatePaths, ConfModel } from "./conf-model.js";
import { clientView, forwardView, luaView, variablesView } from "./http-view.js";
import { adaptorView, hasPages, largeViews, pageViews, tryViews } from "./location-views.js";
import { endpointsVariable, logView, spansView } from "./log-view.js";
import { bodyLimits, listenAddresses, serverView, sharedPorts } from "./server-view.js";
import { streamsView, unixSockets } from "./stream-view.js";
import { type NginxText, fillTemplate, integerText, locationName, seconds, word } from "./text.js";

/** One for each protocol: idle connections with and without TLS must be in different pools. */
const UPSTREAMS = [
  { name: word("albc_http"), tls: false },
  { name: word("albc_https"), tls: true },
  { name: word("albc_grpc"), tls: false },
  { name: word("albc_grpcs"), tls: true },
];

/** `policyMemory`: bytes of shared memory for the policy. `certificates`: paths of the certificate files by id. */
export function renderNginxConf(
  config: ConfModel,
  options: CompileOptions,
  policyMemory: number,
  certificates: CertificatePaths,
): string {
  const { dataPlane } = options;
  const behind = new Set(
    config.streams.flatMap(({ id, protocol }) => (protocol === "tls" ? id : [])),
  );
  const shared = sharedLocations(config, options, certificates);
  const { pages } = shared;
  const adaptor = adaptorView(config, certificates);
  const adapted = adaptor !== false;
  const traces = dataPlane.trace.mode !== "off";
  const reuseports = sharedPorts(config);
  const listeners = groupBy(config.listeners, ({ server }) => server);
  return fillTemplate("nginx", {
    workers: dataPlane.workers === 0 ? word("auto") : integerText(dataPlane.workers),
    drainTimeout: seconds(dataPlane.drainTimeout),
    logLevel: word(dataPlane.nginxLogLevel),
    connections: integerText(workerConnections(config, behind, dataPlane)),
    lua: luaView(policyMemory, dataPlane, locationNames(shared, adaptor)),
    client: clientView(dataPlane),
    log: logView(dataPlane, adapted),
    trace: traces && { spans: spansView(dataPlane.trace), endpoints: endpointsVariable(adapted) },
    variables: {
      ...variablesView(
        dataPlane,
        config.servers.some(({ id }) => behind.has(id)),
      ),
      adapted,
    },
    forward: forwardView(),
    upstreams: UPSTREAMS,
    adaptor,
    control: {
      // The access log may name its id although there is none.
      traced: traces || dataPlane.accessLogFields.includes("trace_id"),
      pages: pages !== false,
    },
    servers: config.servers.map((server) =>
      serverView(server, listeners.get(server.id) ?? [], shared, {
        ...dataPlane,
        behind: behind.has(server.id),
        reuseport: reuseports.has(server.port),
      }),
    ),
    streams: streamsView(config, { ...dataPlane, reuseports }, certificates),
  });
}

/** The locations that are the same in all servers. */
function sharedLocations(
  config: ConfModel,
  { dataPlane, errorPages }: CompileOptions,
  certificates: CertificatePaths,
): Parameters<typeof serverView>[2] {
  const pages = errorPages?.statuses;
  const ofGateway = { ...present("pages", pages), bodyLimit: dataPlane.bodyLimit };
  return {
    bodyLimits: bodyLimits(config, dataPlane),
    tries: tryViews(config, certificates, ofGateway),
    large: largeViews(config, ofGateway),
    pages: hasPages(config, pages) ? { locations: pageViews(config, ofGateway) } : false,
    rereads: config.auths.some(({ external }) => (external?.maxBody ?? 0) > 0),
  };
}

/** For lua/alb/known_locations.lua. */
function locationNames(
  { bodyLimits: limits, tries, large, pages, rereads }: ReturnType<typeof sharedLocations>,
  adaptor: ReturnType<typeof adaptorView>,
): readonly NginxText[] {
  return [
    ...limits.flatMap((limit) =>
      ["http", "stream", "h2c"].map((family) => locationName(`${family}_limit_${String(limit)}`)),
    ),
    ...[...tries, ...large].map(({ name }) => name),
    ...(pages === false ? [] : pages.locations).map(({ name }) => name),
    ...(rereads ? [locationName("again")] : []),
    ...(adaptor === false ? [] : adaptor.locations).map(({ name }) => name),
  ];
}

/** Connections of a worker, to clients and backends. */
export const CONNECTIONS = 16_384;
const STEP = 1024;

/** nginx counts every listening socket of a worker as a connection. */
function workerConnections(
  config: ConfModel,
  behind: ReadonlySet<string>,
  { ipv6 }: DataPlaneOptions,
): number {
  const bound = [...config.servers.filter(({ id }) => !behind.has(id)), ...config.streams];
  const addresses = bound.map((server) => listenAddresses(server, ipv6).length);
  const sockets = addresses.reduce((sum, count) => sum + count, unixSockets(config));
  return CONNECTIONS + Math.floor(sockets / STEP) * STEP;
}
