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

const PORT = "{ports: [{port: 80}]}";

function addresses(...slices: readonly string[]): readonly string[] | undefined {
  const { endpoints } = translated(WEB + serviceYaml(PORT) + slices.join(""));
  return endpoints("default/web/80")?.map(([address, port]) => `${address} ${String(port)}`);
}

describe("endpoints", () => {
  it("are the ready ones of every slice, sorted and without repeats", () => {
    const ready = "[{addresses: [10.0.0.2, 10.0.0.1], conditions: {ready: true}}]";
    const more = "[{addresses: [10.0.0.1]}, {addresses: [10.0.0.3], conditions: {ready: false}}]";
    const six = '[{addresses: ["fd00::1"], conditions: {}}]';
    expect(
      addresses(
        slice("a", "[{port: 8080}]", ready),
        slice("b", "[{port: 8080}]", more),
        slice("c", "[{port: 8081}]", six, "IPv6"),
      ),
    ).toEqual(["10.0.0.1 8080", "10.0.0.2 8080", "fd00::1 8081"]);
  });

  it("are those that serve while they terminate when none is ready", () => {
    const terminating = `[
      {addresses: [10.0.0.1], conditions: {ready: false, serving: true, terminating: true}},
      {addresses: [10.0.0.2], conditions: {ready: false, serving: false, terminating: true}},
      {addresses: [10.0.0.3], conditions: {ready: false}}]`;
    expect(addresses(slice("a", "[{port: 8080}]", terminating))).toEqual(["10.0.0.1 8080"]);
  });

  it("leave terminating ones out while another is ready", () => {
    const mixed = `[
      {addresses: [10.0.0.1], conditions: {ready: false, serving: true, terminating: true}},
      {addresses: [10.0.0.2], conditions: {ready: true}}]`;
    expect(addresses(slice("a", "[{port: 8080}]", mixed))).toEqual(["10.0.0.2 8080"]);
  });

  it("are joined to the Service's port by its name", () => {
    const two = "{ports: [{name: admin, port: 9000}, {name: http, port: 80, targetPort: web}]}";
    const ports =
      "[{name: admin, port: 9001}, {name: http, port: 8080}, {name: dns, port: 53, protocol: UDP}]";
    const { endpoints } = translated(
      WEB + serviceYaml(two) + slice("a", ports, "[{addresses: [10.0.0.1]}]"),
    );
    expect(endpoints("default/web/80")).toEqual([["10.0.0.1", 8080]]);
  });

  it("are none where the slice's port has another name or protocol", () => {
    expect(addresses(slice("a", "[{name: x, port: 8080}]", "[{addresses: [10.0.0.1]}]"))).toEqual(
      [],
    );
    expect(
      addresses(slice("a", "[{port: 53, protocol: UDP}]", "[{addresses: [10.0.0.1]}]")),
    ).toEqual([]);
  });
});

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
