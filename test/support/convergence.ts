/** What the laws of convergence change, and what they expect once things are quiet. */
import type { KindName } from "../../src/api/kinds.js";
import { type Compilation, compile } from "../../src/compile.js";
import { LiveObjects } from "../../src/input/object-store.js";
import { type RawObject, keptParts } from "../../src/kubernetes/raw-object.js";
import type { CompileOptions } from "../../src/model/options.js";
import { mergeStatus } from "../../src/status/merge-status.js";

/** An object as the API server holds it, in the version that albc reads. */
export interface Held {
  readonly kind: KindName;
  readonly apiVersion: string;
  readonly object: RawObject;
}

/** A compilation of all objects from scratch. */
export function compileAfresh(held: readonly Held[], options: CompileOptions): Compilation {
  const live = new LiveObjects({ albGroup: options.domains.group });
  for (const { kind, apiVersion, object } of held) {
    const { namespace = "", name } = object.metadata;
    live.put(kind, namespace, name, keptParts(object, apiVersion, kind));
  }
  return compile(live.snapshot().resources, options);
}

/** Objects whose statuses do not say what was computed, each with the status that it has. */
export function wrongStatuses(
  held: readonly Held[],
  { statuses }: Compilation,
  { controllerName }: CompileOptions,
): readonly unknown[] {
  return statuses.flatMap((computed) => {
    const { namespace, name } = computed.metadata;
    const { status } =
      held.find(
        ({ kind, object: { metadata } }) =>
          kind === computed.kind &&
          metadata.name === name &&
          (metadata.namespace ?? "") === namespace,
      )?.object ?? {};
    const missing = mergeStatus(status, computed, { controllerName, now: "now" });
    return missing === undefined ? [] : [[computed.kind, name, status]];
  });
}

type Changing = readonly [KindName, (state: number) => RawObject];

/** Objects that refer to each other, each with some states. */
export const POOL: readonly [Changing, ...Changing[]] = [
  ["Ingress", (state) => ingress("shop", state)],
  ["HTTPRoute", (state) => route("api", state)],
  ["HTTPRoute", (state) => route("web", state)],
  ["Gateway", (state) => gateway(state)],
  ["Service", (state) => service(state)],
  ["EndpointSlice", (state) => slice(state)],
  ["Secret", (state) => secret(state)],
  ["AuthPolicy", (state) => policy(state)],
];

const AUTH = {
  "nginx.ingress.kubernetes.io/auth-type": "basic",
  "nginx.ingress.kubernetes.io/auth-secret": "users",
};

function ingress(name: string, state: number): RawObject {
  const path = { path: `/${String(state % 3)}`, pathType: "Prefix", backend: backend() };
  return {
    metadata: { name, namespace: "n", ...(state % 2 === 1 && { annotations: AUTH }) },
    spec: { rules: [{ host: `${name}.example`, http: { paths: [path] } }] },
  };
}

function backend() {
  return { service: { name: "web", port: { number: 80 } } };
}

function route(name: string, state: number): RawObject {
  return {
    metadata: { name, namespace: "n", annotations: { touched: String(state % 2) } },
    spec: {
      parentRefs: [{ name: state % 4 === 3 ? "none" : "edge" }],
      hostnames: [`${name}${String(state % 3)}.example`],
      rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
    },
  };
}

function gateway(state: number): RawObject {
  const listeners = [{ name: "a", protocol: "HTTP", port: 8080 + (state % 2) }];
  return {
    metadata: { name: "edge", namespace: "n" },
    spec: { gatewayClassName: "c", listeners },
  };
}

function service(state: number): RawObject {
  const ports = [{ name: state % 2 === 0 ? "http" : "web", port: 80, targetPort: 80 }];
  return { metadata: { name: "web", namespace: "n" }, spec: { ports } };
}

function slice(state: number): RawObject {
  const labels = { "kubernetes.io/service-name": "web" };
  return {
    metadata: { name: "web-1", namespace: "n", labels },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8000 }],
    endpoints: [{ addresses: [`10.0.0.${String((state % 4) + 1)}`] }],
  };
}

function secret(state: number): RawObject {
  const hash = `x:$apr1$abcdefgh$${"./0".repeat(6)}${String(state % 3)}abc`;
  const data = { auth: Buffer.from(hash).toString("base64") };
  return { metadata: { name: "users", namespace: "n" }, type: "Opaque", data };
}

function policy(state: number): RawObject {
  const target = { group: "gateway.networking.k8s.io", kind: "HTTPRoute" };
  const targetRefs = [{ ...target, name: state % 2 === 0 ? "api" : "web" }];
  return {
    metadata: { name: "login", namespace: "n" },
    spec: { basic: { secret: state % 3 === 2 ? "n/none" : "n/users" }, targetRefs },
  };
}
