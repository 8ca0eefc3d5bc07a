/**
 * Objects of one namespace change nothing for requests that objects of another serve or refuse: not the route, its auth, the
 * certificate nor a redirect. The exceptions are those of docs/operations.md.
 */
import { readFileSync } from "node:fs";
import { selfSigned } from "../../e2e/harness/certificates.js";
import { compile } from "../../src/compile.js";
import { type Explanation, explain, readPolicy } from "../../src/explain/explain.js";
import { parseRequest } from "../../src/explain/request.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { PolicyDocument } from "../../src/model/policy.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { ORIGIN_ANNOTATIONS } from "../../src/translate/ingress/annotations/origin.js";
import { fc, runs, timeoutOf } from "../support/fast-check.js";
import {
  type Asked,
  EXCEPTIONS,
  THE_REST,
  isTakenBy,
  keysOf,
  servedOf,
} from "../support/tenants/claims.js";
import { ingressOf, ORIGIN_SAMPLES, SAMPLES } from "../support/tenants/ingresses.js";
import { type Manifest, manifest } from "../support/tenants/manifest.js";
import { foundation, operator } from "../support/tenants/operator.js";

const RUNS = 400;
/** Milliseconds; a busy machine needs a tenth of a second for each world. */
const PATIENCE = timeoutOf(60_000 + RUNS * 500);

const ASKED: readonly Asked[] = ["a", "b", "c", "d"].flatMap((name) =>
  ["/", "/a", "/a/b", "/A/c", "/ab", "/health", "/health/x", "/x"].map((path) => ({
    host: `${name}.shared.example`,
    path,
  })),
);

/** What a client sees of a request, and what the gateway does for it. */
interface Served {
  readonly explanation: Explanation;
  readonly seen: {
    readonly route: unknown;
    readonly auths: readonly unknown[];
    readonly certificate: string;
    readonly redirect: unknown;
    readonly answer: unknown;
  };
}

function policyOf(objects: readonly Manifest[]): PolicyDocument {
  const { resources } = resourcesFromObjects(objects);
  const { files } = compile(resources, { ...DEFAULT_OPTIONS, snippets: "translate" });
  const file = files.find(({ path }) => path === "policy.json");
  if (file === undefined) throw new Error("there is no policy");
  return readPolicy(contentsOf(file));
}

function serve(policy: PolicyDocument, scheme: string, { host, path }: Asked): Served {
  const request = parseRequest({
    method: "GET",
    url: `${scheme}://${host}${path}`,
    headers: [],
    client: "192.0.2.1",
  });
  if (!request.ok) throw new Error(request.problem);
  const explanation = explain(policy, request.value);
  const { route, answer, server = "" } = explanation;
  if (!explanation.certain) throw new Error(`only nginx can tell what gets ${host}${path}`);
  const { redirect, ...rest } = policy.routes[route?.id ?? ""] ?? {};
  const files = keysOf(host)
    .slice(0, 3)
    .map((key) => policy.certificates[`${server}|${key}`]);
  const file = files.find((each) => each !== undefined);
  // An empty one stands for the server's default.
  const certificate = file === "" ? files.at(-1) : file;
  return {
    explanation,
    seen: {
      route: rest,
      auths: (route?.auth ?? []).map(({ id }) => policy.auths[id]),
      certificate: certificate ?? "",
      redirect,
      answer,
    },
  };
}

