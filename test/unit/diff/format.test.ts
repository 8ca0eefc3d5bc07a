import { diff } from "../../../src/diff/diff.js";
import { formatDifferences, formatMarkdown } from "../../../src/diff/format.js";
import { compiled } from "../../support/diffed.js";

const INGRESS = (host: string, auth = ""): string => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop, annotations: { ${auth} } }
spec:
  rules:
    - host: ${host}
      http: { paths: [{ path: "/a|<b>", pathType: Exact, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
`;
const AUTH = "nginx.ingress.kubernetes.io/auth-url: http://auth.example/check";
const certificateText = (file: string | undefined): string => file ?? "none";

function formatted(before: string, now: string): { text: string; markdown: string } {
  const found = { ...diff(compiled(before), compiled(now)), certificateText, notCompared: [] };
  return { text: formatDifferences(found), markdown: formatMarkdown(found) };
}

test("text shows the requests, both versions and a request to try", () => {
  const { text } = formatted(INGRESS("a.example", AUTH), INGRESS("a.example"));
  expect(text).toBe(`auth is lost (1)
  https 443 a.example, http 80 a.example
    paths /a|<b>
    before    forward, GET http://auth.example/check → shop/web/80 by http (Ingress shop/web spec.rules[0].http.paths[0])
    now       no auth → shop/web/80 by http (Ingress shop/web spec.rules[0].http.paths[0])
    try       GET https://a.example/a%7C%3Cb%3E

auth is lost: 1
`);
});

test("Markdown has no text of users as markup", () => {
  const { markdown } = formatted(INGRESS("a.example", AUTH), INGRESS("a.example"));
  expect(markdown).toContain("Auth is lost for 1 group of requests");
  expect(markdown).toContain("paths /a&#124;&lt;b>");
  expect(markdown).not.toContain("<b>");
  expect(markdown.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(3);
});

test("text of users makes no line of its own, which a CI system could take for a command", () => {
  const route = (value: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { gatewayClassName: albc, listeners: [{ name: web, port: 80, protocol: HTTP }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec:
  parentRefs: [{ name: edge }]
  rules:
    - matches: [{ queryParams: [{ name: q, value: ${JSON.stringify(value)} }] }]
      filters: [{ type: RequestRedirect, requestRedirect: { hostname: b.example } }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
`;
  const { text, markdown } = formatted(route("a"), route("b\n::error::forged\u009b\u202e"));
  expect(text).toContain("if query q eq b\\u000a::error::forged\\u009b\\u202e");
  expect(markdown).not.toContain("<br>&#58;&#58;error");
});

test("nothing is said if nothing changes", () => {
  const { text, markdown } = formatted(INGRESS("a.example"), INGRESS("a.example"));
  expect(text).toBe("no request is treated differently\n");
  expect(markdown).toContain("No request is treated differently.");
});
