/** The views of the partials in the http block. All choices are made here; templates only repeat and omit. */
import { type Retry, DEFAULT_TIMEOUTS } from "../../model/route.js";
import type { BackendProtocol, BackendTls } from "../../model/upstream.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { compareStrings } from "../../support/collections.js";
import { authorityFile } from "../policy/named-files.js";
import type { CertificatePaths, ConfModel, ConfRoute } from "./conf-model.js";
import { luaLogView } from "./log-view.js";
import { FIRST_TURN, type LocationView } from "./server-view.js";
import {
  type NginxText,
  bytes,
  cidr,
  identifier,
  integerText,
  locationName,
  luaNames,
  milliseconds,
  quoted,
  variable,
  word,
} from "./text.js";

const MIB = 1024 * 1024;
const SMALLEST_POLICY_MEMORY = 64 * MIB;

/** Bytes of shared memory for a policy.json of this size: the old and the new policy must fit, and what the allocator wastes. */
export function policyMemory(policySize: number): number {
  let memory = SMALLEST_POLICY_MEMORY;
  while (memory < 4 * policySize) memory *= 2;
  return memory;
}

/** Bytes of shared memory that say whose a row of counters is: two entries with names of up to 300 characters. */
const MEMORY_OF_ROW = 1024;

/** Takes the bytes of shared memory for the policy, and the locations that Lua must know of. */
export function luaView(
  memory: number,
  options: DataPlaneOptions,
  locations: readonly NginxText[],
): object {
  const { routeMetrics } = options;
  return {
    policyMemory: bytes(memory),
    locations: luaNames(locations),
    log: luaLogView(options),
    trace: luaTraceView(options.trace),
    rows: integerText(routeMetrics),
    rowMemory: routeMetrics > 0 && bytes(MIB + routeMetrics * MEMORY_OF_ROW),
  };
}

/** As lua/alb/trace.lua reads it; false without tracing. */
function luaTraceView({ mode, rate, clients }: DataPlaneOptions["trace"]): NginxText | false {
  return mode !== "off" && quoted([rate, clients, ...(mode === "spans" ? [mode] : [])].join(" "));
}

/** How many concurrent requests a client may have, and where its address comes from. */
export function clientView(options: DataPlaneOptions): object {
  const { proxyProtocol, trustedProxies, http2Streams, clientRequests } = options;
  // Without a list, every peer that speaks the PROXY protocol is trusted.
  const peers =
    proxyProtocol && trustedProxies.length === 0 ? ["0.0.0.0/0", "::/0"] : trustedProxies;
  return {
    streams: integerText(http2Streams),
    counted: clientRequests > 0,
    realIp: peers.length > 0,
    trusted: peers.map(cidr),
    realIpHeader: word(proxyProtocol ? "proxy_protocol" : "X-Forwarded-For"),
  };
}

/**
 * Which peers are trusted with X-Forwarded-*. The peer is the other end of the connection; with the PROXY protocol it is the address
 * that the protocol tells, because a proxy that speaks it writes no headers. `behind`: some servers get their connections from a stream,
 * so nginx does not know their port.
 */
export function variablesView(options: DataPlaneOptions, behind: boolean): object {
  const { proxyProtocol, trustedProxies } = options;
  const portless = behind && !proxyProtocol;
  const port = portless ? "albc_port" : "server_port";
  return {
    peer: variable(proxyProtocol ? "remote_addr" : "realip_remote_addr"),
    port: variable(proxyProtocol ? "proxy_protocol_server_port" : port),
    portless,
    firstTurn: FIRST_TURN,
    trusted: trustedProxies.length > 0 && trustedProxies.map(cidr),
  };
}

/** Default timeouts of requests to backends. */
export function forwardView(): object {
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  return {
    connectTimeout: milliseconds(connect),
    sendTimeout: milliseconds(send),
    readTimeout: milliseconds(read),
  };
}

/** A location for requests to backends; named by lua/alb/upstream/location.lua. */
interface Location {
  readonly family: "http" | "stream" | "h2c" | "try" | "grpc_try" | "h2c_try";
  /** Statuses to retry. */
  readonly codes: NonNullable<Retry["codes"]>;
  /** Statuses that pages replace. */
  readonly pages: readonly number[];
}

/** Of routes with deadlines or retries. */
const TRY_FAMILIES: Readonly<Record<BackendProtocol, Location["family"]>> = {
  http: "try",
  https: "try",
  grpc: "grpc_try",
  grpcs: "grpc_try",
  h2c: "h2c_try",
};

/**
 * The view of templates/partials/try.conf.hbs: the locations of routes with deadlines or retries. The statuses to retry are an nginx
 * directive, so each set in use has a location, which costs some 14 KB in every server. A new set needs a reload. The same holds for the
 * statuses that pages replace.
 */
export function tryViews(
  { routes }: Pick<ConfModel, "routes">,
  gatewayPages?: readonly number[],
): readonly LocationView[] {
  const used = routes.filter(hasTries).flatMap((route) => {
    const { codes = [], attempts = 0 } = route.retry ?? {};
    const tried = attempts > 0 ? codes : [];
    return (route.backends ?? []).flatMap(({ protocol }): readonly Location[] => {
      const plain = { family: TRY_FAMILIES[protocol], codes: tried, pages: [] };
      const pages = pagesOf(route, gatewayPages);
      return pages.length === 0 || plain.family === "grpc_try"
        ? [plain]
        : // Upgrades and gRPC are for the plain one.
          [plain, { ...plain, pages }];
    });
  });
  // Always there, so the first route with a deadline needs no reload.
  return distinct([{ family: "try", codes: [], pages: [] }, ...used]);
}

