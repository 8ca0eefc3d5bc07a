import { summaryOf } from "../../../src/explain/summary.js";
import { compiled } from "../../support/diffed.js";

const INGRESS = (name: string, annotations: string, host: string): string => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name}, namespace: shop, annotations: { ${annotations} } }
spec:
  rules:
    - host: ${host}
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---`;

const CLUSTER = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 80 }] }
---${INGRESS("open", "", "a.example")}${INGRESS(
  "closed",
  "nginx.ingress.kubernetes.io/auth-url: nonsense",
  "b.example",
)}${INGRESS(
  "guarded",
  "nginx.ingress.kubernetes.io/auth-url: http://auth.example/check",
  "c.example",
)}`;

test("counts what is served, and names what is broken", () => {
  expect(summaryOf(compiled(CLUSTER).policy)).toMatchObject({
    listeners: [
      { port: 80, tls: false, hosts: [""], names: 3, bindings: 3 },
      { port: 443, tls: true },
    ],
    routes: 3,
    protectedRoutes: 2,
    upstreams: 1,
    endpoints: 0,
    empty: ["shop/web/80"],
    broken: [
      {
        object: "Ingress shop/closed",
        paths: ["b.example/…"],
        reason: expect.stringMatching(/^503 AuthFail : invalid cfg /) as unknown,
      },
    ],
  });
});
