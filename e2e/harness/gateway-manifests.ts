/** Short builders for Gateway API's objects that tests write. */
import { ALB_GROUP, type Manifest } from "./manifests.js";

export const GATEWAY_API = "gateway.networking.k8s.io";
export const CONTROLLER = "alb.cpaas.io/gateway-controller";
/** Namespace of the Gateway, which routes of every namespace may be attached to. */
export const GATEWAY_NAMESPACE = "infra";

export type Fields = Readonly<Record<string, unknown>>;

/** Our GatewayClass, and a Gateway `edge` with one HTTP listener for each port, by name. */
export function gatewayOn(ports: Readonly<Record<string, number>>): Manifest[] {
  const allowedRoutes = { namespaces: { from: "All" } };
  return [
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "GatewayClass",
      metadata: { name: "albc" },
      spec: { controllerName: CONTROLLER },
    },
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "Gateway",
      metadata: { name: "edge", namespace: GATEWAY_NAMESPACE },
      spec: {
        gatewayClassName: "albc",
        listeners: Object.entries(ports).map(([name, port]) => ({
          name,
          port,
          protocol: "HTTP",
          allowedRoutes,
        })),
      },
    },
  ];
}

export interface RouteRule {
  readonly name?: string;
  /** Default `/`. */
  readonly path?: string;
  /** Absent: a filter answers. */
  readonly service?: string;
  readonly filters?: readonly Fields[];
}

/** An HTTPRoute of the Gateway `edge`; its backends are port 80 of Services. */
export function httpRoute(
  name: string,
  hosts: readonly string[],
  rules: readonly RouteRule[],
): Manifest {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "HTTPRoute",
    metadata: { name, namespace: "default" },
    spec: {
      parentRefs: [{ name: "edge", namespace: GATEWAY_NAMESPACE }],
      hostnames: hosts,
      rules: rules.map(({ name: rule, path = "/", service, filters = [] }) => ({
        ...(rule !== undefined && { name: rule }),
        matches: [{ path: { type: "PathPrefix", value: path } }],
        filters,
        ...(service !== undefined && { backendRefs: [{ name: service, port: 80 }] }),
      })),
    },
  };
}

/** A route of the Gateway `edge` for the host `<name>.example`, with its rules as they stand in `spec`. */
export function routeOf(
  kind: "HTTPRoute" | "GRPCRoute",
  name: string,
  rules: readonly Fields[],
): Manifest {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind,
    metadata: { name, namespace: "default" },
    spec: {
      parentRefs: [{ name: "edge", namespace: GATEWAY_NAMESPACE }],
      hostnames: [`${name}.example`],
      rules,
    },
  };
}

/** What an AuthPolicy is for: `<kind>/<name>` or `<kind>/<name>#<section>` of its namespace. */
export function authPolicy(
  name: string,
  auth: Fields,
  targets: readonly string[] = [],
  namespace = "default",
): Manifest {
  const targetRefs = targets.map((target) => {
    const [object = "", sectionName] = target.split("#");
    const [kind, referent] = object.split("/");
    const section = sectionName === undefined ? {} : { sectionName };
    return { group: GATEWAY_API, kind, name: referent, ...section };
  });
  return {
    apiVersion: `${ALB_GROUP}/v1alpha1`,
    kind: "AuthPolicy",
    metadata: { name, namespace },
    spec: { ...auth, ...(targetRefs.length > 0 && { targetRefs }) },
  };
}

/** A filter that names an AuthPolicy of the route's namespace. */
export function authFilter(name: string): Fields {
  const extensionRef = { group: ALB_GROUP, kind: "AuthPolicy", name };
  return { type: "ExtensionRef", extensionRef };
}
