/** A namespace full of HTTPRoutes, each with a Service and an EndpointSlice, as the API server gets them from users and controllers. */
import type { Manifest } from "../../cluster/cluster.js";
import {
  CONTROLLER,
  GATEWAY_API,
  authFilter,
  authPolicy,
} from "../../harness/gateway-manifests.js";
import { secret } from "../../harness/manifests.js";

export const ENDPOINTS = 5;
/** Answered by nginx itself. */
export const ASKED_HOST = "asked.example";

/** Flags that limit albc to the objects of its own shard. */
export const SHARD_FLAGS = ["--selector", "shard=own", "--backend-selector", "shard=own"];
const OWN = { shard: "own" };
const OTHERS = { shard: "other" };

const GATEWAY = "edge";
const USERS = "users";

export class Site {
  readonly namespace: string;
  readonly #port: number;
  readonly #routes: number;

  /** `port`: where its Gateway listens. Applications from number `routes` on have the labels of another shard. */
  constructor(namespace: string, port: number, routes: number) {
    this.namespace = namespace;
    this.#port = port;
    this.#routes = routes;
  }

  /** HTTPRoutes among what there is once. */
  readonly sharedRoutes = 2;

  /** What there is once. */
  shared(htpasswd: string): readonly Manifest[] {
    const redirect = { type: "RequestRedirect", requestRedirect: { statusCode: 302 } };
    return [
      {
        apiVersion: `${GATEWAY_API}/v1`,
        kind: "Gateway",
        metadata: { ...this.#named(GATEWAY), labels: OWN },
        spec: {
          gatewayClassName: CLASS.metadata.name,
          infrastructure: { labels: OWN },
          listeners: [{ name: "http", port: this.#port, protocol: "HTTP" }],
        },
      },
      this.users(htpasswd),
      authPolicy(
        USERS,
        { basic: { secret: `${this.namespace}/${USERS}`, secret_type: "auth-file" } },
        [],
        this.namespace,
      ),
      this.#route("closed", ["closed.example"], {
        filters: [authFilter(USERS)],
        backendRefs: [{ name: appName(0), port: 80 }],
      }),
      this.#route("asked", [ASKED_HOST], { filters: [redirect] }),
    ];
  }

  /** What each application has. */
  application(index: number): readonly Manifest[] {
    return [this.#service(index), this.endpointSlice(index, 0), this.route(index, [])];
  }

  /** Another `version`: other addresses. */
  endpointSlice(index: number, version: number): Manifest {
    const name = appName(index);
    return {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        ...this.#named(sliceName(index)),
        labels: {
          ...this.#labels(index),
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
          "kubernetes.io/service-name": name,
        },
      },
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      endpoints: Array.from({ length: ENDPOINTS }, (_, position) => ({
        addresses: [
          `10.${Math.floor(index / 256)}.${index % 256}.${(version * ENDPOINTS + position) % 256}`,
        ],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: `node-${position}`,
        zone: `zone-${position % 3}`,
        targetRef: {
          kind: "Pod",
          name: `${name}-7d9f8b5c4-${version}-${position}`,
          namespace: this.namespace,
          uid: `00000000-0000-4000-8000-${String(index * ENDPOINTS + position).padStart(12, "0")}`,
        },
      })),
    };
  }

  /** For the application's own host and `more` ones. */
  route(index: number, more: readonly string[]): Manifest {
    const name = appName(index);
    const rule = { backendRefs: [{ name, port: 80 }] };
    const route = this.#route(name, [`${name}.example`, ...more], rule);
    return { ...route, metadata: { ...route.metadata, labels: this.#labels(index) } };
  }

  users(htpasswd: string): Manifest {
    return secret(USERS, { auth: htpasswd }, this.namespace);
  }

  #service(index: number): Manifest {
    const name = appName(index);
    return {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...this.#named(name), labels: this.#labels(index) },
      // Without a selector, which would make the test cluster's own controller write the EndpointSlice; and without an address,
      // because the API server takes most of a second to find one among thousands.
      spec: {
        clusterIP: "None",
        ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
      },
    };
  }

  #labels(index: number): Readonly<Record<string, string>> {
    return { app: appName(index), ...(index < this.#routes ? OWN : OTHERS) };
  }

  #route(name: string, hostnames: readonly string[], rule: object): Manifest {
    const matches = [{ path: { type: "PathPrefix", value: "/" } }];
    return {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "HTTPRoute",
      metadata: { ...this.#named(name), labels: OWN },
      spec: { parentRefs: [{ name: GATEWAY }], hostnames, rules: [{ matches, ...rule }] },
    };
  }

  #named(name: string) {
    return { name, namespace: this.namespace };
  }
}

export const CLASS = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: "GatewayClass",
  metadata: { name: "albc" },
  spec: { controllerName: CONTROLLER },
} as const satisfies Manifest;

function appName(index: number): string {
  return `app-${index}`;
}

/** As Kubernetes' own controller calls it. */
function sliceName(index: number): string {
  return `${appName(index)}-x7k2p`;
}
