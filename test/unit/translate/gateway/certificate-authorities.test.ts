import { Authority } from "../../../../e2e/harness/certificates.js";
import { DiagnosticSink } from "../../../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  bundleOf,
  clientValidation,
  insecureValidations,
  readCertificateAuthorities,
} from "../../../../src/translate/gateway/certificate-authorities.js";
import { gateway, object } from "../../../support/gateway-route-objects.js";

const [first, second] = await Promise.all([Authority.create("first"), Authority.create("second")]);
const PEM = first.pair.certificate;

function holder(kind: "ConfigMap" | "Secret", data: object): string {
  const metadata = { name: "ca", namespace: "default" };
  return `\n---\n${JSON.stringify({ apiVersion: "v1", kind, metadata, data })}`;
}

function read(yaml: string, kind = "ConfigMap", group = "") {
  return readCertificateAuthorities(
    { group, kind, name: "ca" },
    "default",
    resourcesFromYaml(yaml).resources,
  );
}

test("authorities come from ConfigMaps as text and from Secrets as base64", () => {
  const [plain, encoded] = [PEM, Buffer.from(PEM).toString("base64")];
  const found = read(holder("ConfigMap", { "ca.crt": plain }));
  expect(found).toMatchObject({ ok: true });
  expect(read(holder("Secret", { "ca.crt": encoded }), "Secret")).toEqual(found);
});

test.each([
  ["does not exist", ""],
  ["has no key ca.crt", holder("ConfigMap", { other: PEM })],
  ["has a ca.crt that is no list of PEM certificates", holder("ConfigMap", { "ca.crt": "x" })],
  [
    "has a ca.crt that is larger than 256 KiB",
    holder("ConfigMap", { "ca.crt": " ".repeat(300_000) }),
  ],
])("a ConfigMap that %s can't be used", (problem, yaml) => {
  const message = `ConfigMap default/ca ${problem}`;
  expect(read(yaml)).toMatchObject({ ok: false, reason: "InvalidCACertificateRef", message });
});

test("other kinds hold no authorities", () => {
  expect(read("", "Service")).toMatchObject({ reason: "InvalidKind" });
});

test("a bundle has each certificate once", () => {
  const other = second.pair.certificate;
  expect(bundleOf([PEM, other, PEM])).toBe(PEM + other);
  expect(bundleOf([])).toBeUndefined();
});

describe("clients of a Gateway's port", () => {
  const REFS = [{ group: "", kind: "ConfigMap", name: "ca" }];

  function validated(frontend: unknown, data: object = { "ca.crt": PEM }) {
    const spec = {
      gatewayClassName: "albc",
      listeners: [{ name: "https", port: 443, protocol: "HTTPS" }],
      tls: { frontend },
    };
    const yaml = gateway() + object("Gateway", "tls", spec) + holder("ConfigMap", data);
    const { resources } = resourcesFromYaml(yaml);
    const own = resources.get("Gateway", "default", "tls");
    if (own === undefined) throw new Error("not read");
    const context = { resources, options: DEFAULT_OPTIONS, diagnostics: new DiagnosticSink() };
    return { own, of: (port: number) => clientValidation(own, port, context) };
  }

  it("are asked for certificates by the settings of the port, or else by the default", () => {
    const fallback = { validation: { caCertificateRefs: REFS } };
    const tls = { validation: { caCertificateRefs: REFS, mode: "AllowInsecureFallback" } };
    const { own, of } = validated({ default: fallback, perPort: [{ port: 8443, tls }] });
    expect(of(443).clientCertificates?.mode).toBe("required");
    expect(of(8443).clientCertificates?.mode).toBe("requested");
    expect(insecureValidations(own)).toEqual(["port 8443"]);
  });

  it("can't connect while no authority can be read", () => {
    const { of } = validated({ default: { validation: { caCertificateRefs: REFS } } }, {});
    expect(of(443)).toMatchObject({
      accepted: { reason: "NoValidCACertificate" },
      resolvedRefs: { reason: "InvalidCACertificateRef" },
    });
  });
});
