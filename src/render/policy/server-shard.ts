import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { Listener, Server } from "../../ir/listener.js";
import { compareBy, compareStrings } from "../../support/compare.js";
import type { PolicyServer } from "./policy-document.js";

/** `listeners`: those of this server. */
export function policyServer(server: Server, listeners: readonly Listener[]): PolicyServer {
  return {
    port: server.port,
    tls: server.tls,
    listeners: [...listeners]
      .sort(mostSpecificFirst)
      .map((listener) => [hostKey(listener.hostname), listener.id] as const),
  };
}

/** Exact names, then wildcards by length of the suffix and with one label before any depth, then any host. */
const mostSpecificFirst = compareBy<Listener>(
  (a, b) => rank(a.hostname) - rank(b.hostname),
  (a, b) => suffixLength(b.hostname) - suffixLength(a.hostname),
  (a, b) => compareStrings(hostKey(a.hostname), hostKey(b.hostname)),
  (a, b) => compareStrings(a.id, b.id),
);

function rank(pattern: HostPattern): number {
  return { exact: 0, wildcard: 1, any: 2 }[pattern.kind];
}

function suffixLength(pattern: HostPattern): number {
  return pattern.kind === "wildcard" ? pattern.suffix.length : 0;
}
