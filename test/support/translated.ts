/** Manifests, translated: what tests ask about the result. */
import type { Resources } from "../../src/input/resources.js";
import { DiagnosticSink } from "../../src/diagnostics/sink.js";
import { formatFieldPath } from "../../src/diagnostics/diagnostic.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { hostKey } from "../../src/model/values.js";
import type { DataPlaneConfig } from "../../src/model/config.js";
import type { Route, RouteBinding } from "../../src/model/route.js";
import type { Endpoint } from "../../src/model/upstream.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { ObjectStatus } from "../../src/status/object-status.js";
import { compareStrings } from "../../src/support/collections.js";

import {
  type Translation,
  TranslationMemory,
  endpointReports,
  newEndpoints,
  translateRouting,
  withUpstreams,
} from "../../src/translate.js";

export interface Translated {
  readonly config: DataPlaneConfig;
  readonly statuses: readonly ObjectStatus[];
  /** `<code> <kind> <namespace>/<name> <field>`. */
  readonly reports: readonly string[];
  /** Messages of the reports with a code. */
  messages(code: string): readonly string[];
  /** What to do about them. */
  hints(code: string): readonly (string | undefined)[];
  route(id: string): Route;
  /** The bindings of a port in the order in which they are tried, as `<host key> <path> → <route>`. */
  tried(port: number): readonly string[];
  bindings(route: string): readonly RouteBinding[];
  endpoints(upstream: string): readonly Endpoint[] | undefined;
  /** `<server> <host key>` of each certificate, with the position of its id among the certificates. */
  certificates(): readonly string[];
}

/** Everything that is translated, but for what throws. */
export function translate(
  resources: Resources,
  options: CompileOptions,
  diagnostics: DiagnosticSink,
): Translation {
  const routing = translateRouting(resources, options, diagnostics, new TranslationMemory());
  const endpoints = newEndpoints();
  const translation = withUpstreams(routing, resources, endpoints, options);
  diagnostics.addAll(endpointReports(endpoints));
  return translation;
}

export function translated(yaml: string, options: Partial<CompileOptions> = {}): Translated {
  const loaded = resourcesFromYaml(yaml);
  const sink = new DiagnosticSink();
  const { config, statuses } = translate(
    loaded.resources,
    { ...DEFAULT_OPTIONS, ...options },
    sink,
  );
  const diagnostics = sink.sorted(loaded.resources.locate);
  return {
    config,
    statuses,
    reports: diagnostics.map(({ code, resource, field }) =>
      resource === undefined
        ? code
        : `${code} ${resource.kind} ${resource.namespace}/${resource.name} ${formatFieldPath(field ?? [])}`,
    ),
    messages: (code) =>
      diagnostics.filter((each) => each.code === code).map(({ message }) => message),
    hints: (code) => diagnostics.filter((each) => each.code === code).map(({ hint }) => hint),
    route: (id) => found(config.routes, id),
    tried: (port) => tried(config, port),
    bindings: (route) => config.bindings.filter((binding) => binding.route === route),
    endpoints: (id) => config.upstreams.find((upstream) => upstream.id === id)?.endpoints,
    certificates: () =>
      config.serverCertificates.map(
        ({ server, host, certificate }) =>
          `${server} ${hostKey(host)} ${String(config.certificates.findIndex(({ id }) => id === certificate))}`,
      ),
  };
}

function found<T extends { readonly id: string }>(values: readonly T[], id: string): T {
  const value = values.find((candidate) => candidate.id === id);
  if (value === undefined) {
    throw new Error(`no ${id}; there are ${values.map((candidate) => candidate.id).join(", ")}`);
  }
  return value;
}

function tried(config: DataPlaneConfig, port: number): readonly string[] {
  const server = config.servers.find((candidate) => candidate.port === port);
  const listeners = config.listeners
    .filter((listener) => listener.server === server?.id)
    .map(({ id }) => id);
  return placesOf(config)
    .filter(({ listener }) => listeners.includes(listener))
    .sort((a, b) => compareStrings(a.order, b.order))
    .map(({ host, path, route }) => `${hostKey(host)} ${pathText(path)} → ${route}`.trim());
}

/** A line for each place of each binding. */
export function placesOf({ bindings }: Pick<DataPlaneConfig, "bindings">) {
  return bindings.flatMap(({ at, order, path, route }) =>
    at.flatMap(({ listeners, hosts }) =>
      listeners.flatMap((listener) =>
        hosts.map(({ host, rank }) => ({ listener, host, order: rank + order, path, route })),
      ),
    ),
  );
}

