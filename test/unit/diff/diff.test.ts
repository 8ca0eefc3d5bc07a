import { type Change, diff } from "../../../src/diff/diff.js";
import { compiled, covers, request } from "../../support/diffed.js";

const AUTH = "nginx.ingress.kubernetes.io/auth-url: http://auth.example/check";
const SERVICES = ["web", "api"]
  .map(
    (name) => `
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop }
spec: { ports: [{ port: 80 }] }
---`,
  )
  .join("");

function ingress(
  name: string,
  {
    annotations = "",
    host = "a.example",
    path = "/",
    type = "Prefix",
    service = "web",
  }: Partial<Record<"annotations" | "host" | "path" | "type" | "service", string>> = {},
): string {
  return `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop, annotations: { ${annotations} } }
spec:
  rules:
    - host: "${host}"
      http: { paths: [{ path: "${path}", pathType: ${type}, backend: { service: { name: ${service}, port: { number: 80 } } } }] }
---`;
}

function changes(before: string, now: string): readonly Change[] {
  return diff(compiled(SERVICES + before), compiled(SERVICES + now)).changes;
}

const PROTECTED = ingress("web", { annotations: AUTH });

/** Ways to lose auth: the manifests before and after, and a request that is open now. */
const LOSSES: Readonly<Record<string, readonly [before: string, now: string, url: string]>> = {
  "the annotation is removed": [PROTECTED, ingress("web"), "http://a.example/x"],
  "a more specific path is added without auth": [
    PROTECTED,
    PROTECTED + ingress("more", { path: "/health" }),
    "http://a.example/health/x",
  ],
  "a host is added below a protected wildcard": [
    ingress("web", { annotations: AUTH, host: "*.example" }),
    ingress("web", { annotations: AUTH, host: "*.example" }) + ingress("more"),
    "http://a.example/x",
  ],
  "the protected path is removed, so a wider one serves its requests": [
    ingress("web") + ingress("admin", { annotations: AUTH, path: "/admin" }),
    ingress("web"),
    "http://a.example/admin/x",
  ],
  "an expression no longer matches a request": [
    ingress("web") +
      ingress("admin", {
        annotations: `${AUTH}, nginx.ingress.kubernetes.io/use-regex: "true"`,
        path: "/admin(/|$)",
        type: "ImplementationSpecific",
      }),
    ingress("web") +
      ingress("admin", {
        annotations: `${AUTH}, nginx.ingress.kubernetes.io/use-regex: "true"`,
        path: "/admin/.+",
        type: "ImplementationSpecific",
      }),
    "http://a.example/admin",
  ],
  "source ranges are dropped from a path that keeps its auth": [
    ingress("web", {
      annotations: `${AUTH}, nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8`,
    }),
    PROTECTED,
    "http://a.example/",
  ],
  "the ranges allow every address": [
    ingress("web", {
      annotations: "nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8",
    }),
    ingress("web", {
      annotations: "nginx.ingress.kubernetes.io/whitelist-source-range: 0.0.0.0/0",
    }),
    "http://a.example/",
  ],
  "auth becomes an alternative to a source range": [
    ingress("web", {
      annotations: `${AUTH}, nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8`,
    }),
    ingress("web", {
      annotations: `${AUTH}, nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8, nginx.ingress.kubernetes.io/satisfy: any`,
    }),
    "http://a.example/",
  ],
  "a path that was closed because of a mistake is opened": [
    ingress("web", { annotations: "nginx.ingress.kubernetes.io/auth-url: nonsense" }),
    ingress("web"),
    "http://a.example/",
  ],
};

test.each(Object.entries(LOSSES))("auth is lost if %s", (_, [before, now, url]) => {
  const lost = changes(before, now).filter(({ effects }) => effects.includes("authLost"));
  expect(lost.filter((change) => covers(change, request(url)))).toHaveLength(1);
  const example = lost[0]?.example;
  expect(lost.every((change) => example && covers(change, request(example.url)))).toBe(true);
});

