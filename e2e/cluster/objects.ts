/** Objects that several tests of this folder apply. */
import type { Manifest } from "./cluster.js";

export interface Place {
  readonly name: string;
  readonly namespace: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** All paths of a host to a Service's port 80. */
export function ingressOf(metadata: Place, host: string, service: string): Manifest {
  const backend = { service: { name: service, port: { number: 80 } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata,
    spec: { rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
  };
}

/** The class of the pods of `namespace`, see pod.ts. */
export function gatewayClass(namespace: string): Manifest {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name: namespace },
    spec: { controllerName: `example.com/${namespace}` },
  };
}

/** With an HTTP listener on each port. */
export function gatewayOf(metadata: Place, ports: readonly number[]): Manifest {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata,
    spec: {
      gatewayClassName: metadata.namespace,
      listeners: ports.map((port) => ({ name: `p${String(port)}`, port, protocol: "HTTP" })),
    },
  };
}

export function httpRoute(metadata: Place, gateway: string, service: string): Manifest {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata,
    spec: {
      parentRefs: [{ name: gateway }],
      rules: [{ backendRefs: [{ name: service, port: 80 }] }],
    },
  };
}
