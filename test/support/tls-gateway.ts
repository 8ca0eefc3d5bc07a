/** The data plane with a TLS port, whose listeners a test chooses. */
import type { HostPattern } from "../../src/model/values.js";
import type { KeyPair } from "../../e2e/harness/certificates.js";
import type { DataPlaneConfig } from "../../src/model/config.js";
import type { Listener } from "../../src/model/listener.js";
import { SecretText } from "../../src/support/secret-text.js";
import { onePlace } from "../../src/model/route.js";

/** `""` is any host, `*.example` any depth below it. */
export function hostPattern(text: string): HostPattern {
  if (text === "") return { kind: "any" };
  return text.startsWith("*.")
    ? { kind: "wildcard", suffix: text.slice(2), labels: "many" }
    : { kind: "exact", host: text };
}

/** An isolated listener of the server `test`; its id is its hostname, `any` for none. */
export function tlsListener(hostname: string, over: Partial<Listener> = {}): Listener {
  return {
    id: hostname || "any",
    server: "test",
    hostname: hostPattern(hostname),
    isolated: true,
    ...over,
  };
}

/**
 * The model's server with TLS, one certificate for all names, and these listeners. `routed` are the ids of listeners in which
 * every path is served by the route of that name.
 */
export function withTls(
  pair: KeyPair,
  listeners: readonly Listener[],
  routed: readonly string[],
): (model: DataPlaneConfig) => DataPlaneConfig {
  return (model) => ({
    ...model,
    servers: model.servers.map((server) => ({ ...server, tls: true })),
    listeners,
    bindings: routed.map((id) => ({
      at: onePlace(id, { kind: "any" }),
      path: undefined,
      when: [],
      order: "0",
      route: id,
    })),
    serverCertificates: [{ server: "test", host: { kind: "any" }, certificate: "pair" }],
    certificates: [{ id: "pair", chain: pair.certificate, key: new SecretText(pair.key) }],
  });
}
