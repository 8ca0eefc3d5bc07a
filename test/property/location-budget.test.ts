/** However many different values a namespace writes, nginx's locations are bounded, older objects keep theirs, and other namespaces theirs. */
import { Compiler, compile } from "../../src/compile.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { readPolicy } from "../../src/explain/explain.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import { type Manifest, manifest } from "../support/tenants/manifest.js";

/** Of Gateways, and of other objects. */
const LIMIT = 4;
/** Families of locations that one value can need, each with and without the limit: see tryViews and pageViews of render/nginx/location-views.ts. */
const MOST_OF_ONE = 10;
const OBJECTS = 40;
const OPTIONS = { ...DEFAULT_OPTIONS, httpsPort: 0, nginxLocations: LIMIT };
const { annotations: OWN, compatAnnotations: COMPAT } = OPTIONS.domains;
const GATEWAY_API = "gateway.networking.k8s.io/v1";

const compiled = (objects: readonly Manifest[], nginxLocations = LIMIT) =>
  compile(resourcesFromObjects(objects).resources, { ...OPTIONS, nginxLocations });

function fileOf({ files }: ReturnType<typeof compile>, name: string): string {
  const file = files.find(({ path }) => path === name);
  if (file === undefined) throw new Error(`there is no ${name}`);
  return contentsOf(file);
}

/** The most locations that one server has. */
function locationsOf(objects: readonly Manifest[], nginxLocations = LIMIT): number {
  const [, ...servers] = fileOf(compiled(objects, nginxLocations), "nginx.conf").split(
    "\n    server {",
  );
  return Math.max(...servers.map((text) => text.split(" location ").length - 1));
}

const metadata = (namespace: string, name: string, more: object = {}) => ({
  metadata: { namespace, name, ...more },
});

const age = (days: number) => ({
  creationTimestamp: new Date(Date.UTC(2024, 0, 1 + days)).toISOString().replace(".000", ""),
});

const shared = (namespace: string): readonly Manifest[] => [
  manifest("v1", "Service", {
    ...metadata(namespace, "web"),
    spec: { ports: [{ port: 80, appProtocol: "kubernetes.io/h2c" }] },
  }),
];

function ingress(
  namespace: string,
  name: string,
  annotations: Readonly<Record<string, string>>,
  more: object = {},
): Manifest {
  const backend = { service: { name: "web", port: { number: 80 } } };
  return manifest("networking.k8s.io/v1", "Ingress", {
    ...metadata(namespace, name, { annotations, ...more }),
    spec: {
      rules: [
        {
          host: `${name}.${namespace}.example`,
          http: { paths: [{ path: "/", pathType: "Prefix", backend }] },
        },
      ],
    },
  });
}

/** Texts of which some annotation can read some. */
const TEXTS: readonly ((i: number) => string)[] = [
  (i) => String(400 + i),
  (i) => String(i + 1),
  (i) => `/p${String(i)}`,
  (i) => `10.0.0.${String(i)}`,
  (i) => `http://h${String(i)}.example/`,
  (i) => `h${String(i)}.example`,
  (i) => `X-H${String(i)}`,
  (i) => `c${String(i)}`,
];

const SUPPORTED = ANNOTATIONS.flatMap((row) => (row.supported ? [row] : []));

/** As many values as the annotation can have, up to `OBJECTS`. */
function valuesOf({ type }: (typeof SUPPORTED)[number]): readonly string[] {
  const found = TEXTS.map((text) => {
    const values = new Map<string, string>();
    for (let i = 0; i < OBJECTS; i += 1) {
      const parsed = type.parse(text(i));
      if (parsed.ok) values.set(JSON.stringify(parsed.value), text(i));
    }
    return [...values.values()];
  });
  return found.reduce((most, each) => (each.length > most.length ? each : most));
}

const gatewayClass = manifest(GATEWAY_API, "GatewayClass", {
  ...metadata("", "albc"),
  spec: { controllerName: OPTIONS.controllerName },
});

const codesOf = (bits: number): readonly number[] =>
  [500, 502, 503, 504].filter((_, bit) => ((bits >> bit) & 1) === 1);

const httpRoute = (name: string, parentRef: object, rule: object, more: object = {}): Manifest =>
  manifest(GATEWAY_API, "HTTPRoute", {
    ...metadata("tenant", name, more),
    spec: {
      hostnames: [`${name}.example`],
      parentRefs: [parentRef],
      rules: [{ backendRefs: [{ name: "web", port: 80 }], ...rule }],
    },
  });

function gateway(name: string, listeners: number, more: object = {}, spec: object = {}): Manifest {
  return manifest(GATEWAY_API, "Gateway", {
    ...metadata("tenant", name, more),
    spec: {
      gatewayClassName: "albc",
      listeners: Array.from({ length: listeners }, (_, i) => ({
        ...{ name: `l${String(i)}`, port: 80, protocol: "HTTP" },
        hostname: `*.${name}-${String(i)}.example`,
      })),
      ...spec,
    },
  });
}

