/** What routes do together: whom they count for, and whose statuses name their Gateways. */
import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { service, translated } from "../../../../support/translated.js";

const API = "apiVersion: gateway.networking.k8s.io/v1";

function gateway(name: string, more = ""): string {
  return `
---
${API}
kind: Gateway
metadata: { name: ${name}, namespace: apps }
spec: { gatewayClassName: albc, ${more}listeners: [{ name: http, port: 80, protocol: HTTP, hostname: ${name}.example }] }
`;
}

const BASE = `
${API}
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: ${DEFAULT_OPTIONS.controllerName} }
${gateway("a")}${gateway("b")}${gateway("everyone", "defaultScope: All, ")}${service("web", "apps")}`;

function policy(target = ""): string {
  return `
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login, namespace: apps }
spec: { ${target}forward: { url: "https://auth.example/" } }
`;
}

const NAMES_LOGIN =
  "filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }], ";

function route(name: string, parents: string, rule = ""): string {
  return `
---
${API}
kind: HTTPRoute
metadata: { name: ${name}, namespace: apps }
spec: { ${parents}, rules: [{ ${rule}backendRefs: [{ name: web, port: 80 }] }] }
`;
}

interface Status {
  readonly ancestors?: readonly { readonly ancestorRef: { readonly name: string } }[];
  readonly listeners?: readonly { readonly attachedRoutes: number }[];
}

function statusesOf(yaml: string, kind: string): readonly (readonly [string, Status])[] {
  return translated(yaml)
    .statuses.filter((each) => each.kind === kind)
    .map(({ metadata, status }) => [metadata.name, status as Status]);
}

function ancestors(yaml: string): readonly string[] {
  return statusesOf(yaml, "AuthPolicy").flatMap(([, status]) =>
    (status.ancestors ?? []).map(({ ancestorRef }) => ancestorRef.name),
  );
}

test("the status of an AuthPolicy names the Gateways of all routes with a filter that names it", () => {
  const routes = [
    route("first", "parentRefs: [{ name: a }]", NAMES_LOGIN),
    route("second", "parentRefs: [{ name: b }]", NAMES_LOGIN),
    route("third", "parentRefs: [{ name: everyone }]"),
  ];
  expect(ancestors(BASE + policy() + routes.join(""))).toEqual(["a", "b"]);
});

test("the status of an AuthPolicy for a route names the default Gateways that serve the route", () => {
  const target = "targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: web }], ";
  const yaml = BASE + policy(target) + route("web", "useDefaultGateways: All");
  expect(ancestors(yaml)).toEqual(["everyone"]);
});

test("a listener counts the routes that are accepted there, and no others", () => {
  const routes = [
    route("first", "parentRefs: [{ name: a }]"),
    route("second", "parentRefs: [{ name: a }, { name: b, sectionName: none }]"),
  ];
  const counts = statusesOf(BASE + routes.join(""), "Gateway").map(([name, { listeners = [] }]) => [
    name,
    listeners.map(({ attachedRoutes }) => attachedRoutes),
  ]);
  expect(counts).toEqual([
    ["a", [2]],
    ["b", [0]],
    ["everyone", [0]],
  ]);
});
