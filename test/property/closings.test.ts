/**
 * Law: an error that closes says what. Whatever setting is broken: for each request that the gateway refuses because of it, an error
 * names the host and path, and what an error names is refused.
 */
import { dump } from "js-yaml";
import { compile } from "../../src/compile.js";
import { explain } from "../../src/explain/explain.js";
import { parseRequest } from "../../src/explain/request.js";
import { resourcesFromYaml } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import type { PolicyDocument } from "../../src/model/policy.js";
import { ANNOTATIONS } from "../../src/translate/ingress/annotation-table.js";
import { fc, runs } from "../support/fast-check.js";
import type { Json } from "../support/hostile-input.js";
import { policyDocument } from "../support/rendered-policy.js";

const HOSTS = ["a.example", "b.example"];
const PATHS = ["/", "/x", "/y"];
const URLS = HOSTS.flatMap((host) => PATHS.map((path) => `http://${host}${path}`));

type Fields = Readonly<Record<string, Json>>;

const BROKEN = [
  ...["x", "$nope", "/$nope", "https://$nope/", "http://", "true", "10.0.0.0/99", "-1", "é"],
  ...["missing", "other/missing", "deny all;", "a b, c:d"],
];
const text = fc.oneof(fc.constantFrom(...BROKEN), fc.string({ unit: "binary", maxLength: 8 }));
const prefix = fc.constantFrom(
  "nginx.ingress.kubernetes.io",
  "alb.ingress.cpaas.io",
  "index.0-1.alb.ingress.cpaas.io",
  "index.1-0.nginx.ingress.kubernetes.io",
);
/** Of every annotation, some of them with a letter too few. */
const name = fc
  .tuple(fc.constantFrom(...ANNOTATIONS.map((each) => each.name)), fc.nat(4))
  .map(([each, slip]) => (slip === 0 ? each.slice(0, -1) : each));
const annotations = fc
  .array(fc.tuple(prefix, name, text), { minLength: 1, maxLength: 3 })
  .map((all) => Object.fromEntries(all.map(([domain, key, value]) => [`${domain}/${key}`, value])));

const BACKEND = { service: { name: "web", port: { number: 80 } } };
const ingressWith = (written: Readonly<Record<string, string>>): string =>
  dump({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
    metadata: { name: "broken", annotations: written },
    spec: {
      rules: HOSTS.map((host) => ({
        host,
        http: { paths: PATHS.map((path) => ({ path, pathType: "Exact", backend: BACKEND })) },
      })),
    },
  });
const ingress = annotations.map(ingressWith);
/** Of a server-snippet, exact paths come before prefixes, as in nginx. */
const location = fc
  .tuple(fc.constantFrom("", "=", "^~"), fc.constantFrom(...PATHS))
  .map(([modifier, path]) =>
    ingressWith({
      "nginx.ingress.kubernetes.io/configuration-snippet": `location ${modifier} ${path} { deny all; }`,
    }),
  );

