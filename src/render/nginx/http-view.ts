/** What the partials of the http block print: every choice is made here, templates only repeat and leave out. */
import type { DataPlaneOptions } from "../../options.js";
import { DEFAULT_TIMEOUTS } from "../../model/route.js";
import { CLAIMS, variableName } from "./headers-view.js";
import { bytes, cidr, integer, milliseconds, quoted, variable, word } from "./text.js";

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
    streams: integer(http2Streams),
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
