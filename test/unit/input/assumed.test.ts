/** Objects that manifests name and do not contain: every kind of reference, and what promises one. */
import { compile } from "../../../src/compile.js";
import { type IsAssumed, assuming, promisedIn } from "../../../src/input/assumed.js";
import { resourcesFromYaml } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";

const ingress = (annotations: string, tls = ""): string => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: i, annotations: { ${annotations} } }
spec:
  ${tls}
  rules:
    - host: a.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { name: http } } } }] }
`;
const NGINX = "nginx.ingress.kubernetes.io";
const USERS = `${NGINX}/auth-type: basic, ${NGINX}/auth-secret: users`;
const TLS = "tls: [{ hosts: [a.example], secretName: a }]";

const gateway = (listener: string, backend = ""): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gw, annotations: {} }
spec: { gatewayClassName: albc, ${listener} }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: r }
spec: { parentRefs: [{ name: gw }], rules: [{ backendRefs: [{ name: web, port: 8080 }] ${backend} }] }
`;
const HTTP = "listeners: [{ name: a, port: 80, protocol: HTTP }]";
const HTTPS =
  "listeners: [{ name: a, port: 443, protocol: HTTPS, hostname: a.example, tls: { certificateRefs: [{ name: a }] } }]";

const service = `---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ name: http, port: 8080 }] }
`;

function problems(text: string, isAssumed?: IsAssumed): readonly string[] {
  const { resources, promised, diagnostics } = resourcesFromYaml(text);
  const given = assuming(resources, isAssumed ?? promisedIn(resources, promised));
  return [...diagnostics, ...compile(given, DEFAULT_OPTIONS).diagnostics].map(
    ({ code, message }) => `${code}: ${message}`,
  );
}

const NAMED: Readonly<Record<string, string>> = {
  "the Service of an Ingress, its port by name": ingress(""),
  "users in auth-file": ingress(USERS) + service,
  "users in auth-map": ingress(`${USERS}, ${NGINX}/auth-secret-type: auth-map`) + service,
  "headers for an auth service":
    ingress(
      `${NGINX}/auth-url: "http://auth.example/", ${NGINX}/auth-proxy-set-headers: default/headers`,
    ) + service,
  "an auth service": ingress(`${NGINX}/auth-url: "http://auth.sso.svc.cluster.local/"`) + service,
  "a certificate of an Ingress": ingress("", TLS) + service,
  "the Service of a route": gateway(HTTP),
  "a certificate of a listener": gateway(HTTPS) + service,
  "authorities of a Gateway":
    gateway(
      `${HTTPS}, tls: { frontend: { default: { validation: { caCertificateRefs: [{ group: "", kind: ConfigMap, name: ca }] } } } }`,
    ) + service,
  "authorities of a backend": `${gateway(HTTP)}${service}---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: { name: b }
spec:
  targetRefs: [{ group: "", kind: Service, name: web }]
  validation: { hostname: web.example, caCertificateRefs: [{ group: "", kind: ConfigMap, name: ca }] }
`,
};

test.each(Object.entries(NAMED))("%s is assumed if asked for", (_, text) => {
  expect(problems(text)).not.toEqual([]);
  expect(problems(text, () => true)).toEqual([]);
});

const PROMISES: Readonly<Record<string, string>> = {
  SealedSecret: "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: { name: a }",
  ExternalSecret:
    "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: { name: a }\nspec: {}",
  "ExternalSecret with a target":
    "apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\nmetadata: { name: b, namespace: default }\nspec: { target: { name: a } }",
  Certificate:
    "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: { name: b }\nspec: { secretName: a }",
};
const OTHERS: readonly string[] = [
  "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: { name: a, namespace: other }",
  "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: { name: a }\nspec: { secretName: b }",
  "apiVersion: other.example/v1\nkind: Certificate\nmetadata: { name: a }\nspec: { secretName: a }",
  "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: { name: a }\nspec: { secretName: [a] }",
  "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: [a]\nspec: a",
];
const NEEDS = ingress("", TLS) + service;

test.each(Object.entries(PROMISES))("a Secret that a %s promises is assumed", (_, promise) => {
  expect(problems(`${NEEDS}---\n${promise}\n`)).toEqual([]);
});

test.each(OTHERS)("no other object promises it: %s", (other) => {
  expect(problems(`${NEEDS}---\n${other}\n`)).toContain(
    "CERTIFICATE_UNUSABLE: there is no Secret default/a",
  );
});

test.each(["issuer", "cluster-issuer"])("the annotation %s promises Secrets for TLS", (name) => {
  const issued = `cert-manager.io/${name}: ca`;
  expect(problems(ingress(issued, TLS) + service)).toEqual([]);
  expect(problems(ingress(`${issued}, ${USERS}`, TLS) + service)).toEqual([
    "AUTH_REFERENCE_NOT_FOUND: secret default/users not found; this answers 503: a.example/",
  ]);
  expect(problems((gateway(HTTPS) + service).replace("{}", `{ ${issued} }`))).toEqual([]);
});

test("an object that is there counts, whatever is assumed", () => {
  const empty = "---\napiVersion: v1\nkind: Secret\nmetadata: { name: users }\n";
  expect(problems(ingress(USERS) + service + empty, () => true)).toEqual([
    "AUTH_SECRET_UNUSABLE: secret default/users has no key auth, which auth-file needs; this answers 503: a.example/",
  ]);
  const named = (port: string): string => ingress("").replace("http }", port) + service;
  expect(problems(named("htpp }"), () => true)[0]).toMatch(/^SERVICE_PORT_NOT_FOUND/);
});

test("a host of two labels that may be a Service stays a name of DNS", () => {
  const text = ingress(`${NGINX}/auth-url: "http://auth.example/"`) + service;
  const { resources } = resourcesFromYaml(text);
  const config = (isAssumed: IsAssumed): unknown =>
    compile(assuming(resources, isAssumed), DEFAULT_OPTIONS).config.auths;
  expect(config(() => true)).toEqual(config(() => false));
});
