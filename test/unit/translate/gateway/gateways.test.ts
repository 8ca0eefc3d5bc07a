import type { CompileOptions } from "../../../../src/model/options.js";
import {
  type Translated,
  ingress,
  rules,
  service,
  translated,
} from "../../../support/translated.js";

const CLASS = document("GatewayClass", "alb", {
  controllerName: "alb.cpaas.io/gateway-controller",
});

function document(kind: string, name: string, spec: unknown): string {
  const namespace = kind === "GatewayClass" ? {} : { namespace: "n" };
  return `\n---\n${JSON.stringify({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind,
    metadata: { name, ...namespace },
    spec,
  })}\n`;
}

function gateway(name: string, listeners: readonly unknown[], more: object = {}): string {
  return document("Gateway", name, { gatewayClassName: "alb", listeners, ...more });
}

const HTTP = { name: "http", port: 80, protocol: "HTTP" };

function translate(yaml: string, options: Partial<CompileOptions> = {}): Translated {
  return translated(CLASS + yaml, options);
}

function servers({ config }: Translated): readonly string[] {
  return config.servers.map(
    ({ id, addresses, port, tls }) =>
      `${id} ${addresses.join(",") || "*"} ${String(port)}${tls ? " tls" : ""}`,
  );
}

test("a server for each port of a Gateway has every address of it", () => {
  const addresses = ["10.0.0.1", "fd00::1"].map((value) => ({ value }));
  const two = [HTTP, { name: "more", port: 8080, protocol: "HTTP" }];
  const result = translate(gateway("a", two, { addresses }), {
    gatewayAddresses: ["10.0.0.0/24", "fd00::/64"],
    httpsPort: 0,
  });
  expect(servers(result)).toEqual([
    "a10-0-0-1-p80 10.0.0.1,fd00::1 80",
    "a10-0-0-1-p8080 10.0.0.1,fd00::1 8080",
  ]);
});

test("an IPv6 address alone names its server, too", () => {
  const result = translate(gateway("a", [HTTP]), {
    gatewayAddresses: ["fd00::1"],
    httpsPort: 0,
  });
  expect(servers(result)).toEqual(["afd00--1-p80 fd00::1 80"]);
});

describe("ports by the options", () => {
  const site = service("web") + ingress("web", { spec: rules({ "web.example": ["/"] }) });

  test("are open while no Gateway wants them", () => {
    const result = translate(gateway("a", [{ ...HTTP, port: 8080 }]));
    expect(servers(result)).toEqual(["p443 * 443 tls", "p80 * 80", "p8080 * 8080"]);
  });

  test("are a Gateway's alone while there is no Ingress", () => {
    const result = translate(gateway("a", [HTTP]));
    expect(result.config.listeners.map(({ id }) => id)).toEqual([
      "gateway/n/a/http",
      "ingress/443",
    ]);
    expect(result.reports).toEqual([]);
  });

  test("are shared with Ingresses by hostname", () => {
    const named = { ...HTTP, name: "named", hostname: "a.example" };
    const result = translate(gateway("a", [HTTP, named]) + site);
    expect(result.config.listeners.map(({ id }) => id)).toEqual([
      "gateway/n/a/named",
      "ingress/443",
      "ingress/80",
    ]);
    expect(result.reports).toEqual(["LISTENER_CONFLICT Gateway n/a spec.listeners[0]"]);
  });

  test("stay as they are beside Gateways with addresses of their own", () => {
    const result = translate(gateway("a", [HTTP]) + site, { gatewayAddresses: ["10.0.0.1"] });
    expect(servers(result)).toEqual(["a10-0-0-1-p80 10.0.0.1 80", "p443 * 443 tls", "p80 * 80"]);
    expect(result.reports).toEqual([]);
  });

  test("are not given up for a Gateway of another controller", () => {
    const foreign = gateway("a", [HTTP]).replace('"alb"', '"other"');
    expect(servers(translate(foreign))).toEqual(["p443 * 443 tls", "p80 * 80"]);
  });
});

test("a listener without a certificate has that of the option defaultCertificate", () => {
  const result = translate(gateway("a", [{ name: "https", port: 443, protocol: "HTTPS" }]), {
    defaultCertificate: "n/missing",
  });
  expect(result.messages("GATEWAY_REFERENCE")).toEqual([
    "the listener names no certificate, and option defaultCertificate: there is no Secret n/missing",
  ]);
});

test("a namespace's own Ingress gives its listener no host of an older listener", () => {
  const of = (namespace: string, year: number, text: string): string =>
    text.replace(
      '"namespace":"n"',
      `"namespace":"${namespace}","creationTimestamp":"${String(year)}-01-01T00:00:00Z"`,
    );
  const { config } = translate(
    of("victim", 2023, gateway("v", [{ ...HTTP, hostname: "*.v.example" }])) +
      of("t", 2024, gateway("g", [{ ...HTTP, hostname: "x.v.example" }])) +
      ingress("w", {
        namespace: "t",
        created: "2024-01-01T00:00:00Z",
        spec: rules({ "x.v.example": ["/"] }),
      }),
  );
  const ids = config.listeners.map(({ id }) => id).filter((id) => id.startsWith("gateway/"));
  expect(ids).toEqual(["gateway/victim/v/http"]);
});
