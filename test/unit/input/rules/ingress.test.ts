import { check, ingress } from "../../../support/input-fixtures.js";

const service = { service: { name: "web", port: { number: 80 } } };

function withPath(path: object) {
  return ingress({
    rules: [{ http: { paths: [{ pathType: "Prefix", backend: service, path: "/", ...path }] } }],
  });
}

describe("an Ingress", () => {
  it.each([
    ["with a default backend", ingress({ defaultBackend: service })],
    ["with paths of every type", withPath({ pathType: "Exact", path: "/a/b" })],
    ["with a path of no form", withPath({ pathType: "ImplementationSpecific", path: "/a//b(.*)" })],
    ["with an empty path of no form", withPath({ pathType: "ImplementationSpecific", path: "" })],
    [
      "with a named port",
      withPath({ backend: { service: { name: "web", port: { name: "http" } } } }),
    ],
    [
      "with a resource",
      withPath({ backend: { resource: { apiGroup: "x.io", kind: "B", name: "c" } } }),
    ],
    [
      "with a wildcard",
      ingress({
        rules: [{ host: "*.a.example" }],
        tls: [{ hosts: ["*.a.example"], secretName: "tls" }],
      }),
    ],
    ["with rules without paths", ingress({ rules: [{}] })],
    [
      "with nulls that mean nothing",
      ingress({ rules: [{}], tls: null }, { creationTimestamp: null, annotations: null }),
    ],
    [
      "with a class given twice alike",
      ingress(
        { ingressClassName: "nginx", rules: [{}] },
        { annotations: { "kubernetes.io/ingress.class": "nginx" } },
      ),
    ],
  ])("%s is taken", (_name, object) => {
    expect(check(object)).toEqual([]);
  });

  it.each([
    [ingress({}), /FIELD_MISSING spec.rules: .*rules or a defaultBackend/],
    [
      ingress({ rules: [{ http: { paths: [] } }] }),
      /FIELD_INVALID spec.rules\[0\].http.paths: .* at least 1 items/,
    ],
    [withPath({ pathType: undefined }), /FIELD_MISSING .*pathType/],
    [
      withPath({ pathType: "prefix" }),
      /pathType must be "Exact", "Prefix" or "ImplementationSpecific", but is "prefix"/,
    ],
    [withPath({ path: "a" }), /path "a" of type Prefix must begin with '\/'/],
    [withPath({ path: undefined }), /path "" of type Prefix must begin/],
    [withPath({ pathType: "ImplementationSpecific", path: "a" }), /must begin/],
    [withPath({ path: "/a//b" }), /must not hold '\/\/'/],
    [withPath({ path: "/a/../b" }), /must not hold '\/..\/'/],
    [withPath({ path: "/a/.." }), /must not end with '\/..'/],
    [withPath({ path: "/a%2Fb" }), /must not hold '%2F'/],
    [
      ingress({ rules: [{ host: "10.0.0.1" }] }),
      /spec.rules\[0\].host: the host "10.0.0.1" must be a DNS name/,
    ],
    [ingress({ rules: [{ host: "A.example" }] }), /lower-case/],
    [ingress({ rules: [{ host: "a.*.example" }] }), /first label/],
    [ingress({ rules: [{}], tls: [{ hosts: ["a_b"] }] }), /spec.tls\[0\].hosts\[0\]/],
    [ingress({ rules: [{}], tls: [{ secretName: "ns/tls" }] }), /spec.tls\[0\].secretName/],
    [
      withPath({ backend: { ...service, resource: { kind: "A", name: "b" } } }),
      /a service or a resource, not both/,
    ],
    [withPath({ backend: {} }), /needs a service or a resource/],
    [withPath({ backend: { service: { name: "web" } } }), /port needs a name or a number/],
    [
      withPath({ backend: { service: { name: "web", port: { name: "a", number: 1 } } } }),
      /name or a number, not both/,
    ],
    [
      withPath({ backend: { service: { name: "web", port: { number: 0 } } } }),
      /number must be from 1 to 65535, but is 0/,
    ],
    [
      withPath({ backend: { service: { name: "web", port: { number: "80" } } } }),
      /number must be a whole number, but is "80"/,
    ],
    [withPath({ backend: { service: { name: "web", port: { name: "Web" } } } }), /port.name: /],
    [
      withPath({ backend: { service: { name: "web.x", port: { number: 1 } } } }),
      /Service name "web.x"/,
    ],
    [withPath({ backend: { resource: { kind: "A", name: "a/b" } } }), /resource.name/],
    [ingress({ ingressClassName: "N", rules: [{}] }), /spec.ingressClassName/],
    [
      ingress(
        { ingressClassName: "a", rules: [{}] },
        { annotations: { "kubernetes.io/ingress.class": "b" } },
      ),
      /annotation names the class "b", but spec.ingressClassName is "a"/,
    ],
  ])("%j is refused: %s", (object, message) => {
    expect(check(object)).toEqual([expect.stringMatching(message)]);
  });
});

describe("an IngressClass", () => {
  const ingressClass = (spec: object) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name: "nginx" },
    spec,
  });
  const controller = "k8s.io/ingress-nginx";
  const parameters = { kind: "Config", name: "x" };

  it.each([
    { controller },
    { controller, parameters },
    { controller, parameters: { ...parameters, scope: "Namespace", namespace: "a" } },
  ])("%j is taken", (spec) => {
    expect(check(ingressClass(spec))).toEqual([]);
  });

  it.each([
    [{}, /spec.controller/],
    [{ controller: "nginx" }, /must be a domain/],
    [{ controller: "/x" }, /must be a domain/],
    [{ controller: `k8s.io/${"x".repeat(250)}` }, /at most 250 characters/],
    [{ controller, parameters: { ...parameters, scope: "Namespace" } }, /need a namespace/],
    [{ controller, parameters: { ...parameters, namespace: "a" } }, /must not have a namespace/],
    [{ controller, parameters: { ...parameters, scope: "All" } }, /"Cluster" or "Namespace"/],
  ])("%j is refused", (spec, message) => {
    expect(check(ingressClass(spec))).toEqual([expect.stringMatching(message)]);
  });
});