const pagesOf = (i: number) => ({
  [`listener.l${String(i)}.${OWN}/custom-http-errors`]: String(400 + i),
});

const each = <T>(make: (i: number) => T): readonly T[] =>
  Array.from({ length: OBJECTS }, (_, i) => make(i));

/** A Gateway with a body limit of its own, and a route there. */
const limited = (
  i: number,
  listeners: number,
  more: object = {},
  rule: object = {},
): readonly Manifest[] => [
  gateway(`g${String(i)}`, listeners, more, {
    infrastructure: { parametersRef: { group: "", kind: "ConfigMap", name: `g${String(i)}` } },
  }),
  manifest("v1", "ConfigMap", {
    ...metadata("tenant", `g${String(i)}`),
    data: { bodyLimit: `${String(i + 1)}k` },
  }),
  manifest(GATEWAY_API, "HTTPRoute", {
    ...metadata("tenant", `r${String(i)}`),
    spec: {
      parentRefs: [{ name: `g${String(i)}` }],
      rules: [{ backendRefs: [{ name: "web", port: 80 }], ...rule }],
    },
  }),
];

/** All that objects of Gateway API can differ in and nginx.conf has a word for. */
const OF_GATEWAYS: Readonly<Record<string, readonly Manifest[]>> = {
  "body limits of Gateways": each((i) => limited(i, 1)).flat(),
  "statuses of listeners": [
    gateway("g", OBJECTS, { annotations: Object.assign({}, ...each(pagesOf)) as object }),
    manifest(GATEWAY_API, "HTTPRoute", {
      ...metadata("tenant", "r"),
      spec: {
        parentRefs: [{ name: "g" }],
        rules: [{ backendRefs: [{ name: "web", port: 80 }], timeouts: { request: "1s" } }],
      },
    }),
  ],
  "statuses of listeners, with limits of Gateways": each((i) =>
    limited(
      i,
      OBJECTS,
      { annotations: Object.assign({}, ...each(pagesOf)) as object },
      { retry: { codes: codesOf((i % 15) + 1), attempts: 2 } },
    ),
  ).flat(),
  "codes to retry, with statuses of listeners": [
    gateway("g", OBJECTS, { annotations: Object.assign({}, ...each(pagesOf)) as object }),
    ...each((i) =>
      httpRoute(
        `r.g-${String(i)}`,
        { name: "g", sectionName: `l${String(i)}` },
        { retry: { codes: codesOf((i % 15) + 1), attempts: 2 } },
      ),
    ),
  ],
  "times and attempts": [
    gateway("g", 1),
    ...each((i) =>
      httpRoute(
        `r${String(i)}.g-0`,
        { name: "g" },
        {
          timeouts: { request: `${String(i + 2)}s`, backendRequest: "1s" },
          retry: { attempts: i },
          sessionPersistence: { sessionName: `s${String(i)}` },
        },
      ),
    ),
  ],
  "bodies for auth services": [
    gateway("g", 1),
    ...each((i) =>
      httpRoute(
        `r${String(i)}.g-0`,
        { name: "g" },
        {
          filters: [
            {
              type: "ExternalAuth",
              externalAuth: {
                protocol: "HTTP",
                backendRef: { name: "web", port: 80 },
                forwardBody: { maxSize: i + 1 },
              },
            },
          ],
        },
      ),
    ),
  ],
};

describe("a namespace brings a bounded number of locations", () => {
  const bare = locationsOf([...shared("tenant"), ingress("tenant", "i", {})]);

  it.each(SUPPORTED.map((row) => [row.name, row] as const))("with values of %s", (name, row) => {
    const domain = row.prefixes.includes("compat") ? COMPAT : OWN;
    const objects = valuesOf(row).map((value, i) =>
      ingress("tenant", `i${String(i)}`, {
        [`${COMPAT}/default-backend`]: "web",
        [`${domain}/${name}`]: value,
      }),
    );
    const found = locationsOf([...shared("tenant"), ...objects]);
    expect(found - bare).toBeLessThanOrEqual(2 * LIMIT * MOST_OF_ONE);
  });

  it.each(Object.entries(OF_GATEWAYS))("with %s", (_what, objects) => {
    const found = locationsOf([gatewayClass, ...shared("tenant"), ...objects]);
    expect(found - bare).toBeLessThanOrEqual(2 * LIMIT * MOST_OF_ONE);
  });

  it("with each body limit for each set of statuses", () => {
    // Half of them limits, and half of them statuses.
    const most = 32;
    const objects = Array.from({ length: most / 2 }, (_, i) =>
      Array.from({ length: most / 2 }, (_, j) =>
        ingress("tenant", `i${String(i)}-${String(j)}`, {
          [`${COMPAT}/default-backend`]: "web",
          [`${COMPAT}/proxy-body-size`]: `${String(i + 1)}k`,
          [`${COMPAT}/custom-http-errors`]: String(400 + j),
        }),
      ),
    ).flat();
    const found = locationsOf([...shared("tenant"), ...objects], most);
    expect(found - bare).toBeLessThanOrEqual(most * 6);
  });

  it("and the values differ where they can", () => {
    const many = SUPPORTED.filter((row) => valuesOf(row).length >= OBJECTS - 1);
    expect(many.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["custom-http-errors", "proxy-body-size", "proxy-read-timeout"]),
    );
  });
});

