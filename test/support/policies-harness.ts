/** Policies over manifests: every Gateway counts as ours, every listener as one that serves. */
import type { Gateway, HttpRoute, ListenerSet } from "../../src/api/gateway.js";
import { formatFieldPath } from "../../src/diagnostics/diagnostic.js";
import { DiagnosticSink, diagnosticOf, sortDiagnostics } from "../../src/diagnostics/sink.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import type { AuthConfig } from "../../src/model/auth.js";
import type { BackendTls } from "../../src/model/upstream.js";
import { ANY_HOST } from "../../src/model/values.js";
import type { ObjectStatus } from "../../src/status/object-status.js";
import type { Key } from "../../src/translate/keys.js";
import { ObjectTables } from "../../src/translate/known-objects.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { AuthContext } from "../../src/translate/auth/auth-context.js";
import { PolicyParts } from "../../src/translate/gateway/policies/auth-policies.js";
import { Whole, collecting } from "../../src/translate/parts/part.js";
import { backendClientCertificate } from "../../src/translate/gateway/gateway-certificates.js";
import type {
  GatewayState,
  ListenerState,
  Policies,
  PolicyAnswers,
  RouteReaders,
} from "../../src/translate/gateway/model.js";
import { createPolicies } from "../../src/translate/gateway/policies/gateway-policies.js";

export interface Harness {
  readonly policies: Policies;
  /** To the HTTPRoute `apps/web`. */
  readonly answers: PolicyAnswers;
  readonly build: AuthContext;
  gateway(name: string): Gateway;
  /** `<object>/<listener>`. */
  listener(name: string): ListenerState;
  route(name: string): HttpRoute;
  /** `[code, object, field, message]` of every report, those of input included. */
  reports(): readonly (readonly string[])[];
  /** Of the policy: `<ancestor> <type>=<status>/<reason>` of every condition, or undefined without a status. */
  conditions(name: string): readonly string[] | undefined;
  auth(id: string | undefined): AuthConfig | undefined;
  tls(id: string): BackendTls | undefined;
}

export function harness(yaml: string): Harness {
  const loaded = resourcesFromYaml(yaml);
  const sink = new DiagnosticSink();
  const { resources } = loaded;
  const build = collecting({ resources, options: DEFAULT_OPTIONS, diagnostics: sink });
  const states = resources.list("Gateway").map((gateway) => stateOf(gateway, build));
  const policies = createPolicies(states, build);
  const reads = new Set<Key>();
  const routes: RouteReaders = {
    gatewaysOf: (key) =>
      parentsOf(resources.list("HTTPRoute").find((each) => key.endsWith(`/${each.metadata.name}`))),
    readersOf: (key) => (reads.has(key) ? ["HTTPRoute/apps/web"] : []),
    touched: [],
  };
  let last = new Whole();
  const translated = (): { whole: Whole; statuses: readonly ObjectStatus[] } => {
    const whole = (last = new Whole());
    const objects = new ObjectTables();
    objects.update(resources);
    // What listeners ask is known before the statuses.
    policies.inherited();
    return { whole, statuses: policies.statuses(routes, new PolicyParts(whole, objects), build) };
  };
  const listeners = states.flatMap((state) => state.listeners);
  return {
    policies,
    answers: policies.answersFor(build, (key) => reads.add(key)),
    build,
    gateway: (name) => found(resources.get("Gateway", "infra", name), name),
    listener: (name) =>
      found(
        listeners.find((each) => `${each.parent.metadata.name}/${each.name}` === name),
        name,
      ),
    route: (name) => found(resources.get("HTTPRoute", "apps", name), name),
    reports: () =>
      [
        ...loaded.diagnostics,
        ...sortDiagnostics(
          [...sink.reports, ...last.reports].map((report) => diagnosticOf(report, undefined)),
        ),
      ].map(({ code, resource, field, message }) => [
        code,
        `${String(resource?.kind)} ${String(resource?.namespace)}/${String(resource?.name)}`,
        formatFieldPath(field ?? []),
        message,
      ]),
    conditions: (name) => conditionsOf(translated().statuses, name),
    auth: (id) => {
      const { auths } = translated().whole;
      return [...build.auth.collected().auths, ...auths.values].find((auth) => auth.id === id);
    },
    tls: (id) => build.config.backendTls.find((tls) => tls.id === id),
  };
}

function parentsOf(route: HttpRoute | undefined): readonly string[] {
  const { metadata, spec } = route ?? { metadata: { namespace: "" }, spec: {} };
  return (spec.parentRefs ?? []).map(
    ({ kind = "Gateway", namespace = metadata.namespace, name }) => `${kind} ${namespace}/${name}`,
  );
}

function stateOf(gateway: Gateway, build: AuthContext): GatewayState {
  const { resources } = build;
  const sets = resources
    .list("ListenerSet")
    .filter(({ spec }) => spec.parentRef.name === gateway.metadata.name);
  const parents: readonly (Gateway | ListenerSet)[] = [gateway, ...sets];
  const listeners = parents.flatMap((parent) =>
    parent.spec.listeners.map(({ name, port }): ListenerState => ({
      gateway,
      parent,
      name,
      port,
      hostname: ANY_HOST,
      tls: false,
      kinds: ["HTTPRoute"],
      allowsNamespace: () => true,
      serves: { listener: `${parent.metadata.name}/${name}`, server: `p${String(port)}` },
    })),
  );
  const certificate = backendClientCertificate(gateway, build);
  const clientCertificate = certificate?.ok === true ? certificate.certificate.id : undefined;
  return { gateway, accepted: true, body: {}, clientCertificate, listeners };
}

interface WrittenStatus {
  readonly ancestors: readonly {
    readonly ancestorRef: {
      readonly kind: string;
      readonly name: string;
      readonly sectionName?: string;
    };
    readonly controllerName: string;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly observedGeneration?: number;
    }[];
  }[];
}

function conditionsOf(
  statuses: readonly ObjectStatus[],
  name: string,
): readonly string[] | undefined {
  const written = statuses.find(({ metadata }) => metadata.name === name);
  if (written === undefined) return undefined;
  // The shape of what is written is what these tests are about.
  const status = written.status as unknown as WrittenStatus;
  return status.ancestors.flatMap(({ ancestorRef, conditions }) =>
    conditions.map(({ type, status, reason }) => {
      const section = ancestorRef.sectionName === undefined ? "" : `#${ancestorRef.sectionName}`;
      return `${ancestorRef.kind}/${ancestorRef.name}${section} ${type}=${status}/${reason}`;
    }),
  );
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`there is no ${name}`);
  return value;
}