function pathText(path: RouteBinding["path"]): string {
  if (path === undefined) return "any";
  const [kind, text] = path;
  return `${kind} ${text}${kind === "prefix" ? "/" : ""}`;
}

/** A Service on port 80 (named http) with one ready endpoint. */
export function service(name: string, namespace = "default"): string {
  return `
---
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}-1, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints: [{addresses: [10.0.0.1]}]
`;
}

export interface IngressText {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly created?: string;
  /** `spec`, as JSON. */
  readonly spec: unknown;
}

export function ingress(name: string, text: IngressText): string {
  const metadata = {
    name,
    namespace: text.namespace ?? "default",
    ...(text.annotations && { annotations: text.annotations }),
    ...(text.created !== undefined && { creationTimestamp: text.created }),
  };
  return document("networking.k8s.io/v1", "Ingress", metadata, text.spec);
}

/** Rules of an Ingress: host → paths of type Prefix on the Service `web`. */
export function rules(hosts: Readonly<Record<string, readonly string[]>>): unknown {
  return {
    rules: Object.entries(hosts).map(([host, paths]) => ({
      ...(host !== "" && { host }),
      http: { paths: paths.map((path) => prefix(path)) },
    })),
  };
}

export function prefix(path: string, name = "web", pathType = "Prefix"): unknown {
  return { path, pathType, backend: { service: { name, port: { number: 80 } } } };
}

export function nginx(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return prefixed("nginx.ingress.kubernetes.io", annotations);
}

/** Own annotations, of one path where `index` is given. */
export function own(
  annotations: Readonly<Record<string, string>>,
  index?: string,
): Record<string, string> {
  const domain = "alb.ingress.cpaas.io";
  return prefixed(index === undefined ? domain : `index.${index}.${domain}`, annotations);
}

function prefixed(
  prefix: string,
  annotations: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`${prefix}/${name}`, value]),
  );
}

const ALB_NAMESPACE = "cpaas-system";

export function alb2(name: string, config: unknown = {}, created?: string): string {
  const metadata = {
    name,
    namespace: ALB_NAMESPACE,
    ...(created !== undefined && { creationTimestamp: created }),
  };
  return document("crd.alauda.io/v2", "ALB2", metadata, { type: "nginx", config });
}

export function frontend(name: string, alb: string, spec: unknown, created?: string): string {
  const metadata = {
    name,
    namespace: ALB_NAMESPACE,
    labels: { "alb2.cpaas.io/name": alb },
    ...(created !== undefined && { creationTimestamp: created }),
  };
  return document("crd.alauda.io/v1", "Frontend", metadata, spec);
}

export interface RuleText {
  readonly alb?: string;
  readonly frontend?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly created?: string;
}

export function rule(name: string, spec: unknown, text: RuleText = {}): string {
  const metadata = {
    name,
    namespace: ALB_NAMESPACE,
    labels: {
      "alb2.cpaas.io/name": text.alb ?? "alb",
      "alb2.cpaas.io/frontend": text.frontend ?? "ft",
    },
    ...(text.annotations && { annotations: text.annotations }),
    ...(text.created !== undefined && { creationTimestamp: text.created }),
  };
  return document("crd.alauda.io/v1", "Rule", metadata, spec);
}

/** A serviceGroup with the Service `web`, and a dslx for any path. */
export const GROUP = { services: [{ name: "web", namespace: "default", port: 80, weight: 1 }] };
export const ANY = [{ type: "URL", values: [["STARTS_WITH", "/"]] }];
/** The config of an ALB2 that takes no Ingresses. */
export const NO_INGRESS = { projects: ["ALL_ALL"], ingressHTTPPort: 0, ingressHTTPSPort: 0 };
/** What the Rule of `oneRule` needs. */
export const BASE =
  service("web") + alb2("alb", NO_INGRESS) + frontend("ft", "alb", { port: 80, protocol: "http" });

/** The translation of one Rule on BASE. */
export function oneRule(spec: object, text: RuleText = {}): Translated {
  return translated(BASE + rule("r", { dslx: ANY, serviceGroup: GROUP, ...spec }, text));
}

function document(apiVersion: string, kind: string, metadata: unknown, spec?: unknown): string {
  return `\n---\n${JSON.stringify({ apiVersion, kind, metadata, ...(spec !== undefined && { spec }) })}\n`;
}
