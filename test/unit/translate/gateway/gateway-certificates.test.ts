import { selfSigned } from "../../../../e2e/harness/certificates.js";
import { gateway, object } from "../../../support/gateway-route-objects.js";
import { translated } from "../../../support/translated.js";

const A = await selfSigned("a.example", "b.example");
const B = await selfSigned("b.example");

function secret(name: string, { certificate, key }: typeof A, namespace = "default"): string {
  const data = {
    "tls.crt": Buffer.from(certificate).toString("base64"),
    "tls.key": Buffer.from(key).toString("base64"),
  };
  const metadata = { name, namespace };
  return `\n---\n${JSON.stringify({ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data })}`;
}

const SECRETS = secret("a", A) + secret("b", B) + secret("other", B, "other");

function https(certificateRefs: unknown, hostname?: string): string {
  const listener = { name: "https", port: 443, protocol: "HTTPS", tls: { certificateRefs } };
  return gateway([{ ...listener, ...(hostname !== undefined && { hostname }) }]) + SECRETS;
}

const OPTIONS = { httpPort: 0, httpsPort: 0 };

test("the first certificate serves the listener's hostname, and each one the names in it", () => {
  const { certificates, reports } = translated(
    https([{ name: "a" }, { name: "b" }], "*.example"),
    OPTIONS,
  );
  expect(reports).toEqual([]);
  const [a, b] = [certificates().find((each) => each.includes("a.example")), certificates()];
  expect(b).toHaveLength(3);
  expect(a?.split(" ").pop()).toBe(
    b
      .find((each) => each.includes("**.example"))
      ?.split(" ")
      .pop(),
  );
});

test.each([
  [{ name: "none" }, "there is no Secret default/none"],
  [{ kind: "ConfigMap", name: "a" }, "certificates come from Secrets, not from ConfigMap a"],
  [
    { name: "other", namespace: "other" },
    "no ReferenceGrant in namespace other lets a Gateway of namespace default use Secret other",
  ],
])("a reference to %j can't be used", (ref, message) => {
  expect(translated(https([ref]), OPTIONS).messages("GATEWAY_REFERENCE")).toEqual([message]);
});

test("a ReferenceGrant lets a Gateway use a Secret of another namespace", () => {
  const group = "gateway.networking.k8s.io";
  const spec = {
    from: [{ group, kind: "Gateway", namespace: "default" }],
    to: [{ group: "", kind: "Secret" }],
  };
  const grant = object("ReferenceGrant", "certificates", spec, "other");
  const yaml = https([{ name: "other", namespace: "other" }], "b.example") + grant;
  expect(translated(yaml, OPTIONS).messages("GATEWAY_REFERENCE")).toEqual([]);
});

test("a listener with one usable certificate is served, and names the reference that is not", () => {
  const { config, messages } = translated(
    https([{ name: "none" }, { name: "a" }], "a.example"),
    OPTIONS,
  );
  expect(config.listeners.map(({ id }) => id)).toContain("gateway/default/gw/https");
  expect(messages("GATEWAY_REFERENCE")).toEqual(["there is no Secret default/none"]);
});
