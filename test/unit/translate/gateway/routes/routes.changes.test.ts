/** Each thing that routes ask of others, changed while the routes stay the same: what was remembered must not be served. */
import { load } from "js-yaml";
import { Authority } from "../../../../../e2e/harness/certificates.js";
import type { KindName } from "../../../../../src/api/kinds.js";
import { type Compilation, Compiler, compile } from "../../../../../src/compile.js";
import { LiveObjects } from "../../../../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../../../../src/model/options.js";
import { contentsOf } from "../../../../../src/render/rendered-file.js";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: KindName;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const GATEWAY = "apiVersion: gateway.networking.k8s.io/v1";
const AUTH = "apiVersion: crd.alauda.io/v1alpha1";
const FORWARD = 'forward: { url: "https://auth.example/check" }';
const OTHER = 'forward: { url: "https://other.example/check" }';

function manifest(text: string): Manifest {
  return load(text) as Manifest;
}

function service(name: string, namespace: string, more = ""): Manifest {
  return manifest(`{ apiVersion: v1, kind: Service, metadata: { name: ${name}, namespace: ${namespace} },
    spec: { ports: [{ name: http, port: 80, ${more} }] } }`);
}

function gateway(listener: string, more = ""): Manifest {
  return manifest(`${GATEWAY}
kind: Gateway
metadata: { name: edge, namespace: infra }
spec: { gatewayClassName: albc, listeners: [{ name: http, port: 80, protocol: HTTP, ${listener} }], ${more} }`);
}

const FROM_SELECTED =
  "allowedRoutes: { namespaces: { from: Selector, selector: { matchLabels: { open: yes } } } }";

function authPolicy(name: string, namespace: string, auth: string, target = ""): Manifest {
  const targets =
    target === "" ? "" : `targetRefs: [{ group: gateway.networking.k8s.io, ${target} }], `;
  return manifest(`${AUTH}
kind: AuthPolicy
metadata: { name: ${name}, namespace: ${namespace} }
spec: { ${targets}${auth} }`);
}

function grant(name: string, kind: string): Manifest {
  return manifest(`apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: { name: ${name}, namespace: other }
spec: { from: [{ group: gateway.networking.k8s.io, kind: ${kind}, namespace: web }], to: [{ group: "", kind: Service }] }`);
}

function route(name: string, rule: string): Manifest {
  return manifest(`${GATEWAY}
kind: HTTPRoute
metadata: { name: ${name}, namespace: web }
spec: { parentRefs: [{ name: edge, namespace: infra }], hostnames: [${name}.example], rules: [{ ${rule} }] }`);
}

const WEB = "backendRefs: [{ name: web, port: 80 }]";
const parameters = manifest(
  "{ apiVersion: v1, kind: ConfigMap, metadata: { name: parameters, namespace: infra }, data: { bodyLimit: 1m } }",
);
const namespace = manifest(
  '{ apiVersion: v1, kind: Namespace, metadata: { name: web, labels: { open: "yes" } } }',
);

const BASE: readonly Manifest[] = [
  manifest(`${GATEWAY}
kind: GatewayClass
metadata: { name: albc }
spec: { controllerName: ${DEFAULT_OPTIONS.controllerName} }`),
  gateway(FROM_SELECTED),
  namespace,
  parameters,
  service("web", "web"),
  service("shared", "other"),
  service("auth", "other"),
  grant("web", "HTTPRoute"),
  authPolicy("named", "web", FORWARD),
  route("plain", WEB),
  route("far", "backendRefs: [{ name: shared, namespace: other, port: 80 }]"),
  route(
    "mirrored",
    `filters: [{ type: RequestMirror, requestMirror: { backendRef: { name: shared, namespace: other, port: 80 } } }], ${WEB}`,
  ),
  route(
    "extended",
    `filters: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: named } }], ${WEB}`,
  ),
  route(
    "asked",
    `filters: [{ type: ExternalAuth, externalAuth: { protocol: HTTP, backendRef: { name: auth, namespace: other, port: 80 }, http: {} } }], ${WEB}`,
  ),
];

const backendTls = (name: string): Manifest =>
  manifest(`${GATEWAY}
kind: BackendTLSPolicy
metadata: { name: tls, namespace: ${name === "web" ? "web" : "other"} }
spec: { targetRefs: [{ group: "", kind: Service, name: ${name} }], validation: { hostname: ${name}.example, wellKnownCACertificates: System } }`);

const LISTENER_FILTER =
  "filters: { requests: [{ type: ExtensionRef, extensionRef: { group: crd.alauda.io, kind: AuthPolicy, name: people } }] }";

