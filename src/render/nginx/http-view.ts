/** What the partials of the http block print: every choice is made here, templates only repeat and leave out. */
import type { RoutingModel } from "../../model/config.js";
import type { Retry, Route } from "../../model/route.js";
import { DEFAULT_TIMEOUTS } from "../../model/route.js";
import type { BackendProtocol, BackendTls } from "../../model/upstream.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { compareStrings } from "../../support/collections.js";
import { authorityFile } from "../policy/named-files.js";
import { CLAIMS, variableName } from "./headers-view.js";
import type { NginxText } from "./text.js";
import {
  bytes,
  cidr,
  identifier,
  integerText,
  locationName,
  milliseconds,
  quoted,
  variable,
  word,
} from "./text.js";

const MIB = 1024 * 1024;
const SMALLEST_POLICY_MEMORY = 64 * MIB;

/** Bytes of the shared memory for a policy.json of so many bytes: old and new policy and a worker's allocation losses must fit. */
export function policyMemory(policySize: number): number {
  let memory = SMALLEST_POLICY_MEMORY;
  while (memory < 4 * policySize) memory *= 2;
  return memory;
}

/** Takes the bytes of shared memory for the policy. */
export function luaView(memory: number): object {
  return { policyMemory: bytes(memory) };
}

/** How many requests clients may have at once, and where their address comes from. */
export function clientView(options: DataPlaneOptions): object {
  const { proxyProtocol, trustedProxies, http2Streams, clientRequests } = options;
  // Whoever can reach a port that expects the PROXY protocol speaks it; without a list that is all we are told.
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
 * Which peers' X-Forwarded-* are believed. The HTTP peer is the other end of the connection, but with the PROXY
 * protocol the address that it tells: what speaks that protocol passes bytes on and writes no headers. `behind`: some servers get
 * their connections from a stream, where nginx knows no port of theirs.
 */
export function variablesView(options: DataPlaneOptions, behind: boolean): object {
  const { proxyProtocol, trustedProxies, accessLog } = options;
  const portless = behind && !proxyProtocol && trustedProxies.length > 0;
  const port = portless ? "albc_port" : "server_port";
  return {
    peer: variable(proxyProtocol ? "remote_addr" : "realip_remote_addr"),
    port: variable(proxyProtocol ? "proxy_protocol_server_port" : port),
    portless,
    logs: accessLog !== "off",
    trusted: trustedProxies.length > 0 && trustedProxies.map(cidr),
    claims: CLAIMS.map((name) => word(variableName(name))),
  };
}

/** `off`, `stdout` or a file below the run folder. */
export function logView(options: DataPlaneOptions): object {
  switch (options.accessLog) {
    case "off":
      return { on: false };
    case "stdout":
      // A pipe takes 4 KiB at once: longer writes of several workers would be mixed.
      return { on: true, path: word("/dev/stdout"), buffer: bytes(4096) };
    default:
      return { on: true, path: quoted(options.accessLog), buffer: bytes(65_536) };
  }
}

/** Timeouts towards backends. */
export function forwardView(): object {
  const { connect, send, read } = DEFAULT_TIMEOUTS;
  return {
    connectTimeout: milliseconds(connect),
    sendTimeout: milliseconds(send),
    readTimeout: milliseconds(read),
  };
}

/**
 * What templates/partials/try.conf.hbs prints: the locations of routes with deadlines or retries. nginx wants the statuses that
 * are tried again in the configuration, so each set of them that a route uses is a location. Each costs nginx some 14 KB in every
 * server, so a new set is a reload.
 */

type Codes = NonNullable<Retry["codes"]>;

/** By protocol; the names are the ones of lua/alb/upstream/location.lua. */
const FAMILIES: Readonly<Record<BackendProtocol, string>> = {
  http: "try",
  https: "try",
  grpc: "grpc_try",
  grpcs: "grpc_try",
  h2c: "h2c_try",
};

export function tryViews(config: RoutingModel): readonly object[] {
  const used = config.routes.filter(hasTries).flatMap(locationsOf);
  // Deadlines are common, and need this one alone.
  const named = new Map([PLAIN, ...used].map((entry) => [nameOf(entry), entry]));
  return [...named]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([name, { family, codes }]) => ({
      name: locationName(name),
      codes: codes.map(integerText),
      module: word(family === "try" ? "proxy" : "grpc"),
      stream: family === "grpc_try",
    }));
}

interface TryLocation {
  readonly family: string;
  readonly codes: Codes;
}

const PLAIN: TryLocation = { family: FAMILIES.http, codes: [] };

function hasTries({ retry, deadlines }: Route): boolean {
  return retry !== undefined || Object.keys(deadlines ?? {}).length > 0;
}

function locationsOf({ retry, backends = [] }: Route): readonly TryLocation[] {
  const { codes = [], attempts = 0 } = retry ?? {};
  const used = attempts > 0 ? codes : [];
  return backends.map(({ protocol }) => ({ family: FAMILIES[protocol], codes: used }));
}

function nameOf({ family, codes }: TryLocation): string {
  return [family, ...codes].join("_");
}

/**
 * What templates/partials/backend-tls.conf.hbs prints: a hop inside nginx for backends whose certificate is checked. Authorities and
 * client certificates are directives that can't depend on a request, so each BackendTls has locations and pools of its own.
 */

/** The machine's own, which whoever starts nginx puts there (src/output/environment.ts). */
const SYSTEM_AUTHORITIES = "environment/ca.pem";

/** `certificates`: paths of the certificate files by id. False: there is none, and no hop. */
export function backendTlsView(
  config: RoutingModel,
  certificates: ReadonlyMap<string, string>,
): object | false {
  if (config.backendTls.length === 0) return false;
  return {
    pools: config.backendTls.map(({ id }) => ({ id: identifier(id) })),
    profiles: config.backendTls.map((tls) => profileView(tls, certificates)),
  };
}

function profileView(tls: BackendTls, certificates: ReadonlyMap<string, string>): object {
  return {
    id: identifier(tls.id),
    named: tls.hostname !== undefined,
    verified: tls.authorities.kind !== "none",
    inLua: tls.inLua === true,
    authorities: word(authoritiesPath(tls)),
    certificate: certificatePath(tls, certificates) ?? false,
  };
}

/** Where nothing is verified, the file is not read. */
export function authoritiesPath({ authorities }: BackendTls): string {
  return authorities.kind === "pem" ? authorityFile(authorities.pem).path : SYSTEM_AUTHORITIES;
}

function certificatePath(
  { id, clientCertificate }: BackendTls,
  certificates: ReadonlyMap<string, string>,
): NginxText | undefined {
  if (clientCertificate === undefined) return undefined;
  const path = certificates.get(clientCertificate);
  // Without it backends would be asked by nobody in particular.
  if (path === undefined) throw new Error(`no certificate ${clientCertificate} for ${id}`);
  return word(path);
}
