/**
 * Objects of every kind that a tenant may write, with every field of their schemas. Most of them are another namespace's objects with
 * some fields changed, since an object of random fields alone is seldom accepted.
 */
import { KIND_NAMES, type KindName } from "../../../src/api/kinds.js";
import { kindTable } from "../../../src/input/kind-table.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { fc } from "../fast-check.js";
import type { Json } from "../hostile-input.js";
import { annotations } from "./ingresses.js";
import type { Manifest } from "./manifest.js";
import { type Claimed, claimedBy } from "./claimed.js";
import { SchemaValues, type Values } from "./schema-values.js";

const KINDS = kindTable(DEFAULT_OPTIONS.domains.group);

/** Kinds in namespaces that only an operator may write (docs/operations.md). */
const OPERATORS: readonly KindName[] = ["ALB2", "Frontend", "Rule"];

export const TENANT_KINDS = KIND_NAMES.filter(
  (kind) => KINDS[kind].namespaced && !OPERATORS.includes(kind),
);

const TEXTS = [
  ...["web", "", "/", "evil.example", "http://evil.example/", "X-Evil", "*", "10s", "Evil"],
  ...["albc.example/evil", "true", "h2c"],
];
const PATTERNS = ["/.*", "/a(dmin|/.*)", "^/.*"];
const FILTER_TYPES = [
  ...["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "RequestMirror"],
  ...["URLRewrite", "CORS", "ExternalAuth", "ExtensionRef"],
];

const some = (...values: readonly Json[]): fc.Arbitrary<Json> => fc.constantFrom(...values);
const label = fc.dictionary(
  fc.constantFrom(
    ...["kubernetes.io/service-name", "gateway.networking.k8s.io/gateway-name", "cpaas.io/project"],
    ...["alb2.cpaas.io/name", "alb2.cpaas.io/frontend", "alb2.cpaas.io/source-type"],
  ),
  fc.constantFrom("web", "secure", "edge", "alb", "alb-00080", "victim"),
  { maxKeys: 2 },
);
const remembered = fc.dictionary(
  fc.constantFrom("alb.ingress.cpaas.io/gateway-addresses", "kubernetes.io/ingress.class"),
  fc.constantFrom("192.0.2.1", "192.0.2.2", "nginx", "albc"),
  { maxKeys: 1 },
);
const APR1 = "tenant:$apr1$abcdefgh$AbCdEfGhIjKlMnOpQrStU/\n";
const data = (encode: (text: string) => string): fc.Arbitrary<Json> =>
  fc.dictionary(
    fc.constantFrom("auth", "tls.crt", "tls.key", "ca.crt", "X-Secret", "bodyLimit", "tenant"),
    fc.constantFrom(APR1, "1", "evil").map(encode),
    { maxKeys: 3 },
  );
const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** A timestamp of its own is younger than every victim's. */
const CREATED = ["2024-01-01T00:00:01Z", "2024-06-01T00:00:00Z", "2025-01-01T00:00:00Z"];

function valuesFor(kind: KindName, wanted: Claimed): Values {
  const { group } = KINDS[kind];
  return {
    apiVersion: some(
      ...KINDS[kind].versions.map((version) => (group === "" ? version : `${group}/${version}`)),
    ),
    "metadata.name": some(...wanted.names),
    "metadata.namespace": some("tenant"),
    creationTimestamp: some(...CREATED),
    deletionTimestamp: some(...CREATED),
    annotations: kind === "Ingress" ? annotations : remembered,
    labels: label,
    status: some({}, { addresses: [{ type: "IPAddress", value: "192.0.2.1" }] }),
    managedFields: some([]),
    name: some(...wanted.names),
    namespace: some("victim", "tenant", "ops"),
    group: some("", "gateway.networking.k8s.io", DEFAULT_OPTIONS.domains.group),
    kind: some(...KIND_NAMES),
    sectionName: some(...wanted.sections),
    "listeners.*.name": some(...wanted.sections),
    host: some(...wanted.hosts),
    hostname: some(...wanted.hosts),
    "hosts.*": some(...wanted.hosts),
    "hostnames.*": some(...wanted.hosts),
    port: some(...wanted.ports),
    number: some(...wanted.ports),
    protocol: some("HTTP", "HTTPS", "TLS", "TCP", "UDP"),
    "tls.mode": some("Terminate", "Passthrough"),
    "validation.mode": some("AllowValidOnly", "AllowInsecureFallback"),
    "namespaces.from": some("All", "Same", "Selector", "None"),
    "filters.*.type": some(...FILTER_TYPES),
    "requests.*.type": some(...FILTER_TYPES),
    "path.type": some("Exact", "PathPrefix", "RegularExpression", "ReplaceFullPath"),
    type: some("Exact", "RegularExpression", "ClusterIP", "ExternalName", "IPAddress", "Hostname"),
    "path.value": some(...wanted.paths, ...PATTERNS),
    "paths.*.path": some(...wanted.paths, ...PATTERNS),
    "matches.*.method": kind === "HTTPRoute" ? some("GET", "POST") : undefined,
    service: kind === "GRPCRoute" ? some("shop.Admin", "shop.Web") : undefined,
    gatewayClassName: some("albc"),
    ingressClassName: some("nginx", "alb"),
    secretName: some("tls", "missing"),
    secret: some("victim/users", "tenant/users"),
    auth_headers_cm_ref: some("victim/ca", "tenant/ca"),
    "addresses.*": kind === "EndpointSlice" ? some("10.9.9.9", "10.0.0.1") : undefined,
    "addresses.*.value": some("192.0.2.1", "192.0.2.2", ""),
    useDefaultGateways: some("All", "None"),
    defaultScope: some("All", "None"),
    data: data(kind === "Secret" ? base64 : String),
    stringData: data(String),
    binaryData: data(base64),
    resourceVersion: some("1", "999999999"),
    uid: some("a"),
    uri: some("spiffe://evil.example/x"),
    "http.path": some("/check"),
    controllerName: some("alb.cpaas.io/gateway-controller"),
  };
}

function generator(kind: KindName, wanted: Claimed): SchemaValues {
  return new SchemaValues(valuesFor(kind, wanted), TEXTS);
}

/** Text fields that are never generated. */
export function missingValues(kind: KindName, others: readonly Manifest[]): readonly string[] {
  return generator(kind, wantedOf(others)).missing(KINDS[kind].schema, [kind]);
}

/** Some of them; most resemble objects of others. */
export function tenantObjects(others: readonly Manifest[]): fc.Arbitrary<readonly Manifest[]> {
  const wanted = wantedOf(others);
  const all = TENANT_KINDS.flatMap((kind) => {
    const values = generator(kind, wanted);
    const twins = others.filter((object) => object.kind === kind);
    const more = kind === "Ingress" ? annotations : fc.constant({});
    return [undefined, ...twins].map((twin) =>
      fc
        .tuple(values.of(KINDS[kind].schema, [kind], twin as Json | undefined), more)
        .map(([object, added]) => placed(kind, object as unknown as Manifest, added)),
    );
  });
  return fc.array(fc.oneof(...all), { minLength: 1, maxLength: 10, size: "max" });
}

function wantedOf(others: readonly Manifest[]): Claimed {
  const claimed = claimedBy(others);
  return { ...claimed, hosts: [...claimed.hosts, ...claimed.hosts.flatMap(around)] };
}

/** The wildcard above a host, and a name or a wildcard below it. */
function around(host: string): readonly string[] {
  const name = host.replace("*.", "");
  return [name.replace(/^[^.]*/, "*"), `x.${name}`, `*.${name}`];
}

type Annotations = NonNullable<Manifest["metadata"]["annotations"]>;

function placed(kind: KindName, { metadata, ...rest }: Manifest, added: Annotations): Manifest {
  const { creationTimestamp: created = "" } = metadata;
  return {
    ...rest,
    kind,
    metadata: {
      ...metadata,
      generation: 1,
      namespace: "tenant",
      creationTimestamp: CREATED.includes(created) ? created : (CREATED[0] ?? ""),
      annotations: { ...metadata.annotations, ...added },
    },
  };
}
