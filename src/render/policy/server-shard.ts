import type { HostPattern } from "../../model/host-pattern.js";
import { hostKey } from "../../model/host-pattern.js";
import type { Listener, Server } from "../../model/listener.js";
import { compareBy, compareStrings } from "../../support/compare.js";
import { authorityFile } from "./authority-files.js";
import { filled, present } from "../../support/fields.js";
import type { ListenerTables } from "./listener-tables.js";
import type { PolicyServer } from "./policy-document.js";

/** `listeners`: those of this server. */
export function policyServer(
  server: Server,
  listeners: readonly Listener[],
  tables: ListenerTables,
): PolicyServer {
  return {
    port: server.port,
    tls: server.tls,
    listeners: listeners
      .flatMap(({ id, hostname, keeps = [] }) => [hostname, ...keeps].map((host) => ({ id, host })))
      .sort(mostSpecificFirst)
      .map(({ id, host }) => [hostKey(host), id, ...tables.sharedBy(id)] as const),
    ...filled(
      "isolated",
      listeners.filter(({ isolated }) => isolated).map(({ id }) => id),
    ),
    ...present("clientCertificates", clientCertificates(listeners)),
  };
}

function clientCertificates(listeners: readonly Listener[]): PolicyServer["clientCertificates"] {
  const wanted = listeners.flatMap(({ id, clientCertificates: certificates }) =>
    certificates === undefined
      ? []
      : [[id, [certificates.mode, authorityFile(certificates.authorities).path]] as const],
  );
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}

/** Exact names, then wildcards by length of the suffix and with one label before any depth, then any host. */
const mostSpecificFirst = compareBy<{ readonly id: string; readonly host: HostPattern }>(
  (a, b) => rank(a.host) - rank(b.host),
  (a, b) => suffixLength(b.host) - suffixLength(a.host),
  (a, b) => Number(isDeep(a.host)) - Number(isDeep(b.host)),
  (a, b) => compareStrings(hostKey(a.host), hostKey(b.host)),
  (a, b) => compareStrings(a.id, b.id),
);

function rank(pattern: HostPattern): number {
  return { exact: 0, wildcard: 1, any: 2 }[pattern.kind];
}

function suffixLength(pattern: HostPattern): number {
  return pattern.kind === "wildcard" ? pattern.suffix.length : 0;
}

function isDeep(pattern: HostPattern): boolean {
  return pattern.kind === "wildcard" && pattern.labels === "many";
}
