import { compile } from "../../../src/compile.js";
import { loadResources } from "../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";

/** What `albc run` reports of an Ingress for `host` whose auth URL has that authority. */
function reported(host: string, authority: string): readonly string[] {
  const text = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, annotations: { nginx.ingress.kubernetes.io/auth-url: "http://${authority}/check" } }
spec: { rules: [{ host: "${host}", http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] } }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { ports: [{ port: 80 }] }
`;
  const { resources } = loadResources([{ path: "a.yaml", text }]);
  return compile(resources, DEFAULT_OPTIONS).diagnostics.map(({ message }) => message);
}

test.each([
  ["a.example", "a.example"],
  ["*.example", "a.example:80"],
  ["a.example", "b.example"],
  ["a.example", "web.default.svc.cluster.local"],
])("auth of %s asks %s", (host, authority) => {
  const name = authority.replace(/:.*/, "");
  const message = `the auth URL's host ${name} is one of this gateway, so each question to the auth service leads through it`;
  expect(reported(host, authority)).toEqual(name === "a.example" ? [message] : []);
});
