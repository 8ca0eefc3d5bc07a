/**
 * Gateway API's CRDs as types and schemas: the texts of src/api/gateway.ts and src/api/schemas/gateway-schemas.ts. Both are of version v1, or the
 * newest that there is, of the experimental channel, which has every field of the standard one.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { format } from "prettier";
import type { JsonSchema } from "../../src/api/schemas/schema.js";
import { gatewayApi } from "./gateway-api.js";

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

export type GatewayKind = keyof typeof PLURALS;
export const GATEWAY_KINDS = Object.keys(PLURALS) as GatewayKind[];

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: JsonSchema };
    }[];
  };
}

export function definitionOf(kind: GatewayKind): Definition {
  const file = `config/crd/experimental/gateway.networking.k8s.io_${PLURALS[kind]}.yaml`;
  return load(readFileSync(join(gatewayApi("api"), file), "utf8")) as Definition;
}

/** Names of objects, by the end of their path: `rules[].filters[]`. What has one name in several kinds has the fields of all of them. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(Gateway|ListenerSet) spec\.listeners\[\]$/, "GatewayListener"],
  [/^(Gateway|ListenerSet) status\.listeners\[\]$/, "WireListenerStatus"],
  [/^HTTPRoute spec\.rules\[\]$/, "HttpRouteRule"],
  [/^HTTPRoute .*\.matches\[\]$/, "HttpRouteMatch"],
  [/^GRPCRoute spec\.rules\[\]$/, "GrpcRouteRule"],
  [/^(TLS|TCP|UDP)Route spec\.rules\[\]$/, "StreamRouteRule"],
  [/^(TLS|TCP|UDP)Route .*\.backendRefs\[\]$/, "StreamBackendRef"],
  [/Route status$/, "RouteStatus"],
  [/^BackendTLSPolicy status$/, "PolicyStatus"],
  [/\.conditions\[\]$/, "WireCondition"],
  [/\.parents\[\]$/, "RouteParentStatus"],
  [/\.ancestors\[\]$/, "PolicyAncestorStatus"],
  [/\.(extensionRef|parametersRef|caCertificateRefs\[\])$/, "ObjectReference"],
  [/\.(certificateRefs\[\]|clientCertificateRef)$/, "SecretReference"],
  [/\.namespaces$/, "FromNamespaces"],
  [/\.selector$/, "LabelSelector"],
  [/\.frontend\.default$|\.perPort\[\]\.tls$/, "FrontendTls"],
  [/\.(parentRefs\[\]|parentRef|ancestorRef)$/, "ParentReference"],
  [/\.targetRefs\[\]$/, "PolicyTargetReference"],
  [/\.(headers|queryParams)\[\]$/, "ValueMatch"],
  [/\.retry$/, "HttpRouteRetry"],
  [/\.sessionPersistence$/, "SessionPersistenceSpec"],
  [/\.(filters|requests)\[\]$/, "RouteFilter"],
  [/\.backendRefs\[\]$/, "RouteBackendRef"],
  [/\.backendRef$/, "BackendReference"],
  [/HeaderModifier$/, "HeaderModifier"],
  [/\.(requestRedirect|urlRewrite)\.path$/, "PathModifier"],
  [/\.externalAuth$/, "ExternalAuthFilter"],
];

/** Where the CRDs are not followed; the path is that of NAMES. */
const CHANGES: readonly (readonly [RegExp, (schema: JsonSchema) => JsonSchema])[] = [
  // Values that are not known get a condition.
  [/^Gateway spec\.addresses\[\]\.type$|\.listeners\[\]\.protocol$/, withoutPattern],
  [/\.wellKnownCACertificates$/, withoutPattern],
  // The standard channel takes an empty list beside wellKnownCACertificates.
  [/^BackendTLSPolicy .*\.caCertificateRefs$/, ({ minItems: _, ...schema }) => schema],
  // The standard channel takes any text, this one printable ASCII. In between: no control characters, which no header can hold.
  [
    /\.(add|set|headers)\[\]\.value$/,
    (schema) => ({ ...schema, pattern: String.raw`^[^\x00-\x08\x0a-\x1f\x7f]+$` }),
  ],
  // A TLSRoute of v1alpha2 needs no hostnames; of the others input/rules/route.ts says that they do.
  [/^TLSRoute spec$/, requiring("rules")],
  // Of a status: what is not written by all controllers may be absent.
  [/\.conditions\[\]$/, requiring("type", "status", "reason", "message")],
  [/\.parents\[\]$/, requiring("parentRef", "controllerName")],
  [/\.ancestors\[\]$/, requiring("ancestorRef", "controllerName")],
  [/ status$/, requiring()],
  // Fields of v1.6.
  [
    /\.sessionPersistence$/,
    (schema) => {
      const { absoluteTimeout = {}, cookie } = schema.properties ?? {};
      const { lifetimeType = {} } = cookie?.properties ?? {};
      const former = {
        idleTimeout: absoluteTimeout,
        sessionName: { type: "string", maxLength: 128 },
        cookieConfig: { type: "object", properties: { lifetimeType } },
      } as const;
      return { ...schema, properties: { ...schema.properties, ...former } };
    },
  ],
];