describe("the law's tables", () => {
  it("have a value for every annotation", () => {
    const without = ANNOTATIONS.filter(
      (row) => row.supported && !SAMPLES.some((text) => row.type.parse(text).ok),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
    expect(Object.keys(ORIGIN_SAMPLES).sort()).toEqual(
      ORIGIN_ANNOTATIONS.map(({ key }) => key).sort(),
    );
  });
});

const MARCH = "2024-03-01T00:00:00Z";
const defaultBackend = { service: { name: "web", port: { number: 80 } } };

function found(
  namespace: string,
  name: string,
  spec: object,
  creationTimestamp?: string,
): Manifest {
  const metadata = {
    name,
    namespace,
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  };
  return manifest("networking.k8s.io/v1", "Ingress", { metadata, spec });
}

const WILDCARD = [{ host: "*.shared.example" }];
const tenantWildcard = [found("tenant", "a", { rules: WILDCARD })];
const victimBelow = found(
  "victim",
  "b",
  { defaultBackend, rules: [{ host: "b.shared.example" }] },
  MARCH,
);

/** What random Ingresses found once: the operator's, the older and the younger objects. */
const FOUND: [Manifest[], Manifest[], Manifest[]][] = [
  // Another namespace has the wildcard whose certificate is for an older name below it.
  [
    [],
    [found("victim", "a", { tls: [{ secretName: "tls" }], rules: WILDCARD }), victimBelow],
    tenantWildcard,
  ],
  [
    [],
    [
      found("victim", "a", {
        tls: [{ hosts: ["*.shared.example"], secretName: "tls" }],
        rules: WILDCARD,
      }),
      victimBelow,
    ],
    tenantWildcard,
  ],
  [
    [],
    [found("victim", "a", { tls: [{ secretName: "tls" }], rules: [{}] }), victimBelow],
    tenantWildcard,
  ],
  // A default backend owns what no rule names.
  [
    [],
    [found("victim", "a", { tls: [{ secretName: "tls" }], defaultBackend }, MARCH)],
    [
      found("tenant", "a", {
        tls: [{ hosts: ["a.shared.example"], secretName: "tls" }],
        defaultBackend,
      }),
    ],
  ],
  // The entry with the certificate names a host that the tenant owns.
  [
    [],
    [
      found("victim", "a", {
        tls: [{ hosts: ["b.shared.example"], secretName: "tls" }],
        rules: [{}, { host: "a.shared.example" }],
      }),
    ],
    [found("tenant", "a", { tls: [], rules: [{}] })],
  ],
];

test("the exceptions are those of docs/operations.md", () => {
  const [, section = ""] = readFileSync("docs/operations.md", "utf8").split(
    "## Namespaces that share hosts",
  );
  const [table = ""] = section.split("\n## ");
  const cells = [...table.matchAll(/^\| (\w[^|]*?) *\|/gm)].map(([, cell]) => cell);
  expect(cells).toEqual(["exception", ...EXCEPTIONS]);
});

test(
  "objects of one namespace change nothing for another's requests",
  async () => {
    const [tls, other] = await Promise.all([
      selfSigned("*.shared.example", "a.shared.example"),
      selfSigned("*.shared.example", "b.shared.example"),
    ]);
    const common = [...foundation("victim", tls), ...foundation("tenant", other)];
    fc.assert(
      fc.property(operator, several("victim"), several("tenant"), (given, victims, tenants) => {
        const before = policyOf([...common, ...given, ...victims]);
        const after = policyOf([...common, ...given, ...victims, ...tenants]);
        const takes = (all: readonly Manifest[]): readonly Manifest[] =>
          servedOf(all, given.length > 0);
        const worlds = { own: [...given, ...takes(victims)], tenants: takes(tenants) };
        for (const scheme of ["http", "https"]) {
          for (const asked of ASKED) {
            const was = serve(before, scheme, asked);
            if (was.explanation.route === undefined) continue;
            if (isExcepted(was, asked, worlds)) continue;
            const is = serve(after, scheme, asked);
            expect({ scheme, ...asked, ...is.seen }).toEqual({ scheme, ...asked, ...was.seen });
          }
        }
      }),
      { ...runs(RUNS), examples: FOUND },
    );
  },
  PATIENCE,
);

function several(namespace: string): fc.Arbitrary<readonly Manifest[]> {
  return fc.uniqueArray(ingressOf(namespace), {
    minLength: 1,
    maxLength: 3,
    selector: ({ metadata }) => metadata.name,
  });
}

interface Worlds {
  readonly own: readonly Manifest[];
  readonly tenants: readonly Manifest[];
}

/** Whether the list of exceptions in docs/operations.md lets the tenant change the outcome. */
function isExcepted({ explanation }: Served, asked: Asked, { own, tenants }: Worlds): boolean {
  const chosen = explanation.candidates.find(({ outcome }) => outcome.kind === "chosen");
  const [kind, namespace, name] = chosen?.source ?? [];
  const object = own.find(
    (each) =>
      each.kind === kind && each.metadata.namespace === namespace && each.metadata.name === name,
  );
  if (chosen === undefined || object === undefined) throw new Error("the route has no object");
  const isRest = kind === "Ingress" && chosen.host === "" && chosen.path === undefined;
  return isTakenBy(tenants, { object, key: isRest ? THE_REST : chosen.host, own }, asked);
}
