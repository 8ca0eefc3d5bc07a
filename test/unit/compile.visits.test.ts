/**
 * A change visits what depends on it and nothing else, however much there is. There are many applications with an object of every kind,
 * and one object changes: only objects of its application are read, only their parts of the model are new, and only their shards are
 * rendered and sent. Parsed documents and compared statuses are counted in input/load.reuse and kubernetes/status-writer.
 */
import { jest } from "@jest/globals";
import {
  GATEWAY_API,
  GATEWAY_NAMESPACE,
  authFilter,
  authPolicy,
  gatewayOn,
  httpRoute,
} from "../../e2e/harness/gateway-manifests.js";
import {
  type Manifest,
  alb2,
  frontend,
  ingress,
  namespace,
  rule,
  secret,
  service,
  serviceGroup,
} from "../../e2e/harness/manifests.js";
import { type KindName, KIND_NAMES } from "../../src/api/kinds.js";
import { type Compilation, Compiler } from "../../src/compile.js";
import { LiveObjects } from "../../src/input/object-store.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { RenderedPolicy } from "../../src/render/rendered-file.js";

const MANY = 1500;
const OWNER = { alb: "alb", frontend: "alb-08082" };
const SHARED: readonly Manifest[] = [
  namespace("default"),
  ...gatewayOn({ http: 8081 }),
  alb2(OWNER.alb, { ingressHTTPPort: 8083, ingressHTTPSPort: 0 }),
  frontend(OWNER.frontend, OWNER.alb, { port: 8082 }),
];
const OF_APPLICATIONS = [
  "Service",
  "EndpointSlice",
  "Secret",
  "AuthPolicy",
  "HTTPRoute",
  "Ingress",
  "Rule",
] as const satisfies readonly KindName[];

/** No name is a part of another one. */
const nameOf = (index: number): string => `app-${String(index)}-x`;

/** `other`: the kind whose object says something else. */
function application(index: number, other?: KindName): readonly Manifest[] {
  const name = nameOf(index);
  const version = (kind: KindName): string => (kind === other ? "1" : "0");
  const host = (kind: KindName): string => `${kind.toLowerCase()}${version(kind)}.${name}.example`;
  const [own, ...slices] = service(name, [
    { address: `10.0.0.${version("EndpointSlice")}`, port: 8080 },
  ]);
  const port = { name: other === "Service" ? "other" : "http", targetPort: 8080 };
  const basic = { secret: `default/${name}`, secret_type: "auth-file" };
  return [
    { ...own, spec: { ports: [{ ...port, port: 80, protocol: "TCP" }] } } as Manifest,
    ...slices,
    secret(name, { auth: `u${version("Secret")}:$apr1$changing$0123456789abcdefghijk/\n` }),
    authPolicy(name, { basic: { ...basic, realm: `${name} ${version("AuthPolicy")}` } }),
    completeRoute(name, host("HTTPRoute")),
    ingress(name, { hosts: { [host("Ingress")]: [{ service: name }] } }),
    rule(name, OWNER, {
      dslx: [{ type: "HOST", values: [["EQ", host("Rule")]] }],
      serviceGroup: serviceGroup({ [name]: 100 }),
    }),
  ];
}

/** Where an object says everything, input keeps its parts instead of copying them with what is left out. */
function completeRoute(name: string, host: string): Manifest {
  const route = httpRoute(name, [host], []);
  const gateway = {
    group: GATEWAY_API,
    kind: "Gateway",
    name: "edge",
    namespace: GATEWAY_NAMESPACE,
  };
  const rule = {
    matches: [{ path: { type: "PathPrefix", value: "/" } }],
    filters: [authFilter(name)],
    backendRefs: [{ group: "", kind: "Service", name, port: 80, weight: 1 }],
  };
  return { ...route, spec: { parentRefs: [gateway], hostnames: [host], rules: [rule] } };
}

/** Objects of which something reads what they say, as kind and name. */
const visited = new Set<string>();

/** The object; what reads it beyond its metadata is noted. */
function watched(object: Manifest): Manifest {
  const fields = Object.entries(object).map(([field, value]) => {
    if (!["spec", "data", "endpoints"].includes(field)) return [field, value] as const;
    const note = (): void => void visited.add(`${object.kind} ${object.metadata.name}`);
    const handler: ProxyHandler<object> = {
      get: (target, property) => {
        note();
        return Reflect.get(target, property) as unknown;
      },
      ownKeys: (target) => {
        note();
        return Reflect.ownKeys(target);
      },
    };
    return [field, new Proxy(value as object, handler)] as const;
  });
  return Object.fromEntries(fields) as Manifest;
}

const live = new LiveObjects({ albGroup: DEFAULT_OPTIONS.domains.group });
const compiler = new Compiler();
let before: Compilation;

function put(object: Manifest): void {
  const { kind, metadata } = object;
  const known = KIND_NAMES.find((name) => name === kind);
  if (known === undefined) throw new Error(kind);
  live.put(known, metadata.namespace ?? "", metadata.name, watched(object));
}

function compiled(): Compilation {
  return compiler.compile(live.snapshot().resources, DEFAULT_OPTIONS);
}

function policyOf({ files }: Compilation): RenderedPolicy {
  const policy = files.find(({ path }) => path === "policy.json")?.contents;
  if (policy instanceof RenderedPolicy) return policy;
  throw new Error("no policy");
}

/** Parts of applications. Servers, listeners and statuses of Gateways are few, and made again each time. */
function partsOf({ config, statuses }: Compilation): readonly object[] {
  const { routes, bindings, upstreams, auths, credentials } = config;
  const isOfApplication = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    metadata.name.startsWith("app-");
  return [routes, bindings, upstreams, auths, credentials, statuses.filter(isOfApplication)].flat();
}

beforeAll(() => {
  for (const object of SHARED) put(object);
  for (let i = 0; i < MANY; i += 1) application(i).forEach(put);
  visited.clear();
  before = compiled();
});

test("a first compilation reads every object, and serves all of them", () => {
  const ofApplications = [...visited].filter((each) => each.includes("app-"));
  expect(ofApplications).toHaveLength(MANY * OF_APPLICATIONS.length);
  expect(before.diagnostics).toEqual([]);
  const { routes, upstreams, auths } = before.config;
  expect([routes, upstreams, auths].map(({ length }) => length)).toEqual([3 * MANY, MANY, MANY]);
});

test.each(OF_APPLICATIONS)("another %s concerns its application alone", (kind) => {
  // Another application for each kind: all others are as the last compilation had them.
  const index = OF_APPLICATIONS.indexOf(kind);
  const name = nameOf(index);
  for (const object of application(index, kind)) if (object.kind === kind) put(object);
  visited.clear();
  const texts = jest.spyOn(JSON, "stringify");
  const now = compiled();
  const rendered = texts.mock.calls.length;
  texts.mockRestore();
  const shards = policyOf(now).changesSince(policyOf(before));
  const known = new Set(partsOf(before));
  const parts = partsOf(now).filter((part) => !known.has(part));
  before = now;
  const others = [...visited].filter((each) => each.includes("app-") && !each.includes(name));
  expect(others).toEqual([]);
  expect(parts.filter((part) => !JSON.stringify(part).includes(name))).toEqual([]);
  expect(shards.filter((shard) => !shard.join(" ").includes(name))).toEqual([]);
  // It was no test of changes that are not noticed.
  expect([parts.length, shards.length]).not.toContain(0);
  // Texts are made of what is new, and of its neighbours in the parts of a shard map.
  expect(rendered).toBeLessThan(MANY);
});
