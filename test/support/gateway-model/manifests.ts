/** A world as the objects of a cluster. */
import { type Manifest, namespace, service } from "../../../e2e/harness/manifests.js";
import { CONTROLLER, GATEWAY_API } from "../../../e2e/harness/gateway-manifests.js";
import type { Ports } from "./evaluate.js";
import type {
  Backend,
  Filters,
  HttpRoute,
  Listener,
  Match,
  PathModifier,
  Rule,
  World,
} from "./world.js";

type Fields = Readonly<Record<string, unknown>>;

/** `backends`: ports of those that answer, by name. */
export function manifests(
  { listeners, routes }: World,
  ports: Ports,
  backends: Readonly<Record<string, number>>,
): readonly Manifest[] {
  const live = Object.entries(backends);
  return [
    ...["infra", "apps", "elsewhere"].map((name) => namespace(name)),
    ...["infra", "apps"].flatMap((space) => [
      ...live.flatMap(([name, port]) => service(name, [{ port }], space)),
      ...service("empty", [], space),
    ]),
    ...live.flatMap(([, port]) => service("foreign", [{ port }], "elsewhere")).slice(0, 2),
    object("GatewayClass", { name: "albc" }, { controllerName: CONTROLLER }),
    object(
      "Gateway",
      { name: "edge", namespace: "infra" },
      { gatewayClassName: "albc", listeners: listeners.map((each) => listener(each, ports)) },
    ),
    ...routes.map((route) => httpRoute(route, ports)),
  ];
}

function object(kind: string, metadata: Manifest["metadata"], spec: Fields): Manifest {
  return { apiVersion: `${GATEWAY_API}/v1`, kind, metadata, spec };
}

function listener({ name, port, hostname, from }: Listener, ports: Ports): Fields {
  return {
    ...{ name, protocol: "HTTP", port: ports[port] },
    ...(hostname !== undefined && { hostname }),
    allowedRoutes: { namespaces: { from } },
  };
}

function httpRoute(
  { name, namespace: space, created, ...route }: HttpRoute,
  ports: Ports,
): Manifest {
  const parentRefs = route.parents.map(({ sectionName, port }) => ({
    ...{ name: "edge", namespace: "infra" },
    ...(sectionName !== undefined && { sectionName }),
    ...(port !== undefined && { port: ports[port] }),
  }));
  return object(
    "HTTPRoute",
    { name, namespace: space, creationTimestamp: created },
    { parentRefs, hostnames: route.hostnames, rules: route.rules.map(rule) },
  );
}

function rule({ matches, filters, backends }: Rule): Fields {
  return {
    ...(matches.length > 0 && { matches: matches.map(match) }),
    filters: filterList(filters),
    backendRefs: backends.map(backendRef),
  };
}

function match({ path, method, headers, query }: Match): Fields {
  return {
    ...(path && { path }),
    ...(method !== undefined && { method }),
    headers,
    queryParams: query,
  };
}

function backendRef({ name, weight, filters }: Backend): Fields {
  return {
    ...{ name, port: 80, filters: filterList(filters) },
    ...(name === "foreign" && { namespace: "elsewhere" }),
    ...(weight !== undefined && { weight }),
  };
}

function filterList(filters: Filters): readonly Fields[] {
  const { requestHeaders, responseHeaders, redirect, rewrite, unknown } = filters;
  return [
    ...(requestHeaders
      ? [{ type: "RequestHeaderModifier", requestHeaderModifier: requestHeaders }]
      : []),
    ...(responseHeaders
      ? [{ type: "ResponseHeaderModifier", responseHeaderModifier: responseHeaders }]
      : []),
    ...(redirect
      ? [{ type: "RequestRedirect", requestRedirect: { ...redirect, ...pathField(redirect.path) } }]
      : []),
    ...(rewrite
      ? [{ type: "URLRewrite", urlRewrite: { ...rewrite, ...pathField(rewrite.path) } }]
      : []),
    ...(unknown ? [{ type: "Sparkle" }] : []),
  ];
}

function pathField(path: PathModifier | undefined): Fields {
  if (path === undefined) return {};
  const field = path.type === "ReplaceFullPath" ? "replaceFullPath" : "replacePrefixMatch";
  return { path: { type: path.type, [field]: path.value } };
}