/** What changes, and what is put or, as a name with a minus, deleted. */
const CHANGES: readonly (readonly [string, readonly (Manifest | string)[]])[] = [
  ["a Service is gone", ["-Service web/web"]],
  ["a Service of a mirror and of another namespace is gone", ["-Service other/shared"]],
  ["a Service speaks another protocol", [service("web", "web", "appProtocol: kubernetes.io/h2c")]],
  ["a grant is gone", ["-ReferenceGrant other/web"]],
  ["a grant is for other routes", [grant("web", "GRPCRoute")]],
  ["a BackendTLSPolicy is for a Service", [backendTls("web")]],
  ["a BackendTLSPolicy is for a mirror", [backendTls("shared")]],
  ["a BackendTLSPolicy is for an auth service", [backendTls("auth")]],
  ["an AuthPolicy that a filter names is gone", ["-AuthPolicy web/named"]],
  ["it says something else", [authPolicy("named", "web", OTHER)]],
  [
    "an AuthPolicy is for the Gateway",
    [authPolicy("all", "infra", FORWARD, "kind: Gateway, name: edge")],
  ],
  [
    "for a listener",
    [authPolicy("all", "infra", FORWARD, "kind: Gateway, name: edge, sectionName: http")],
  ],
  ["for a route", [authPolicy("all", "web", FORWARD, "kind: HTTPRoute, name: plain")]],
  [
    "a listener has an auth filter",
    [authPolicy("people", "infra", FORWARD), gateway(`${FROM_SELECTED}, ${LISTENER_FILTER}`)],
  ],
  ["a listener has a filter that names nothing", [gateway(`${FROM_SELECTED}, ${LISTENER_FILTER}`)]],
  ["a listener has a hostname", [gateway(`${FROM_SELECTED}, hostname: plain.example`)]],
  ["a listener takes no routes of others", [gateway("")]],
  [
    "a listener takes other kinds",
    [gateway("allowedRoutes: { kinds: [{ kind: GRPCRoute }], namespaces: { from: All } }")],
  ],
  ["a namespace has other labels", [{ ...namespace, metadata: { name: "web" } }]],
  ["the Gateway is gone", ["-Gateway infra/edge"]],
  [
    "the Gateway has parameters",
    [
      gateway(
        FROM_SELECTED,
        'infrastructure: { parametersRef: { group: "", kind: ConfigMap, name: parameters } }',
      ),
    ],
  ],
  [
    "the Gateway is a default one, which nobody asks for",
    [gateway(FROM_SELECTED, "defaultScope: All")],
  ],
];

class Cluster {
  readonly #held = new Map<string, Manifest>();
  readonly #live = new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
  readonly #compiler = new Compiler();

  constructor(objects: readonly Manifest[]) {
    for (const object of objects) this.change(object);
  }

  change(change: Manifest | string): void {
    if (typeof change !== "string") {
      const { kind, metadata } = change;
      const { namespace: space = "", name } = metadata;
      this.#held.set(`${kind} ${space}/${name}`, change);
      this.#live.put(kind, space, name, change);
      return;
    }
    const object = this.#held.get(change.slice(1));
    if (object === undefined) throw new Error(`there is no ${change.slice(1)}`);
    this.#held.delete(change.slice(1));
    this.#live.delete(object.kind, object.metadata.namespace ?? "", object.metadata.name);
  }

  remembering(): Compilation {
    return this.#compiler.compile(this.#live.snapshot().resources, DEFAULT_OPTIONS);
  }

  fromScratch(): Compilation {
    return compile(this.#live.snapshot().resources, DEFAULT_OPTIONS);
  }
}

function plain({ files, ...rest }: Compilation): unknown {
  return { ...rest, files: files.map((file) => ({ ...file, contents: contentsOf(file) })) };
}

test("the routes of the base are served, and from memory when another one changes", () => {
  const cluster = new Cluster(BASE);
  const before = cluster.remembering();
  expect(before.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  cluster.change(route("more", WEB));
  const after = cluster.remembering();
  expect(before.config.routes).toHaveLength(5);
  expect(after.config.routes.filter((one) => before.config.routes.includes(one))).toHaveLength(5);
  expect(plain(after)).toEqual(plain(cluster.fromScratch()));
});

test.each(CHANGES)("%s", (_what, changes) => {
  const cluster = new Cluster(BASE);
  const before = plain(cluster.remembering());
  for (const change of changes) cluster.change(change);
  const after = plain(cluster.remembering());
  expect(after).toEqual(plain(cluster.fromScratch()));
  expect(after).not.toEqual(before);
});

test.each(CHANGES)("%s, and back", (_what, changes) => {
  const cluster = new Cluster(BASE);
  const before = plain(cluster.remembering());
  for (const change of changes) cluster.change(change);
  cluster.remembering();
  const added = changes.filter((change) => typeof change !== "string");
  for (const { kind, metadata } of added) {
    cluster.change(`-${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
  }
  for (const object of BASE) cluster.change(object);
  expect(plain(cluster.remembering())).toEqual(before);
});

test("the second of two Gateways names a client certificate for backends", async () => {
  const { certificate, key } = await (await Authority.create()).issue("inner.example");
  const [crt, pem] = [certificate, key].map((text) => Buffer.from(text).toString("base64"));
  const secret =
    manifest(`{ apiVersion: v1, kind: Secret, metadata: { name: client, namespace: infra },
    type: kubernetes.io/tls, data: { tls.crt: ${crt ?? ""}, tls.key: ${pem ?? ""} } }`);
  const inner = (more = ""): Manifest =>
    manifest(`${GATEWAY}
kind: Gateway
metadata: { name: inner, namespace: infra }
spec: { gatewayClassName: albc, listeners: [{ name: http, port: 81, protocol: HTTP, ${FROM_SELECTED} }], ${more} }`);
  const both = manifest(`${GATEWAY}
kind: HTTPRoute
metadata: { name: both, namespace: web }
spec: { parentRefs: [{ name: edge, namespace: infra }, { name: inner, namespace: infra }], rules: [{ ${WEB} }] }`);
  const cluster = new Cluster([...BASE, backendTls("web"), secret, inner(), both]);
  const choices = ({ config }: Compilation): (string | undefined)[] =>
    config.backendTls.map(({ clientCertificate }) => clientCertificate);

  expect(choices(cluster.remembering())).toEqual([undefined]);
  cluster.change(inner("tls: { backend: { clientCertificateRef: { name: client } } }"));
  const after = cluster.remembering();
  expect(choices(after).filter((shown) => shown !== undefined)).toHaveLength(1);
  expect(choices(after)).toHaveLength(2);
  expect(plain(after)).toEqual(plain(cluster.fromScratch()));
});