function withoutPattern({ pattern: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function requiring(...required: readonly string[]): (schema: JsonSchema) => JsonSchema {
  return ({ required: _, ...schema }) => ({ ...schema, ...(required.length > 0 && { required }) });
}

const FACETS = [
  "type",
  "required",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "maxProperties",
] as const satisfies readonly (keyof JsonSchema)[];
const MOST_INT32 = 2 ** 31 - 1;

/** A schema of the CRDs, its path, and what of it is checked here. */
interface Node {
  readonly path: string;
  readonly schema: JsonSchema;
  /** The values that the CRD knows. */
  readonly values: readonly unknown[];
  readonly properties: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
}

function nodeOf(given: JsonSchema, path: string): Node {
  const found = CHANGES.filter(([pattern]) => pattern.test(path));
  const changed = found.reduce((schema, [, change]) => change(schema), given);
  const { properties = {}, items, additionalProperties, enum: values = [] } = changed;
  const entries = Object.entries(properties).map(
    ([name, each]) =>
      [name, nodeOf(each, `${path}${path.includes(" ") ? "." : " "}${name}`)] as const,
  );
  return {
    path,
    values,
    schema: values.length > 0 ? facetsOf(open(changed), path) : facetsOf(changed, path),
    properties: Object.fromEntries(entries),
    ...(items && { items: nodeOf(items, `${path}[]`) }),
    ...(additionalProperties && {
      additionalProperties: nodeOf(additionalProperties, `${path}{}`),
    }),
  };
}

/** A set of values that may grow is open: one that is not known gets a condition, and the object is read. */
function open({ type, default: value }: JsonSchema): JsonSchema {
  return {
    ...(type && { type }),
    ...(type === "string" && { maxLength: 253 }),
    ...(value !== undefined && { default: value }),
  };
}

function facetsOf(schema: JsonSchema, path: string): JsonSchema {
  const entries = FACETS.flatMap((name) => {
    const value = schema[name];
    const saysNothing = value === undefined || (name === "minLength" && value === 0);
    return saysNothing ? [] : [[name, value] as const];
  });
  // Nobody is held to the limits of a status.
  if (path.includes(" status"))
    return Object.fromEntries(entries.filter(([name]) => name === "type" || name === "required"));
  const isInt32 = "format" in schema && schema.format === "int32" && schema.maximum === undefined;
  return { ...Object.fromEntries(entries), ...(isInt32 && { maximum: MOST_INT32 }) };
}

function nodesOf(field: "spec" | "status"): ReadonlyMap<GatewayKind, Node> {
  const nodes = GATEWAY_KINDS.flatMap((kind): [GatewayKind, Node][] => {
    const [stored] = definitionOf(kind).spec.versions;
    const schema = stored?.schema.openAPIV3Schema.properties?.[field];
    return schema === undefined ? [] : [[kind, nodeOf(schema, `${kind} ${field}`)]];
  });
  return new Map(nodes);
}

const HEAD =
  "Made by test/support/gateway-types.ts from the CRDs of Gateway API v1.7 (`make golden-update`).";

/** The text of src/api/gateway.ts. */
export async function typesText(): Promise<string> {
  const declarations = new Map<string, Node[]>();
  const [specs, statuses] = [nodesOf("spec"), nodesOf("status")];
  const kinds = [...specs].map(([kind, spec]) => {
    const status = statuses.get(kind);
    return [
      `export interface ${typeName(kind)} extends KubernetesObject {`,
      `readonly spec: ${typeText(spec, declarations)};`,
      ...(status === undefined ? [] : [`readonly status?: ${typeText(status, declarations)};`]),
      "}\n",
    ].join("\n");
  });
  // A declaration may need others, which come after it.
  const texts: string[] = [];
  for (const [name, nodes] of declarations)
    texts.push(`export interface ${name} ${fieldsText(nodes, declarations)}\n`);
  const lines = [
    `/** ${HEAD} A set of values may grow: the ones that are known stand above the field. */`,
    'import type { KubernetesObject } from "./wire.js";\n',
    ...kinds,
    "export type StreamRoute = TlsRoute | TcpRoute | UdpRoute;\n",
    "/** What HTTPRoute and GRPCRoute have in common. */",
    'export type CommonRouteSpec = Pick<HttpRoute["spec"], "parentRefs" | "useDefaultGateways" | "hostnames">;\n',
    ...texts,
  ];
  return format(lines.join("\n"), { parser: "typescript", printWidth: 100 });
}

/** HTTPRoute is HttpRoute. */
function typeName(kind: GatewayKind): string {
  return kind.replace(
    /^[A-Z]+(?=[A-Z])|TLS/,
    (word) => word.charAt(0) + word.slice(1).toLowerCase(),
  );
}

function typeText(node: Node, declarations: Map<string, Node[]>): string {
  const { path, schema, properties, items, additionalProperties } = node;
  const [, name] = NAMES.find(([pattern]) => pattern.test(path)) ?? [];
  if (name !== undefined) {
    const known = declarations.get(name);
    if (known === undefined) declarations.set(name, [node]);
    else known.push(node);
    return name;
  }
  if (items !== undefined) return `readonly ${inBrackets(typeText(items, declarations))}[]`;
  if (additionalProperties !== undefined)
    return `Readonly<Record<string, ${typeText(additionalProperties, declarations)}>>`;
  if (Object.keys(properties).length > 0) return fieldsText([node], declarations);
  return schema.type === "integer" ? "number" : String(schema.type);
}

const inBrackets = (type: string): string => (type.startsWith("readonly") ? `(${type})` : type);

/** With the fields of all of them; required is what all require. */
function fieldsText(nodes: readonly Node[], declarations: Map<string, Node[]>): string {
  const names = new Set(nodes.flatMap(({ properties }) => Object.keys(properties)));
  const lines = [...names].map((name) => {
    const fields = nodes.flatMap(({ properties }) => properties[name] ?? []);
    const isRequired = nodes.every(({ schema }) => schema.required?.includes(name) === true);
    const values = new Set(fields.flatMap((each) => each.values));
    const comment = values.size > 0 ? `/** ${[...values].join(", ")}. */\n` : "";
    const [type = "unknown"] = fields.map((field) => typeText(field, declarations));
    return `${comment}readonly ${name}${isRequired ? "" : "?"}: ${type};`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

/** Shorter schemas are written again where they are needed. */
const SHORT = 40;

/** The text of src/api/schemas/gateway-schemas.ts: what several places have in common stands once. */
export function schemasText(): string {
  const [specs, statuses] = [nodesOf("spec"), nodesOf("status")];
  const counts = new Map<string, number>();
  for (const node of [...specs.values(), ...statuses.values()]) count(node, counts);
  const constants = new Map<string, string>();
  const lines: string[] = [];
  const table = (name: string, nodes: ReadonlyMap<GatewayKind, Node>): string => {
    const rows = [...nodes].map(([kind, node]) => `  ${kind}: ${write(node)},\n`);
    return `export const ${name} = {\n${rows.join("")}} as const satisfies Readonly<Record<string, JsonSchema>>;\n`;
  };
  const write = (node: Node): string => {
    const [key, text] = [textOf(node, (each) => textOf(each)), textOf(node, write)];
    if (key.length < SHORT || (counts.get(key) ?? 0) < 2) return text;
    const known = constants.get(key);
    if (known !== undefined) return known;
    const name = freeName(node.path, new Set(constants.values()));
    constants.set(key, name);
    lines.push(`const ${name}: JsonSchema = ${text};`);
    return name;
  };
  const tables = [
    table("GATEWAY_SPECS", specs),
    `/** What is read of a status. */\n${table("GATEWAY_STATUSES", statuses)}`,
  ];
  return [
    `/** ${HEAD} */`,
    'import type { JsonSchema } from "./schema.js";\n',
    ...lines,
    "",
    tables.join("\n"),
  ].join("\n");
}

function count(node: Node, counts: Map<string, number>): void {
  const text = textOf(node, (each) => textOf(each));
  counts.set(text, (counts.get(text) ?? 0) + 1);
  // What stands in a constant stands there once.
  if (counts.get(text) === 1) for (const each of childrenOf(node)) count(each, counts);
}

function childrenOf({ properties, items, additionalProperties }: Node): readonly Node[] {
  return [...Object.values(properties), items, additionalProperties].flatMap((each) => each ?? []);
}

/** As a literal; `write` gives the text of what is in it. */
function textOf(node: Node, write: (node: Node) => string = textOf): string {
  const { schema, properties, items, additionalProperties } = node;
  const fields = Object.entries(properties).map(([name, each]) => `${name}: ${write(each)}`);
  const parts = [
    ...Object.entries(schema).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(fields.length > 0 ? [`properties: { ${fields.join(", ")} }`] : []),
    ...(items ? [`items: ${write(items)}`] : []),
    ...(additionalProperties ? [`additionalProperties: ${write(additionalProperties)}`] : []),
  ];
  return `{ ${parts.join(", ")} }`;
}

/** Of the last field of a path: `spec.rules[].backendRefs[]` is BACKEND_REFS_ITEM. */
function freeName(path: string, taken: ReadonlySet<string>): string {
  const [field = ""] = path.split(/[. ]/).slice(-1);
  const snake = field
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("[]", "_ITEM")
    .replaceAll("{}", "_VALUE")
    .toUpperCase();
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? snake : `${snake}_${String(i)}`;
    if (!taken.has(name)) return name;
  }
}
