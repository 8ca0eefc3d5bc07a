import { ingress, rules, translated } from "../../support/translated.js";

const WEB = ingress("web", { spec: rules({ "a.example": ["/"] }) });

function serviceYaml(spec: string): string {
  return `---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: ${spec}
`;
}

function slice(name: string, ports: string, endpoints: string, type = "IPv4"): string {
  return `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}, namespace: default, labels: {kubernetes.io/service-name: web}}
addressType: ${type}
ports: ${ports}
endpoints: ${endpoints}
`;
}

describe("a backend", () => {
  it("by the port's name is the same upstream as by its number", () => {
    const spec = {
      rules: [
        {
          http: {
            paths: [
              {
                path: "/a",
                pathType: "Prefix",
                backend: { service: { name: "web", port: { name: "http" } } },
              },
              {
                path: "/b",
                pathType: "Prefix",
                backend: { service: { name: "web", port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    };
    const { config } = translated(
      ingress("web", { spec }) + serviceYaml("{ports: [{name: http, port: 80}]}"),
    );
    expect(config.upstreams.map(({ id }) => id)).toEqual(["default/web/80"]);
  });

  it("without its Service has no endpoints until it comes, and is reported", () => {
    const { reports, endpoints, route } = translated(WEB);
    expect(endpoints("default/web/80")).toEqual([]);
    expect(route("ingress/default/web/0-0").backends).toEqual([
      { upstream: "default/web/80", weight: 1, protocol: "http" },
    ]);
    expect(reports).toEqual([
      "SERVICE_NOT_FOUND Ingress default/web spec.rules[0].http.paths[0].backend.service",
    ]);
  });

  it("whose Service has no such TCP port is reported with those it has", () => {
    const { messages, endpoints } = translated(
      WEB +
        serviceYaml("{ports: [{name: dns, port: 80, protocol: UDP}, {name: http, port: 8080}]}"),
    );
    expect(messages("SERVICE_PORT_NOT_FOUND")).toEqual([
      "Service default/web has no TCP port 80; it has 8080 (http)",
    ]);
    expect(endpoints("default/web/80")).toEqual([]);
  });

  it("of type ExternalName is refused", () => {
    const { messages, endpoints } = translated(
      WEB +
        serviceYaml("{type: ExternalName, externalName: internal.example, ports: [{port: 80}]}") +
        slice("a", "[{port: 8080}]", "[{addresses: [10.0.0.1]}]"),
    );
    expect(messages("SERVICE_EXTERNAL_NAME")).toEqual([
      "Service default/web is of type ExternalName",
    ]);
    expect(endpoints("default/web/80")).toEqual([]);
  });
});
