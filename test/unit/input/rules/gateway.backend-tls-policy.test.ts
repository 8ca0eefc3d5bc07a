import { check, gatewayObject } from "../../../support/input-fixtures.js";

type Fields = Readonly<Record<string, unknown>>;

const TARGET = { group: "", kind: "Service", name: "web" };
const AUTHORITY = { group: "", kind: "ConfigMap", name: "ca" };

function policy(validation: Fields, targetRefs: readonly Fields[] = [TARGET]): Fields {
  return gatewayObject("BackendTLSPolicy", {
    targetRefs,
    validation: { hostname: "a.example", ...validation },
  });
}

function names(...subjectAltNames: readonly Fields[]): Fields {
  return policy({ wellKnownCACertificates: "System", subjectAltNames });
}

function targets(...fields: readonly Fields[]): Fields {
  return policy(
    { caCertificateRefs: [AUTHORITY] },
    fields.map((field) => ({ ...TARGET, ...field })),
  );
}

describe("a BackendTLSPolicy", () => {
  it.each([
    ["with certificates", policy({ caCertificateRefs: [AUTHORITY] })],
    ["with the system's certificates", policy({ wellKnownCACertificates: "System" })],
    [
      "with an empty list beside them",
      policy({ wellKnownCACertificates: "System", caCertificateRefs: [] }),
    ],
    ["with certificates that are not known", policy({ wellKnownCACertificates: "Later" })],
    [
      "with names",
      names({ type: "Hostname", hostname: "*.a" }, { type: "URI", uri: "spiffe://a/b" }),
    ],
    ["with a name that is not known", names({ type: "Email" })],
    ["with two ports", targets({ sectionName: "a" }, { sectionName: "b" })],
    ["with two Services", targets({}, { name: "other" })],
  ])("%s is taken", (_name, object) => {
    expect(check(object)).toEqual([]);
    expect(check({ ...object, apiVersion: "gateway.networking.k8s.io/v1alpha3" })).toEqual([]);
  });

  it.each([
    [policy({ wellKnownCACertificates: "System" }, []), /targetRefs must have from 1 to 16/],
    [policy({}), /FIELD_MISSING .*validation.caCertificateRefs/],
    [
      policy({ caCertificateRefs: [AUTHORITY], wellKnownCACertificates: "System" }),
      /wellKnownCACertificates: .*not both/,
    ],
    [names({ type: "URI" }), /FIELD_MISSING .*subjectAltNames\[0\].uri/],
    [
      names({ type: "URI", uri: "a://b", hostname: "c" }),
      /subjectAltNames\[0\].hostname: .*URI must not have/,
    ],
    [targets({}, {}), /targetRefs\[1\]: the target web stands twice/],
    [targets({}, { sectionName: "a" }), /either all or none need a sectionName/],
  ])("%j is refused: %s", (object, message) => {
    expect(check(object)).toEqual([expect.stringMatching(message)]);
  });
});
