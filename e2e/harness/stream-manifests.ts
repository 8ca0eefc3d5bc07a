/** Short builders for TLSRoutes, TCPRoutes and UDPRoutes, and for what they name. */
import { CONTROLLER, type Fields, GATEWAY_API } from "./gateway-manifests.js";
import type { Manifest } from "./manifests.js";

export interface WeightedBackend {
  readonly name: string;
  readonly weight?: number;
}

/** Our GatewayClass and the Gateway `edge`. */
export function gatewayWith(listeners: readonly Fields[]): readonly Manifest[] {
  return [
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "GatewayClass",
      metadata: { name: "albc" },
      spec: { controllerName: CONTROLLER },
    },
    object("Gateway", "edge", { gatewayClassName: "albc", listeners }),
  ];
}

/** A route of the Gateway's listener, or of all that take it; backends are port 80 of Services. */
export function streamRoute(
  kind: "TLSRoute" | "TCPRoute" | "UDPRoute",
  name: string,
  backends: readonly WeightedBackend[],
  {
    listener,
    hostnames,
    created,
  }: {
    readonly listener?: string;
    readonly hostnames?: readonly string[];
    readonly created?: string;
  } = {},
): Manifest {
  const route = object(kind, name, {
    parentRefs: [{ name: "edge", ...(listener !== undefined && { sectionName: listener }) }],
    ...(hostnames && { hostnames }),
    rules: [{ backendRefs: backends.map((backend) => ({ port: 80, ...backend })) }],
  });
  if (created === undefined) return route;
  return { ...route, metadata: { ...route.metadata, creationTimestamp: created } };
}

/** An HTTPRoute of the Gateway to the Service `web`. */
export function webRoute(host: string): Manifest {
  return object("HTTPRoute", "web", {
    parentRefs: [{ name: "edge" }],
    hostnames: [host],
    rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
  });
}

/** A Service with port 80 of UDP and one endpoint on this machine. */
export function datagramService(name: string, port: number): readonly Manifest[] {
  const ports = [{ name: "udp", port: 80, protocol: "UDP" }];
  return [
    { apiVersion: "v1", kind: "Service", metadata: metadata(name), spec: { ports } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata(name), labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      ports: [{ name: "udp", port, protocol: "UDP" }],
      endpoints: [{ addresses: ["127.0.0.1"] }],
    },
  ];
}

function object(kind: string, name: string, spec: Fields): Manifest {
  return { apiVersion: `${GATEWAY_API}/v1`, kind, metadata: metadata(name), spec };
}

function metadata(name: string): Manifest["metadata"] {
  return { name, namespace: "default" };
}
