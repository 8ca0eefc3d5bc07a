/** The schemas of Gateway API's kinds say what its CRDs say, but for what is listed here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { JsonSchema } from "../../../src/api/schemas/schema.js";
import { kindTable } from "../../../src/input/kind-table.js";
import { gatewayApi } from "../../support/gateway-api.js";

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: JsonSchema };
    }[];
  };
}

const PLURALS = {
  GatewayClass: "gatewayclasses",
  Gateway: "gateways",
  ListenerSet: "listenersets",
  HTTPRoute: "httproutes",
  GRPCRoute: "grpcroutes",
  TLSRoute: "tlsroutes",
  TCPRoute: "tcproutes",
  UDPRoute: "udproutes",
  BackendTLSPolicy: "backendtlspolicies",
  ReferenceGrant: "referencegrants",
} as const;
const KINDS = Object.keys(PLURALS) as (keyof typeof PLURALS)[];
const TABLE = kindTable("crd.alauda.io");

function definition(kind: keyof typeof PLURALS): Definition {
  const file = `config/crd/experimental/gateway.networking.k8s.io_${PLURALS[kind]}.yaml`;
  return load(readFileSync(join(gatewayApi("api"), file), "utf8")) as Definition;
}

function specOf(schema: JsonSchema): JsonSchema {
  return schema.properties?.["spec"] ?? {};
}

const FACETS = [
  "type",
  "default",
  "pattern",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "maxProperties",
] as const satisfies readonly (keyof JsonSchema)[];

/** What differs, one line each. */
function* differences(ours: JsonSchema, theirs: JsonSchema, path: string): Generator<string> {
  // A set of values that may grow is open.
  const open = theirs.enum !== undefined;
  for (const facet of FACETS) {
    if (open && facet !== "type" && facet !== "default") continue;
    const [a, b] = [JSON.stringify(limit(ours, facet)), JSON.stringify(limit(theirs, facet))];
    if (a !== b) yield `${path} ${facet}: ${a} for ${b}`;
  }
  const required = [ours.required, theirs.required].map((names) => [...(names ?? [])].sort());
  if (JSON.stringify(required[0]) !== JSON.stringify(required[1])) yield `${path} required`;
  const names = [ours, theirs].flatMap(({ properties }) => Object.keys(properties ?? {}));
  for (const name of [...new Set(names)].sort()) {
    const [a, b] = [ours.properties?.[name], theirs.properties?.[name]];
    if (a === undefined || b === undefined) yield `${path}.${name} is only in one`;
    else yield* differences(a, b, `${path}.${name}`);
  }
  yield* differencesBelow(ours.items, theirs.items, `${path}[]`);
  yield* differencesBelow(ours.additionalProperties, theirs.additionalProperties, `${path}{}`);
}

function* differencesBelow(
  ours: JsonSchema | undefined,
  theirs: JsonSchema | undefined,
  path: string,
): Generator<string> {
  if (ours !== undefined && theirs !== undefined) yield* differences(ours, theirs, path);
  else if (ours !== theirs) yield `${path} is only in one`;
}

/** Regular expressions of which one may write a character in other ways, and limits that say nothing. */
function limit(schema: JsonSchema, facet: (typeof FACETS)[number]): unknown {
  if (facet === "pattern") return schema.pattern?.replace("\\x60", "`");
  const value = schema[facet];
  if (facet === "minLength" && value === 0) return undefined;
  const int32 = "format" in schema && schema.format === "int32" && facet === "maximum";
  return int32 && value === undefined ? 2 ** 31 - 1 : value;
}

function allDifferences(kind: keyof typeof PLURALS): readonly string[] {
  const [stored] = definition(kind).spec.versions;
  const theirs = specOf(stored?.schema.openAPIV3Schema ?? {});
  return [...differences(specOf(TABLE[kind].schema), theirs, "")];
}

const INTENDED: readonly RegExp[] = [
  // Values that are not known get a condition.
  /^\.addresses\[\]\.type pattern: undefined/,
  /^\.listeners\[\]\.protocol pattern: undefined/,
  /^\.validation\.wellKnownCACertificates pattern: undefined/,
  // The standard channel's CRDs take more.
  /^\.rules.*\.(add|set|headers)\[\]\.value pattern: "\^\[\^/,
  /^\.validation\.caCertificateRefs minItems: undefined/,
  // A TLSRoute of v1alpha2 needs no hostnames; of the others a rule says that they do.
  /^ required$/,
  // Fields of v1.6.
  /^\.rules\[\]\.sessionPersistence\.(cookieConfig|idleTimeout|sessionName) is only in one$/,
];

test.each(KINDS)("%s has the fields and limits of its CRD", (kind) => {
  const intended = (line: string): boolean => INTENDED.some((pattern) => pattern.test(line));
  expect(allDifferences(kind).filter((line) => !intended(line))).toEqual([]);
});

test("every difference that is intended is there", () => {
  const all = KINDS.flatMap(allDifferences);
  expect(INTENDED.filter((pattern) => !all.some((line) => pattern.test(line)))).toEqual([]);
});

test.each(KINDS)("%s is read in the versions that are served", (kind) => {
  const served = definition(kind).spec.versions.filter((version) => version.served);
  expect([...TABLE[kind].versions].sort()).toEqual(served.map(({ name }) => name).sort());
});
