/** The schemas know the fields that Kubernetes' own client knows: an unknown field is then really unknown. */
import {
  DiscoveryV1EndpointPort,
  V1ConfigMap,
  V1Endpoint,
  V1EndpointConditions,
  V1EndpointSlice,
  V1HTTPIngressPath,
  V1Ingress,
  V1IngressBackend,
  V1IngressClass,
  V1IngressClassParametersReference,
  V1IngressClassSpec,
  V1IngressServiceBackend,
  V1IngressSpec,
  V1IngressTLS,
  V1Namespace,
  V1NamespaceSpec,
  V1ObjectMeta,
  V1OwnerReference,
  V1Secret,
  V1Service,
  V1ServiceBackendPort,
  V1ServicePort,
  V1ServiceSpec,
  V1TypedLocalObjectReference,
} from "@kubernetes/client-node";
import { Ajv } from "ajv";
import { type JsonSchema, KUBERNETES_KEYWORDS } from "../../../../src/api/schemas/schema.js";
import { kindTable } from "../../../../src/input/kind-table.js";
import { definitionOf, GATEWAY_KINDS } from "../../../support/gateway-types.js";

interface ClientModel {
  getAttributeTypeMap(): readonly { readonly baseName: string }[];
}

const TABLE = kindTable("crd.alauda.io");

/** The schema at a path of properties; `*` is the items of a list. */
function at(schema: JsonSchema, path: string): JsonSchema {
  return path
    .split(".")
    .filter((step) => step !== "")
    .reduce<JsonSchema>(
      (current, step) => (step === "*" ? current.items : current.properties?.[step]) ?? {},
      schema,
    );
}

const MODELS: readonly (readonly [keyof typeof TABLE, string, ClientModel])[] = [
  ["Service", "", V1Service],
  ["Service", "metadata", V1ObjectMeta],
  ["Service", "metadata.ownerReferences.*", V1OwnerReference],
  ["Service", "spec", V1ServiceSpec],
  ["Service", "spec.ports.*", V1ServicePort],
  ["EndpointSlice", "", V1EndpointSlice],
  ["EndpointSlice", "endpoints.*", V1Endpoint],
  ["EndpointSlice", "endpoints.*.conditions", V1EndpointConditions],
  ["EndpointSlice", "ports.*", DiscoveryV1EndpointPort],
  ["Ingress", "", V1Ingress],
  ["Ingress", "spec", V1IngressSpec],
  ["Ingress", "spec.tls.*", V1IngressTLS],
  ["Ingress", "spec.rules.*.http.paths.*", V1HTTPIngressPath],
  ["Ingress", "spec.defaultBackend", V1IngressBackend],
  ["Ingress", "spec.defaultBackend.resource", V1TypedLocalObjectReference],
  ["Ingress", "spec.defaultBackend.service", V1IngressServiceBackend],
  ["Ingress", "spec.defaultBackend.service.port", V1ServiceBackendPort],
  ["IngressClass", "", V1IngressClass],
  ["IngressClass", "spec", V1IngressClassSpec],
  ["IngressClass", "spec.parameters", V1IngressClassParametersReference],
  ["Secret", "", V1Secret],
  ["ConfigMap", "", V1ConfigMap],
  ["Namespace", "", V1Namespace],
  ["Namespace", "spec", V1NamespaceSpec],
];

it.each(MODELS)("%s %s has the fields of Kubernetes' client", (kind, path, model) => {
  const known = Object.keys(at(TABLE[kind].schema, path).properties ?? {});
  const expected = model.getAttributeTypeMap().map(({ baseName }) => baseName);
  // Every schema lets a status stand; some kinds have none.
  const isObject = path === "" && !expected.includes("status");
  expect(known.sort()).toEqual([...expected, ...(isObject ? ["status"] : [])].sort());
});

it.each(Object.keys(TABLE))("the schema of %s is one", (kind) => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: false, keywords: [...KUBERNETES_KEYWORDS] });
  expect(() => ajv.compile(TABLE[kind as keyof typeof TABLE].schema)).not.toThrow();
});

describe.each(["ALB2", "Frontend", "Rule", "AuthPolicy"] as const)("%s", (kind) => {
  it("describes its fields", () => {
    const undescribed: string[] = [];
    const visit = (schema: JsonSchema, path: string): void => {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const place = `${path}.${name}`;
        if (property.description === undefined && !SELF_EXPLAINING.test(place)) {
          undescribed.push(place);
        }
        visit(property, place);
      }
      if (schema.items !== undefined) visit(schema.items, `${path}[]`);
    };
    visit(at(TABLE[kind].schema, "spec"), "");
    expect(undescribed).toEqual([]);
  });
});

test.each(GATEWAY_KINDS)("%s is read in the versions that its CRD serves", (kind) => {
  const served = definitionOf(kind).spec.versions.filter((version) => version.served);
  expect([...TABLE[kind].versions].sort()).toEqual(served.map(({ name }) => name).sort());
});

/** References name what they refer to; the object around them is described. */
const SELF_EXPLAINING =
  /\.(group|kind|name|namespace|sectionName|type|config|description|enableLbSvc)$|services\[\]\.name$/;