const LABELS = { "alb2.cpaas.io/name": "alb", "alb2.cpaas.io/frontend": "ft" };
const METADATA = { namespace: "default" };
const auth = fc.record(
  {
    basic: fc.record({ auth_type: text, secret: text }, { requiredKeys: [] }),
    forward: fc.record({ url: text, signin: text, method: text }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const config = fc.record(
  { auth, modsecurity: fc.constant({ enable: true }) },
  { requiredKeys: [] },
);
const term = fc.constantFrom<Json>(
  { type: "URL", values: [["STARTS_WITH", "/x"]] },
  { type: "URL", values: [["REGEX", "(("]] },
  { type: "METHOD", values: [["SAME", "GET"]] },
  { type: "URLS", values: [["EQ", "/"]] },
);
const rule = fc
  .record(
    { config, dslx: fc.array(term, { maxLength: 2 }), redirectURL: text, rewrite_target: text },
    { requiredKeys: ["dslx"] },
  )
  .map(({ dslx, ...spec }) =>
    [
      alb("ALB2", "alb", { config: { ingressHTTPPort: 0, ingressHTTPSPort: 0 } }),
      alb("Frontend", "ft", { port: 80, protocol: "http" }),
      alb("Rule", "broken", {
        ...{ ...spec, dslx: [{ type: "HOST", values: [["EQ", "a.example"]] }, ...dslx] },
        serviceGroup: { services: [{ name: "web", namespace: "default", port: 80 }] },
      }),
    ].join("---\n"),
  );

function alb(kind: string, own: string, spec: Json | object): string {
  const apiVersion = `crd.alauda.io/${kind === "ALB2" ? "v2" : "v1"}`;
  return dump({ apiVersion, kind, metadata: { ...METADATA, name: own, labels: LABELS }, spec });
}

const filter = fc.oneof(
  fc.constantFrom<Json>(
    { type: "Unknown" },
    {
      type: "ExtensionRef",
      extensionRef: { group: "crd.alauda.io", kind: "AuthPolicy", name: "missing" },
    },
    {
      type: "URLRewrite",
      urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/z" } },
    },
    { type: "ResponseHeaderModifier", responseHeaderModifier: { remove: ["X-A"] } },
  ),
  fc.constantFrom("missing", "web").map((service): Json => {
    const backendRef = { name: service, port: 80 };
    return {
      type: "ExternalAuth",
      externalAuth: { protocol: "HTTP", backendRef, http: { allowedResponseHeaders: ["Host"] } },
    };
  }),
);
const match = fc.constantFrom<Json>(
  { path: { type: "Exact", value: "/x" } },
  { path: { type: "RegularExpression", value: "((" } },
  { path: { type: "Glob", value: "/y" } },
);
const route = fc
  .array(
    fc.record({
      matches: fc.array(match, { minLength: 1, maxLength: 2 }),
      filters: fc.array(filter, { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 1 },
  )
  .map((rules) =>
    [
      gateway("GatewayClass", "albc", { controllerName: DEFAULT_OPTIONS.controllerName }),
      gateway("Gateway", "gw", {
        gatewayClassName: "albc",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      }),
      gateway("HTTPRoute", "broken", {
        ...{ parentRefs: [{ name: "gw" }], hostnames: ["a.example"] },
        rules: rules.map((each) => ({ ...each, backendRefs: [{ name: "web", port: 80 }] })),
      }),
    ].join("---\n"),
  );

function gateway(kind: string, own: string, spec: Fields | object): string {
  const metadata = { name: own };
  return dump({ apiVersion: "gateway.networking.k8s.io/v1", kind, metadata, spec });
}

const SERVICE = dump({
  ...{ apiVersion: "v1", kind: "Service", metadata: { name: "web" } },
  spec: { ports: [{ port: 80 }] },
});

interface Place {
  readonly status: string;
  readonly host: string;
  /** Undefined: all of the host. */
  readonly path: string | undefined;
}

/** Those that an error names. Of a pattern, the path is what it begins with. */
function placesIn(message: string): readonly Place[] {
  const [, status = "", places = ""] = /; this answers (\d+): (.*)$/s.exec(message) ?? [];
  return places.split(/, (?=[ab]\.example)/).flatMap((place): readonly Place[] => {
    const written = place.replace(/ \(paths like \^?(\/[a-z]*).*\)/s, "$1");
    const [, host = "", path = ""] = /^([ab]\.example)(\/.*| \(all paths\))$/s.exec(written) ?? [];
    if (host === "") return [];
    return [{ status, host, path: path.startsWith("/") ? path : undefined }];
  });
}

describe.each([
  ["annotations of an Ingress", ingress],
  ["a location of a snippet", location],
  ["a Rule", rule],
  ["an HTTPRoute", route],
])("%s", (_, broken) => {
  test("errors name what they close", () => {
    fc.assert(
      fc.property(broken, (written) => {
        const { resources, diagnostics: ofInput } = resourcesFromYaml(`${SERVICE}---\n${written}`);
        // What is refused as a whole is another law's (broken-objects.test.ts).
        fc.pre(ofInput.length === 0);
        const { config: model, diagnostics } = compile(resources, DEFAULT_OPTIONS);
        const document = policyDocument(model) as PolicyDocument;
        const refusalOf = (url: string): string | undefined => {
          const request = parseRequest({ method: "GET", url, headers: [], client: "192.0.2.1" });
          if (!request.ok) throw new Error(request.problem);
          const { answer } = explain(document, request.value);
          const isOurs = answer.kind === "refused" && answer.reason.includes("invalid cfg");
          return isOurs ? String(answer.status) : undefined;
        };
        const errors = diagnostics.filter(({ severity }) => severity === "error");
        const places = errors.flatMap(({ message }) => placesIn(message));
        for (const url of URLS) {
          const { hostname, pathname } = new URL(url);
          const status = refusalOf(url);
          const isNamed = places.some(
            ({ host, path = "/", ...place }) =>
              host === hostname && pathname.startsWith(path) && place.status === status,
          );
          expect([url, status, status === undefined || isNamed]).toEqual([url, status, true]);
        }
        for (const { host, path = "/", status } of places) {
          if (!/^[/a-z]+$/.test(path)) continue;
          expect([host, path, refusalOf(`http://${host}${path}`)]).toEqual([host, path, status]);
        }
      }),
      runs(300),
    );
  });
});
