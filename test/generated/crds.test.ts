import { dump } from "js-yaml";
import { ALB2_SCHEMA, FRONTEND_SCHEMA, RULE_SCHEMA } from "../../src/api/alb.js";
import { AUTH_POLICY_SCHEMA } from "../../src/api/auth.js";
import type { JsonSchema } from "../../src/api/schemas/schema.js";
import { kindTable } from "../../src/input/kind-table.js";
import { expectGenerated } from "../support/generated-file.js";

const GROUP = "crd.alauda.io";

interface CustomResource {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly versions: readonly string[];
  /** The version that etcd holds. Clusters that have these kinds already hold them in this one. */
  readonly storage: string;
  readonly schema: JsonSchema;
  /** Column title → JSON path. */
  readonly columns: Readonly<Record<string, string>>;
}

const RESOURCES: readonly CustomResource[] = [
  {
    kind: "ALB2",
    plural: "alaudaloadbalancer2",
    shortName: "alb2",
    versions: ["v2", "v2beta1"],
    storage: "v2beta1",
    schema: ALB2_SCHEMA,
    columns: { address: ".spec.address", state: ".status.state" },
  },
  {
    kind: "Frontend",
    plural: "frontends",
    shortName: "ft",
    versions: ["v1"],
    storage: "v1",
    schema: FRONTEND_SCHEMA,
    columns: { port: ".spec.port", protocol: ".spec.protocol" },
  },
  {
    kind: "Rule",
    plural: "rules",
    shortName: "rl",
    versions: ["v1"],
    storage: "v1",
    schema: RULE_SCHEMA,
    columns: {
      priority: ".spec.priority",
      dsl: ".spec.dsl",
      type: ".spec.source.type",
      namespace: ".spec.source.namespace",
      name: ".spec.source.name",
    },
  },
  {
    kind: "AuthPolicy",
    plural: "authpolicies",
    shortName: "ap",
    versions: ["v1alpha1"],
    storage: "v1alpha1",
    schema: AUTH_POLICY_SCHEMA,
    columns: {
      target: ".spec.targetRefs[*].name",
      accepted: '.status.ancestors[0].conditions[?(@.type=="Accepted")].status',
    },
  },
];

test.each(RESOURCES)("deploy/crds holds the definition of $kind", (resource) => {
  const text = `# Generated from src/api/schemas; \`make golden-update\` rewrites it.\n${dump(definition(resource), { lineWidth: 120, noRefs: true })}`;
  expectGenerated(`deploy/crds/${GROUP}_${resource.plural}.yaml`, text);
});

test("the definitions have the versions that are read", () => {
  const table = kindTable(GROUP);
  for (const resource of RESOURCES) {
    const row = Object.entries(table).find(([kind]) => kind === resource.kind)?.[1];
    expect(row?.versions).toEqual(resource.versions);
    expect(resource.versions).toContain(resource.storage);
  }
});

function definition(resource: CustomResource): object {
  const { kind, plural, shortName, versions } = resource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
      },
      versions: versions.map((name) => version(resource, name)),
    },
  };
}

function version(resource: CustomResource, name: string): object {
  return {
    name,
    served: true,
    storage: name === resource.storage,
    schema: { openAPIV3Schema: structural(withoutMetadata(resource.schema)) },
    subresources: { status: {} },
    additionalPrinterColumns: Object.entries(resource.columns).map(([column, jsonPath]) => ({
      name: column,
      jsonPath,
      type: column === "priority" || column === "port" ? "integer" : "string",
    })),
  };
}

/** An API server checks metadata itself and lets a definition say nothing about it. */
function withoutMetadata(schema: JsonSchema): JsonSchema {
  const { metadata: _metadata, ...properties } = schema.properties ?? {};
  const required = (schema.required ?? []).filter((name) => name === "spec");
  return { ...schema, properties: { ...properties, metadata: { type: "object" } }, required };
}

/** Structural schemas take `anyOf` with types only beside x-kubernetes-int-or-string; empty lists are left out. */
function structural(schema: JsonSchema): JsonSchema {
  const { anyOf, required, properties, items, additionalProperties, admission, ...rest } = schema;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  return {
    ...rest,
    ...admission,
    ...(anyOf !== undefined && intOrString ? { anyOf } : {}),
    ...(required !== undefined && required.length > 0 ? { required } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, structural(property)]),
          ),
        }),
    ...(items === undefined ? {} : { items: structural(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: structural(additionalProperties) }),
  };
}
