/** Backends of the test process behind EndpointSlices, which may not name loopback addresses. */
import { execFileSync } from "node:child_process";
import { EchoBackend } from "../harness/echo-backend.js";
import type { Manifest } from "./cluster.js";

const PORT = 8080;
let given = 0;

/** Listens on an address of its own, port 8080. */
export async function localBackend(name: string): Promise<EchoBackend> {
  return EchoBackend.start(name, { address: localAddress(), port: PORT });
}

/** A new address of 10.246.0.0/16, which is this machine, as far as its network namespace knows. Several files of tests run at once. */
export function localAddress(): string {
  execFileSync("ip", ["route", "replace", "local", "10.246.0.0/16", "dev", "lo"]);
  given += 1;
  const third = (process.pid % 64) * 4 + Math.floor(given / 250);
  return `10.246.${String(third)}.${String((given % 250) + 1)}`;
}

/** A Service without a selector; `endpointSlice` says where it is. */
export function serviceOf(metadata: {
  readonly name: string;
  readonly namespace: string;
}): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { ports: [{ name: "http", port: 80 }] },
  };
}

/** The ready endpoints of a Service. */
export function endpointSlice(
  service: { readonly name: string; readonly namespace: string },
  addresses: readonly string[],
): Manifest {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...service, labels: { "kubernetes.io/service-name": service.name } },
    addressType: "IPv4",
    ports: [{ name: "http", port: PORT, protocol: "TCP" }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}
