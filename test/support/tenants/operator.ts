/** What stands around the objects of two namespaces: what they are made of, and the operator's load balancer. */
import type { KeyPair } from "../../../e2e/harness/certificates.js";
import { fc } from "../fast-check.js";
import { CREATED, type Manifest, manifest } from "./manifest.js";

/** A Service with an endpoint, credentials and a certificate. */
export function foundation(namespace: string, pair: KeyPair): readonly Manifest[] {
  const address = namespace === "victim" ? "10.0.0.1" : "10.0.0.2";
  return [
    manifest("v1", "Namespace", { metadata: { name: namespace } }),
    manifest("v1", "Service", {
      metadata: { name: "web", namespace },
      spec: { ports: [{ name: "http", port: 80 }] },
    }),
    manifest("discovery.k8s.io/v1", "EndpointSlice", {
      metadata: { name: "web", namespace, labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      endpoints: [{ addresses: [address] }],
    }),
    manifest("v1", "Secret", {
      metadata: { name: "tls", namespace },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": pair.certificate, "tls.key": pair.key },
    }),
    manifest("v1", "Secret", {
      metadata: { name: "users", namespace },
      stringData: { auth: `${namespace}:$apr1$abcdefgh$AbCdEfGhIjKlMnOpQrStU/\n` },
    }),
  ];
}

const NAMESPACE = "cpaas-system";
const LABELS = { "alb2.cpaas.io/name": "alb", "alb2.cpaas.io/frontend": "http" };

const alb = fc
  .record({ strategy: fc.constantFrom("Both", "Always", "Request", "Never"), auth: fc.boolean() })
  .map(({ strategy, auth }) =>
    manifest("crd.alauda.io/v2", "ALB2", {
      metadata: { name: "alb", namespace: NAMESPACE },
      spec: {
        type: "nginx",
        config: {
          projects: ["ALL_ALL"],
          defaultSSLStrategy: strategy,
          defaultSSLCert: "victim/tls",
          ...(auth && { auth: { forward: { url: "http://auth.example/" } } }),
        },
      },
    }),
  );

const frontend = manifest("crd.alauda.io/v1", "Frontend", {
  metadata: { name: "http", namespace: NAMESPACE, labels: LABELS },
  spec: { port: 80, protocol: "http" },
});

const rule = fc
  .record({
    created: CREATED,
    host: fc.option(fc.constantFrom("a.shared.example", "b.shared.example"), { nil: undefined }),
    url: fc.constantFrom(
      ["STARTS_WITH", "/"],
      ["STARTS_WITH", "/a"],
      ["EQ", "/health"],
      ["REGEX", "^/a.*"],
    ),
    priority: fc.constantFrom(1, 5, 9),
  })
  .map(({ created, host, url, priority }) =>
    manifest("crd.alauda.io/v1", "Rule", {
      metadata: { name: "r", namespace: NAMESPACE, labels: LABELS, ...created },
      spec: {
        priority,
        dslx: [
          ...(host === undefined ? [] : [{ type: "HOST", values: [["EQ", host]] }]),
          { type: "URL", values: [url] },
        ],
        auth: { basic: { secret: "victim/users" } },
        serviceGroup: { services: [{ name: "web", namespace: "victim", port: 80 }] },
      },
    }),
  );

/** Nothing, or an ALB2 with a Rule. */
export const operator: fc.Arbitrary<readonly Manifest[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.tuple(alb, rule).map((given) => [...given, frontend]) },
);
