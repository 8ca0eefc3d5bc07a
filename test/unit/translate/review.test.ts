import { compile } from "../../../src/compile.js";
import { loadResources } from "../../../src/input/load.js";
import { review } from "../../../src/translate/review.js";
import { compileOptions, resolveSettings } from "../../../src/cli/settings.js";

const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---
`;
const INGRESS = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: a, namespace: shop }
spec:
  ingressClassName: nginx
  rules: [{ http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: NAME, port: { number: 80 } } } }] } }]
---
`;
const slice = (service: string, ready: boolean) => `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: shop, labels: { kubernetes.io/service-name: ${service} } }
addressType: IPv4
ports: [{ port: 8080 }]
endpoints: [{ addresses: [10.0.0.1], conditions: { ready: ${ready} } }]
`;

function reviewed(text: string): readonly string[] {
  const { resources } = loadResources([{ path: "a.yaml", text }]);
  const { diagnostics, config } = compile(
    resources,
    compileOptions(resolveSettings({ flags: {}, variables: {} })),
  );
  return review(diagnostics, resources, config).map(({ code, hint }) => `${code}: ${hint ?? ""}`);
}

const ingress = (service = "web") => SERVICE + INGRESS.replace("NAME", service);

it("says nothing of endpoints that are ready", () => {
  expect(reviewed(ingress() + slice("web", true))).toEqual([]);
});

it("leaves endpoints to the cluster if there are no EndpointSlices at all", () => {
  expect(reviewed(ingress())).toEqual([]);
});

it("reports a Service whose endpoints are not ready, at the Service", () => {
  expect(reviewed(ingress() + slice("web", false))).toEqual([
    expect.stringMatching(/^SERVICE_WITHOUT_ENDPOINTS: check/),
  ]);
});

it("leaves a port that the Service does not have to its own diagnostic", () => {
  const wrong = ingress().replace("number: 80", "number: 81") + slice("web", true);
  expect(reviewed(wrong)).toEqual([expect.stringMatching(/^SERVICE_PORT_NOT_FOUND: /)]);
});

it("reports endpoints of a misspelt Service, and the Service without them", () => {
  expect(reviewed(ingress() + slice("wbe", true))).toEqual([
    "ENDPOINTS_STRAY: did you mean web?",
    expect.stringMatching(/^SERVICE_WITHOUT_ENDPOINTS: check/),
  ]);
});

it("says of an object that was refused that its own error is the cause", () => {
  const broken = ingress().replace("port: 80 }", 'port: "80" }');
  expect(reviewed(broken)).toEqual([
    "SERVICE_NOT_FOUND: correct Service shop/web, whose own error keeps it from being read",
  ]);
});

it.each([
  ['"{{ .Values.host }}"', /template was not rendered.*helm template/],
  ['"${APP_HOST}"', /^\$\{APP_HOST\} was not replaced/],
  ["a..b", /correct the value/],
])("names what should have replaced the host %s", (host, hint) => {
  const { resources, diagnostics } = loadResources([
    { path: "a.yaml", text: ingress().replace("rules: [{", `rules: [{ host: ${host},`) },
  ]);
  const { config } = compile(
    resources,
    compileOptions(resolveSettings({ flags: {}, variables: {} })),
  );
  const hints = review(diagnostics, resources, config).map((each) => each.hint);
  expect(hints).toEqual([expect.stringMatching(hint)]);
});

it("knows a template in a value that the message does not have", () => {
  const annotations = `annotations: { nginx.ingress.kubernetes.io/auth-url: "{{ .Values.url }}" }, name: a`;
  expect(reviewed(ingress().replace("name: a", annotations))).toEqual([
    expect.stringMatching(/^AUTH_CONFIG_INVALID: this template was not rendered/),
  ]);
});

it("names the Service that a backend probably means, of the same namespace", () => {
  expect(reviewed(ingress("wep"))).toEqual(["SERVICE_NOT_FOUND: did you mean web?"]);
  expect(reviewed(ingress("unlike"))).toEqual([
    expect.stringMatching(/^SERVICE_NOT_FOUND: create/),
  ]);
  const elsewhere = ingress("wep").replace("shop", "other");
  expect(reviewed(elsewhere)).toEqual([expect.stringMatching(/^SERVICE_NOT_FOUND: create/)]);
});

it("says that an auth URL leads through the gateway itself", () => {
  const asking = (url: string) =>
    ingress()
      .replace(
        "{ name: a, namespace: shop }",
        `{ name: a, namespace: shop, annotations: { nginx.ingress.kubernetes.io/auth-url: "${url}" } }`,
      )
      .replace("[{ http:", "[{ host: app.example, http:") + slice("web", true);

  expect(reviewed(asking("http://app.example/verify"))).toEqual([
    "AUTH_SERVICE_NOT_FOUND: name the Service of the auth service",
  ]);
  expect(reviewed(asking("http://other.example/verify"))).toEqual([]);
});

it.each([
  ["auth.shop.example", true],
  ["*.shop.example", true],
  ["*.example", false],
  ["other.example", false],
])("says if the gateway itself serves the host of an auth URL: %s", (host, served) => {
  const url = `annotations: { nginx.ingress.kubernetes.io/auth-url: "https://auth.shop.example/" }, name: a`;
  const text = ingress().replace("rules: [{", `rules: [{ host: "${host}",`).replace("name: a", url);
  const expected = "AUTH_SERVICE_NOT_FOUND: name the Service of the auth service";
  expect(reviewed(text)).toEqual(served ? [expected] : []);
});
