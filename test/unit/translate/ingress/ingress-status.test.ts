import type { CompileOptions } from "../../../../src/model/options.js";
import { translated } from "../../../support/translated.js";

const INGRESS = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec: { defaultBackend: { service: { name: web, port: { number: 80 } } } }
`;

function addresses(service: string, options: Partial<CompileOptions> = {}): unknown {
  const { statuses } = translated(`${service}\n---${INGRESS}`, {
    publishService: "default/edge",
    ...options,
  });
  return statuses.map(({ status }) => status["loadBalancer"]);
}

function service(spec: string, status = "{}"): string {
  return `
apiVersion: v1
kind: Service
metadata: { name: edge }
spec: { ports: [{ port: 80 }], ${spec} }
status: ${status}
`;
}

test.each([
  [
    "ExternalName",
    service("type: ExternalName, externalName: lb.example"),
    [{ hostname: "lb.example" }],
  ],
  ["ClusterIP", service("clusterIP: 10.0.0.1"), [{ ip: "10.0.0.1" }]],
  ["headless", service("clusterIP: None"), undefined],
  ["NodePort", service("type: NodePort, clusterIP: 10.0.0.1"), [{ ip: "10.0.0.1" }]],
  [
    "NodePort with addresses",
    service("type: NodePort, clusterIP: 10.0.0.1, externalIPs: [192.0.2.1]"),
    [{ ip: "192.0.2.1" }],
  ],
  [
    "LoadBalancer",
    service(
      "type: LoadBalancer",
      "{ loadBalancer: { ingress: [{ ip: 192.0.2.2 }, { hostname: a.example }] } }",
    ),
    [{ ip: "192.0.2.2" }, { hostname: "a.example" }],
  ],
  [
    "LoadBalancer without addresses yet",
    service("type: LoadBalancer, clusterIP: 10.0.0.1"),
    undefined,
  ],
  [
    "LoadBalancer with what is no address",
    service(
      "type: LoadBalancer",
      '{ loadBalancer: { ingress: [{ hostname: "no name" }, 7, { ip: "192.0.2.2" }] } }',
    ),
    [{ ip: "192.0.2.2" }],
  ],
])("addresses of a Service: %s", (_name, edge, ingress) => {
  expect(addresses(edge)).toEqual([ingress === undefined ? {} : { ingress }]);
});

test("an Ingress that no port serves has none", () => {
  const edge = service("clusterIP: 10.0.0.1");
  expect(addresses(edge, { httpPort: 0, httpsPort: 0 })).toEqual([]);
});

test("without the options Ingresses have no status of ours", () => {
  expect(addresses(service("clusterIP: 10.0.0.1"), { publishService: "" })).toEqual([]);
});
