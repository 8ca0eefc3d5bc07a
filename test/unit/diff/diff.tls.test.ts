import { selfSigned } from "../../../e2e/harness/certificates.js";
import { diff } from "../../../src/diff/diff.js";
import { compiled } from "../../support/diffed.js";

function secret({ certificate, key }: Awaited<ReturnType<typeof selfSigned>>): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return `
apiVersion: v1
kind: Secret
metadata: { name: tls, namespace: shop }
type: kubernetes.io/tls
data: { tls.crt: ${base64(certificate)}, tls.key: ${base64(key)} }
---`;
}

const [pair, renewed] = await Promise.all([selfSigned("a.example"), selfSigned("a.example")]);

const CLUSTER = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { ports: [{ port: 443 }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: alb.cpaas.io/gateway-controller }
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec:
  gatewayClassName: albc
  listeners:
    - { name: https, port: 8443, protocol: HTTPS, hostname: "*.example", tls: { certificateRefs: [{ name: tls }] } }
    - { name: tls, port: 8443, protocol: TLS, hostname: "a.example", tls: { mode: Passthrough } }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web, namespace: shop }
spec:
  parentRefs: [{ name: edge, sectionName: https }]
  hostnames: ["*.example"]
  rules:
    - filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: login } }]
      backendRefs: [{ name: web, port: 443 }]
---
apiVersion: crd.alauda.io/v1alpha1
kind: AuthPolicy
metadata: { name: login, namespace: shop }
spec: { forward: { url: http://auth.example/check } }
---`;

const PASSED = `
apiVersion: gateway.networking.k8s.io/v1
kind: TLSRoute
metadata: { name: passed, namespace: shop }
spec: { parentRefs: [{ name: edge, sectionName: tls }], hostnames: [a.example], rules: [{ backendRefs: [{ name: web, port: 443 }] }] }
---`;

/** Only HTTPS on the port. */
const WITHOUT_TLS = CLUSTER.replace(/ {4}- \{ name: tls.*\n/, "");

test("auth is lost if connections are passed to the backend unread", () => {
  const before = compiled(secret(pair) + WITHOUT_TLS);
  const now = compiled(secret(pair) + CLUSTER + PASSED);
  const { changes } = diff(before, now);
  expect(changes).toMatchObject([
    {
      effects: ["authLost", "rerouted"],
      doors: [{ scheme: "https", port: 8443 }],
      hosts: ["a.example"],
      now: { kind: "passed", to: "100 % shop/web/443 as it comes" },
    },
  ]);
});

test("another certificate is a change of its hosts, and none of requests", () => {
  const [before, now] = [pair, renewed].map((each) => compiled(secret(each) + WITHOUT_TLS));
  if (before === undefined || now === undefined) throw new Error("nothing is compiled");
  const { changes, certificates } = diff(before, now);
  expect(changes).toEqual([]);
  expect(certificates).toMatchObject([{ doors: [{ scheme: "https", port: 8443 }] }]);
  expect(certificates[0]?.before).not.toBe(certificates[0]?.now);
});