interface Written {
  readonly created: number;
  readonly limit: number;
  readonly status: number;
  readonly codes: number;
}

const written = fc.record<Written>({
  created: fc.nat({ max: 5 }),
  limit: fc.nat({ max: 6 }),
  status: fc.nat({ max: 6 }),
  codes: fc.nat({ max: 15 }),
});

function objectsOf(list: readonly Written[]): readonly Manifest[] {
  return [
    gatewayClass,
    ...shared("tenant"),
    gateway("g", 2, { annotations: pagesOf(0), ...age(0) }),
    ...list.flatMap(({ created, limit, status, codes }, i) => [
      ingress(
        "tenant",
        `i${String(i)}`,
        {
          [`${COMPAT}/default-backend`]: "web",
          ...(limit > 0 && { [`${COMPAT}/proxy-body-size`]: String(limit) }),
          ...(status > 0 && { [`${COMPAT}/custom-http-errors`]: String(400 + status) }),
        },
        age(created),
      ),
      httpRoute(
        `r${String(i)}.g-${String(i % 2)}`,
        { name: "g" },
        codes > 0 ? { retry: { codes: codesOf(codes) } } : {},
        age(created),
      ),
    ]),
  ];
}

/** What the routes of the namespace have locations for. */
function kindsOf(objects: readonly Manifest[]): readonly string[] {
  const { routes } = readPolicy(fileOf(compiled(objects), "policy.json"));
  const found = Object.values(routes).flatMap(
    ({ bodyLimit, holdsBody, errorPages, retry, source }) => {
      const limit = String(bodyLimit ?? "");
      const pages = errorPages?.statuses?.join() ?? "";
      return [
        ...(bodyLimit !== undefined && holdsBody !== true ? [`body ${limit}`] : []),
        ...(pages === "" ? [] : [`pages ${pages} ${limit}`]),
        ...(retry?.codes ? [`codes ${retry.codes.join()} ${pages} ${limit}`] : []),
        ...(source[1] === "tenant" ? [] : ["foreign"]),
      ];
    },
  );
  return [...new Set(found)];
}

const RUNS = 20;
const lists = fc.array(written, { minLength: 1, maxLength: 8 });

test(
  "there are at most as many as the option says, younger objects take none from older ones, and no limit is lost",
  () => {
    fc.assert(
      fc.property(lists, written, (list, young) => {
        const before = kindsOf(objectsOf(list));
        expect(before.length).toBeLessThanOrEqual(2 * LIMIT);
        const after = kindsOf(objectsOf([...list, { ...young, created: 9 }]));
        expect(after).toEqual(expect.arrayContaining([...before]));
        const { routes } = readPolicy(fileOf(compiled(objectsOf(list)), "policy.json"));
        for (const [i, { limit }] of list.entries()) {
          const route = routes[`ingress/tenant/i${String(i)}/0-0`];
          expect(route?.bodyLimit).toBe(limit > 0 ? limit : undefined);
        }
      }),
      runs(RUNS),
    );
  },
  timeoutOf(120_000),
);

test(
  "another namespace has all of its own, whatever the tenant writes",
  () => {
    const victim = [
      ...shared("victim"),
      ingress("victim", "v", {
        [`${COMPAT}/default-backend`]: "web",
        [`${COMPAT}/proxy-body-size`]: "3",
        [`${COMPAT}/custom-http-errors`]: "404,418",
      }),
    ];
    const seen = (objects: readonly Manifest[]) =>
      readPolicy(fileOf(compiled(objects), "policy.json")).routes["ingress/victim/v/0-0"];
    const alone = seen(victim);
    expect(alone).toMatchObject({ bodyLimit: 3, errorPages: { statuses: [404, 418] } });
    fc.assert(
      fc.property(lists, (list) => {
        expect(seen([...victim, ...objectsOf(list)])).toEqual(alone);
      }),
      runs(RUNS),
    );
  },
  timeoutOf(120_000),
);

test(
  "after changes, all is as after a fresh start",
  () => {
    fc.assert(
      fc.property(fc.array(lists, { minLength: 2, maxLength: 5 }), (steps) => {
        const compiler = new Compiler();
        for (const list of steps) {
          const { resources } = resourcesFromObjects(objectsOf(list));
          const { files, diagnostics } = compiler.compile(resources, OPTIONS);
          const fresh = compile(resources, OPTIONS);
          expect(diagnostics).toEqual(fresh.diagnostics);
          expect(files.map(contentsOf)).toEqual(fresh.files.map(contentsOf));
        }
      }),
      runs(RUNS),
    );
  },
  timeoutOf(120_000),
);