/** The view of templates/partials/page.conf.hbs: the locations of other routes with error pages. */
export function pageViews(
  { routes }: Pick<ConfModel, "routes">,
  gatewayPages: readonly number[] = [],
): readonly LocationView[] {
  const used = routes.flatMap((route) => {
    const pages = pagesOf(route, gatewayPages);
    const isH2c = (route.backends ?? []).some(({ protocol }) => protocol === "h2c");
    const families = ["http", "stream", ...(isH2c ? (["h2c"] as const) : [])] as const;
    return hasTries(route) ? [] : families.map((family) => ({ family, codes: [], pages }));
  });
  const ofGateway = (["http", "stream"] as const).map((family) => ({
    ...{ family, codes: [], pages: gatewayPages },
  }));
  return distinct([...used, ...ofGateway].filter(({ pages }) => pages.length > 0));
}

/** Whether any answer may be replaced. */
export function hasPages(
  { routes }: Pick<ConfModel, "routes">,
  gatewayPages?: readonly number[],
): boolean {
  return gatewayPages !== undefined || routes.some(({ errorPages }) => errorPages !== undefined);
}

function pagesOf(
  { errorPages }: ConfRoute,
  gatewayPages: readonly number[] = [],
): readonly number[] {
  return errorPages?.statuses ?? gatewayPages;
}

function hasTries({ retry, deadlines }: ConfRoute): boolean {
  return retry !== undefined || Object.keys(deadlines ?? {}).length > 0;
}

function distinct(locations: readonly Location[]): readonly LocationView[] {
  return [...new Map(locations.map((entry) => [nameOf(entry), entry]))]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([name, { family, codes, pages }]) => ({
      name: locationName(name),
      codes: codes.map(integerText),
      module: word(PROXIED.has(family) ? "proxy" : "grpc"),
      grpc: family === "grpc_try",
      buffered: family === "http",
      pages: pages.length > 0 && answeredByPages(pages).map(integerText),
    }));
}

const PROXIED: ReadonlySet<Location["family"]> = new Set(["http", "stream", "try"]);

/** In a location with pages, each error of the gateway leaves nginx as 502; Lua knows the status that it is (lua/alb/upstream/peer.lua). */
function answeredByPages(pages: readonly number[]): readonly number[] {
  return [...new Set([...pages, 502])].sort((a, b) => a - b);
}

function nameOf({ family, codes, pages }: Location): string {
  return [family, ...codes, ...(pages.length === 0 ? [] : ["page", ...ranges(pages)])].join("_");
}

/** `404`, `500to599`: nginx's names are as short as those of lua/alb/error_pages.lua. */
function ranges(statuses: readonly number[]): readonly string[] {
  const starts = statuses.filter((status, i) => status !== (statuses[i - 1] ?? 0) + 1);
  return starts.map((start, i) => {
    const next = starts[i + 1];
    const end = statuses[(next === undefined ? statuses.length : statuses.indexOf(next)) - 1];
    return end === start ? String(start) : `${String(start)}to${String(end)}`;
  });
}

/** The machine's authorities; src/output/environment.ts writes the file before nginx starts. */
const SYSTEM_AUTHORITIES = "environment/ca.pem";

/**
 * The view of templates/partials/backend-tls.conf.hbs: a hop inside nginx for backends whose certificate is checked. Authorities and
 * client certificates are directives that can't depend on a request, so each BackendTls has its own locations and pools.
 * `certificates`: paths of the certificate files by id. False: no hop is needed.
 */
export function backendTlsView(
  config: Pick<ConfModel, "backendTls">,
  certificates: CertificatePaths,
): object | false {
  if (config.backendTls.length === 0) return false;
  return {
    pools: config.backendTls.map(({ id }) => ({ id: identifier(id) })),
    profiles: config.backendTls.map((tls) => profileView(tls, certificates)),
  };
}

function profileView(tls: BackendTls, certificates: CertificatePaths): object {
  return {
    id: identifier(tls.id),
    named: tls.hostname !== undefined,
    verified: tls.authorities.kind !== "none",
    inLua: tls.inLua === true,
    authorities: word(authoritiesPath(tls)),
    certificate: certificatePath(tls, certificates) ?? false,
  };
}

/** If nothing is verified, nginx does not use the file. */
export function authoritiesPath({ authorities }: BackendTls): string {
  return authorities.kind === "pem" ? authorityFile(authorities.pem).path : SYSTEM_AUTHORITIES;
}

function certificatePath(
  { id, clientCertificate }: BackendTls,
  certificates: CertificatePaths,
): NginxText | undefined {
  if (clientCertificate === undefined) return undefined;
  const path = certificates.get(clientCertificate);
  // Without it requests would reach the backend unauthenticated.
  if (path === undefined) throw new Error(`no certificate ${clientCertificate} for ${id}`);
  return word(path);
}
