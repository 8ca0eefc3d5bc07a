import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { grantPorts, ingressPortOf } from "../../../../src/translate/alb/port-claims.js";
import { alb2, frontend } from "../../../support/translated.js";

const OLD = "2020-01-01T00:00:00Z";
const NEW = "2024-01-01T00:00:00Z";
const NO_INGRESSES = { enableIngress: false };

/** `<port> <owner>`, with `tls` if the port has it, of each granted claim, and the messages of the refused ones. */
function granted(yaml: string): { readonly ports: readonly string[]; readonly refused: unknown } {
  const { resources } = resourcesFromYaml(yaml);
  const diagnostics = new DiagnosticSink();
  const context = { resources, options: DEFAULT_OPTIONS, diagnostics };
  const ports = grantPorts(resources.list("ALB2"), context, new Set()).map(
    ({ port, tls, alb, frontend: owner }) =>
      `${String(port)} ${(owner ?? alb).metadata.name}${tls ? " tls" : ""}`,
  );
  return { ports, refused: diagnostics.sorted().map(({ message }) => message) };
}

test("an ALB2 has ports 80 and 443 for Ingresses, and a Frontend's port serves both", () => {
  const yaml = alb2("alb") + frontend("ft", "alb", { port: 443, protocol: "https" });
  expect(granted(yaml)).toEqual({ ports: ["443 ft tls", "80 alb"], refused: [] });
});

test("the oldest ALB2 gets a port, and in an ALB2 the oldest Frontend", () => {
  const yaml =
    alb2("young", NO_INGRESSES, NEW) +
    alb2("old", NO_INGRESSES, OLD) +
    frontend("a", "young", { port: 90 }, OLD) +
    frontend("b", "old", { port: 90 }, NEW) +
    frontend("c", "old", { port: 90 }, OLD);
  const message = "port 90 belongs to Frontend cpaas-system/c";
  expect(granted(yaml)).toEqual({ ports: ["90 c"], refused: [message, message] });
});

test.each([
  ["https", undefined, " tls"],
  ["http", "a/b", ""],
  ["grpc", undefined, ""],
  ["grpc", "a/b", " tls"],
])("a Frontend of protocol %s with certificate %s has the port 90%s", (protocol, name, tls) => {
  const spec = { port: 90, protocol, ...(name !== undefined && { certificate_name: name }) };
  const yaml = alb2("alb", NO_INGRESSES) + frontend("ft", "alb", spec);
  expect(granted(yaml).ports).toEqual([`90 ft${tls}`]);
});

test.each([
  [{}, 80, 443],
  [{ ingressHTTPPort: 8080, ingressHTTPSPort: 0 }, 8080, 0],
  [{ ingressHTTPPort: 8080, ingressHTTPSPort: 8080 }, 8080, 0],
  [{ enableIngress: "False" }, 0, 0],
])("the Ingresses of an ALB2 with %j have the ports %s and %s", (config, http, https) => {
  const [alb] = resourcesFromYaml(alb2("alb", config)).resources.list("ALB2");
  expect(alb && ingressPortOf(alb, "ingressHTTPPort")).toBe(http);
  expect(alb && ingressPortOf(alb, "ingressHTTPSPort")).toBe(https);
});
