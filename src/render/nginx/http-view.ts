/** The views of the partials in the http block. All choices are made here; templates only repeat and omit. */
import { MOST_HELD } from "../../model/held-bodies.js";
import { DEFAULT_TIMEOUTS } from "../../model/route.js";
import type { DataPlaneOptions } from "../../model/options.js";
import { luaLogView } from "./log-view.js";
import { FIRST_TURN } from "./server-view.js";
import {
  type NginxText,
  bytes,
  cidr,
  integerText,
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
    mostHeld: bytes(MOST_HELD),
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
    trusted: trustedProxies.map(cidr),
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
