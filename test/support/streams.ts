/** Listeners whose connections are passed on, and routes of them. */
import type { KubernetesObject } from "../../src/api/wire.js";
import type { HostPattern } from "../../src/model/values.js";
import type { StreamListener } from "../../src/translate/gateway/streams/stream-places.js";

export function exact(host: string): HostPattern {
  return { kind: "exact", host };
}

export function wildcard(suffix: string): HostPattern {
  return { kind: "wildcard", suffix, labels: "many" };
}

export function streamListener(
  id: string,
  hostname: HostPattern,
  certificates: StreamListener["certificates"] = [],
): StreamListener {
  const stream = certificates.length === 0 ? "passthrough" : "terminate";
  return { id, server: `p-${id}`, addresses: [], port: 443, stream, hostname, certificates };
}

export function route(name: string): KubernetesObject {
  const apiVersion = "gateway.networking.k8s.io/v1";
  return { apiVersion, kind: "TLSRoute", metadata: { namespace: "default", name } };
}