const GATEWAY = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { gatewayClassName: albc, listeners: [{ name: http, port: 80, protocol: HTTP }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec: { parentRefs: [{ name: edge }], hostnames: [a.example], rules: [{ backendRefs: [{ name: web, port: 80 }] }] }
---`;

const POLICY = `
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login, namespace: shop }
spec: { targetRefs: [{ group: gateway.networking.k8s.io, kind: Gateway, name: edge }], forward: { url: http://auth.example/check } }
---`;

test("auth is lost if the policy of a Gateway is removed, and gained if it is added", () => {
  expect(changes(GATEWAY + POLICY, GATEWAY)).toMatchObject([{ effects: ["authLost"] }]);
  expect(changes(GATEWAY, GATEWAY + POLICY)).toMatchObject([{ effects: ["authGained"] }]);
});

test("another auth service is a change of auth, and its field is named", () => {
  const other = POLICY.replace("/check", "/strict");
  expect(changes(GATEWAY + POLICY, GATEWAY + other)).toMatchObject([
    { effects: ["authChanged"], changed: ["forward.target"] },
  ]);
});

test("only requests that meet the conditions lose auth", () => {
  const canary = GATEWAY.replace(
    "rules: [{",
    "rules: [{ matches: [{ headers: [{ name: x-canary, value: always }] }], backendRefs: [{ name: web, port: 80 }] }, { filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }],",
  );
  const policy = POLICY.replace(/targetRefs: \[.*?\], /, "");
  const whole = canary.replace(/matches: .*?\}\] \}\], backendRefs.*?\}\] \}, \{ /, "");
  expect(changes(whole + policy, canary + policy)).toMatchObject([
    {
      effects: ["authLost"],
      when: [{ of: "header", key: "x-canary", any: [["eq", "always"]] }],
      example: { headers: ["x-canary: always"] },
    },
  ]);
});

const OTHERS: Readonly<Record<string, readonly [before: string, now: string, effects: string[]]>> =
  {
    "a host is added": [
      ingress("web"),
      ingress("web") + ingress("b", { host: "b.example" }),
      ["added"],
    ],
    "a host is removed": [PROTECTED, "", ["removed"]],
    "a Service is exchanged": [ingress("web"), ingress("web", { service: "api" }), ["rerouted"]],
    "auth becomes broken": [
      PROTECTED,
      ingress("web", { annotations: "nginx.ingress.kubernetes.io/auth-url: nonsense" }),
      ["removed"],
    ],
    "a limit changes": [
      ingress("web"),
      ingress("web", { annotations: "nginx.ingress.kubernetes.io/proxy-body-size: 1m" }),
      ["settings"],
    ],
  };

test.each(Object.entries(OTHERS))("no auth is lost if %s", (_, [before, now, effects]) => {
  expect(changes(before, now)).toMatchObject([{ effects }]);
});

const SAME: Readonly<Record<string, readonly [before: string, now: string]>> = {
  "an Ingress has another name": [PROTECTED, PROTECTED.replace("name: web", "name: other")],
  "its paths are in two Ingresses": [
    ingress("a") + ingress("b", { path: "/b" }),
    ingress("b", { path: "/b" }) + ingress("a"),
  ],
  "a narrower path says the same": [
    ingress("web"),
    ingress("web") + ingress("more", { path: "/more" }),
  ],
};

test.each(Object.entries(SAME))("nothing changes if %s", (_, [before, now]) => {
  expect(changes(before, now)).toEqual([]);
});

test("equal changes of several hosts and paths are one", () => {
  const open = (annotations: string): string =>
    `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop, annotations: { ${annotations} } }
spec:
  rules:
${["a.example", "b.example"]
  .map(
    (host) => `    - host: ${host}
      http:
        paths:
${["/x", "/y", "/x/z"].map((path) => `          - { path: ${path}, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }\n`).join("")}`,
  )
  .join("")}---`;
  expect(changes(open(AUTH), open(""))).toMatchObject([
    {
      hosts: ["a.example", "b.example"],
      paths: [
        ["prefix", "/x"],
        ["prefix", "/y"],
      ],
    },
  ]);
});
