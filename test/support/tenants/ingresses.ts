/** Random Ingresses of a namespace, with every annotation that the compiler knows. */
import type { AnyAnnotation } from "../../../src/translate/ingress/annotations/annotation.js";
import { ANNOTATIONS } from "../../../src/translate/ingress/annotation-table.js";
import { isSnippet } from "../../../src/translate/ingress/snippets/snippets.js";
import { fc } from "../fast-check.js";
import { CREATED, type Manifest, manifest } from "./manifest.js";
import { SNIPPET_SAMPLES } from "./snippets.js";

/** Hosts that namespaces claim; requests are for these and for hosts below the wildcard. */
export const HOSTS = [undefined, "a.shared.example", "b.shared.example", "*.shared.example"];

/** Text → the characters that everything it matches begins with; undefined for a path that is no pattern. */
export const PATTERNS: Readonly<Record<string, number>> = {
  "/.*": 1,
  "/a.*": 2,
  "/a(/|$)(.*)": 2,
  "/(a|health)/.*": 1,
  "/a/b|/.*": 0,
  "/heal(th)?": 5,
  "/healthx*": 7,
  "/[(]|/.*": 0,
  [`/.{0,9}${"(x|.*)".repeat(20)}`]: 1,
};
const PATHS = ["/", "/a", "/a/", "/a/b", "/health", "/x", ...Object.keys(PATTERNS)];

/** At least one of them is a value of each supported annotation, which a test checks. */
export const SAMPLES: readonly string[] = [
  ...["true", "false", "on", "off", "1", "10", "301", "308", "8443", "5s", "8k", "*", "any", "all"],
  ...["/", "/target", "/$1", "http://evil.example/", "https://evil.example/x", "evil.example"],
  ...["a.shared.example", "b.shared.example,c.shared.example", "10.0.0.0/8", "GET", "POST,PUT"],
  ...["HTTP", "HTTPS", "GRPC", "GRPCS", "cookie", "persistent", "basic", "users", "victim/users"],
  ...["tenant/users", "auth-file", "auth-map", "X-Evil", "rd", "session", "https://*.evil.example"],
  ...['more_set_headers "X-Evil: $host"; proxy_set_header Host evil.example;'],
  ...["Lax", "2", "64k", "$request_uri"],
  ...["404,503", "deny all;", '{"headers":{"X-Evil":"1"}}', '{"headers_remove":["X-Evil"]}'],
];

/** Values of the annotations outside of the table, by ORIGIN_ANNOTATIONS' keys. */
export const ORIGIN_SAMPLES: Readonly<Record<string, readonly string[]>> = {
  "alb.<labels>/ingress-rule-priority-<rule>-<path>": ["-1", "1", "4", "9", "-999999999"],
  "alb.networking.<labels>/enable-https": ["true", "false"],
  "alb.networking.<labels>/tls": [
    "a.shared.example=tenant/tls",
    "*.shared.example=tenant/tls",
    "b.shared.example=victim/tls",
  ],
};

/** Some of several directives. */
const SNIPPETS = [
  ...Object.values(SNIPPET_SAMPLES),
  `${SNIPPET_SAMPLES["set"] ?? ""} ${SNIPPET_SAMPLES["rewrite"] ?? ""} ${SNIPPET_SAMPLES["location"] ?? ""}`,
];

const PREFIXES = {
  compat: "nginx.ingress.kubernetes.io",
  own: "alb.ingress.cpaas.io",
  index: "index.0-0.alb.ingress.cpaas.io",
};

function valuesOf(annotation: AnyAnnotation): readonly string[] {
  if (isSnippet(annotation.name)) return SNIPPETS;
  if (!annotation.supported) return SAMPLES;
  return SAMPLES.filter((text) => annotation.type.parse(text).ok);
}

const fromTable = (rows: readonly AnyAnnotation[]): fc.Arbitrary<[string, string]> =>
  fc
    .constantFrom(...rows)
    .chain((row) =>
      fc
        .tuple(fc.constantFrom(...row.prefixes), fc.constantFrom(...valuesOf(row)))
        .map(([prefix, value]) => [`${PREFIXES[prefix]}/${row.name}`, value]),
    );

const fromOrigin: fc.Arbitrary<[string, string]> = fc
  .constantFrom(...Object.entries(ORIGIN_SAMPLES))
  .chain(([key, values]) =>
    fc
      .tuple(fc.constantFrom("0", "1"), fc.constantFrom("0", "1"), fc.constantFrom(...values))
      .map(([rule, path, value]) => [
        key.replace("<labels>", "cpaas.io").replace("<rule>", rule).replace("<path>", path),
        value,
      ]),
  );

/** What changes routing most often: the others need luck to matter. */
const ROUTING = ANNOTATIONS.filter(({ group, supported }) =>
  supported ? ["routing", "rewrite", "redirect", "tls"].includes(group) : group === "snippet",
);
const SUPPORTED = ANNOTATIONS.filter(({ supported }) => supported);

export const annotations = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fromTable(ROUTING) },
      { weight: 2, arbitrary: fromTable(SUPPORTED) },
      { weight: 1, arbitrary: fromTable(ANNOTATIONS) },
      { weight: 2, arbitrary: fromOrigin },
    ),
    { maxLength: 3 },
  )
  .map((entries) => Object.fromEntries(entries));

const path = fc.record({
  path: fc.constantFrom(...PATHS),
  pathType: fc.constantFrom("Prefix", "Prefix", "Exact", "ImplementationSpecific"),
});

const rule = fc.record({
  host: fc.constantFrom(...HOSTS),
  paths: fc.option(fc.array(path, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 6 }),
});

const tls = fc.record({
  hosts: fc.option(fc.subarray(HOSTS.slice(1)), { nil: undefined }),
  secretName: fc.option(fc.constantFrom("tls", "missing"), { nil: undefined }),
});

const defaultBackend = { service: { name: "web", port: { number: 80 } } };

/** `names` keeps the objects of two namespaces apart. */
export function ingressOf(namespace: string): fc.Arbitrary<Manifest> {
  return fc
    .record({
      name: fc.constantFrom("a", "b", "c"),
      created: CREATED,
      annotations,
      rules: fc.array(rule, { maxLength: 2 }),
      tls: fc.array(tls, { maxLength: 2 }),
      hasDefault: fc.boolean(),
      className: fc.option(fc.constantFrom("nginx", "alb", "other"), { nil: undefined, freq: 5 }),
    })
    .map(({ name, created, rules, hasDefault, className, ...rest }) =>
      manifest("networking.k8s.io/v1", "Ingress", {
        metadata: { name, namespace, annotations: rest.annotations, ...created },
        spec: {
          ...(className !== undefined && { ingressClassName: className }),
          ...(hasDefault || rules.length === 0 ? { defaultBackend } : {}),
          tls: rest.tls.map(({ hosts, secretName }) => ({
            ...(hosts && { hosts }),
            ...(secretName !== undefined && { secretName }),
          })),
          rules: rules.map(({ host, paths }) => ({
            ...(host !== undefined && { host }),
            ...(paths && {
              http: {
                paths: paths.map((each) => ({ ...legal(each), backend: defaultBackend })),
              },
            }),
          })),
        },
      }),
    );
}

/** An API server takes patterns of ImplementationSpecific paths only to be told what they are by the controller. */
function legal<T extends { readonly path: string; readonly pathType: string }>(each: T): T {
  return each.path in PATTERNS ? { ...each, pathType: "ImplementationSpecific" } : each;
}
