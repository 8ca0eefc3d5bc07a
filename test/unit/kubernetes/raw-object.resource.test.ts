import { readdirSync, readFileSync } from "node:fs";
import { load } from "js-yaml";
import { KIND_NAMES } from "../../../src/api/kinds.js";
import { pluralOf } from "../../../src/kubernetes/raw-object.js";

test("the name of a kind in paths is its plural", () => {
  const plurals = Object.fromEntries(KIND_NAMES.map((kind) => [kind, pluralOf(kind)]));
  expect(plurals).toMatchObject({
    Ingress: "ingresses",
    Gateway: "gateways",
    GatewayClass: "gatewayclasses",
    HTTPRoute: "httproutes",
    BackendTLSPolicy: "backendtlspolicies",
    EndpointSlice: "endpointslices",
    Namespace: "namespaces",
  });
});

test("it is the one that our own definitions have", () => {
  const folder = new URL("../../../deploy/crds/", import.meta.url);
  const names = readdirSync(folder).flatMap((file) => {
    if (!file.startsWith("crd.")) return [];
    const definition = load(readFileSync(new URL(file, folder), "utf8")) as {
      spec: { names: { plural: string; kind: (typeof KIND_NAMES)[number] } };
    };
    return [definition.spec.names];
  });
  expect(names.map(({ kind }) => kind)).toEqual(["ALB2", "AuthPolicy", "Frontend", "Rule"]);
  expect(names.map(({ kind }) => pluralOf(kind))).toEqual(names.map(({ plural }) => plural));
});
