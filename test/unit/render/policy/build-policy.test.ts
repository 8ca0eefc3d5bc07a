import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import { ListShards, buildPolicy, routeText } from "../../../../src/render/policy/build-policy.js";
import type { PolicyBinding, PolicyDocument } from "../../../../src/model/policy.js";
import { HostShards } from "../../../../src/render/policy/host-shards.js";
import type { ShardMap } from "../../../../src/render/shard-map.js";
import {
  configOf,
  EMPTY_CONFIG,
  HTTP_SERVER,
  plainRoute,
  SOURCE,
} from "../../../support/data-plane-config.js";
import { policyErrors } from "../../../support/policy-schema.js";
import { policyDocument } from "../../../support/rendered-policy.js";
import { type Route, onePlace } from "../../../../src/model/route.js";

const CREDENTIALS = `credentials/${"a".repeat(32)}.json`;
const CERTIFICATE = `certificates/${"b".repeat(32)}.pem`;
const FULL = configOf((field) => field);

function policyOf(config = FULL, options = DEFAULT_OPTIONS) {
  const shards = new ListShards<Route>((route) => routeText(route, options.dataPlane));
  const { hosts, tables } = new HostShards().render(config.bindings);
  return {
    ...buildPolicy(config, options, {
      credentials: new Map([["credentials", CREDENTIALS]]),
      certificates: new Map([["certificate", CERTIFICATE]]),
      tables,
    }),
    hosts: parsed(hosts) as Readonly<Record<string, readonly PolicyBinding[]>>,
    routes: parsed(shards.map(config.routes)) as PolicyDocument["routes"],
  };
}

function parsed({ shards }: ShardMap): Record<string, unknown> {
  return Object.fromEntries(
    [...shards].map(([key, json]) => [key, JSON.parse(json) as unknown] as const),
  );
}

function routeOf(over: Parameters<typeof plainRoute>[1], options = DEFAULT_OPTIONS) {
  const config = { ...EMPTY_CONFIG, routes: [plainRoute("r", over)] };
  return policyOf(config, options).routes["r"];
}

test("a policy with every field fits the schema", () => {
  expect(policyErrors(policyDocument(FULL))).toEqual([]);
});

test("so does an empty one", () => {
  expect(policyErrors(policyDocument(EMPTY_CONFIG))).toEqual([]);
});

test("a route has all that was asked for", () => {
  const headers = {
    set: [["header name", "header value"]],
    add: [["header name", "header value"]],
  };
  expect(policyOf().routes["route"]).toEqual({
    source: ["kind", "namespace", "name", "field"],
    redirect: {
      status: 308,
      unlessScheme: "https",
      url: ["url"],
      scheme: "https",
      host: "redirect host",
      port: 8443,
      path: ["full", "redirect path"],
    },
    cors: {
      origins: ["origin"],
      methods: ["method"],
      headers: ["allowed"],
      expose: ["exposed"],
      credentials: true,
      maxAge: 600,
    },
    bodyLimit: 4096,
    limits: {
      of: "counted together",
      rates: [{ requests: 10, seconds: 1, burst: 50 }],
      except: ["unlimited"],
    },
    allow: ["allow"],
    deny: ["deny"],
    satisfy: "any",
    auth: ["auth", "broken"],
    rewrite: ["regex", "rewrite pattern", "", ["replacement"], true],
    host: "upstream host",
    requestHeaders: { ...headers, remove: ["removed"] },
    responseHeaders: { ...headers, remove: ["removed"] },
    mirrors: [{ upstream: "upstream", protocol: "http", numerator: 1, denominator: 3 }],
    timeouts: { connect: 1, send: 2, read: 3 },
    deadlines: { request: 5, backendRequest: 4 },
    retry: { codes: [500, 503], attempts: 2 },
    affinity: ["cookie", "cookie"],
    sessionCookie: { path: "cookie path", domain: "cookie domain", maxAge: 60 },
    hashBy: ["hashed", ["variable", "raw"]],
    largeHeaders: true,
    backends: [
      {
        upstream: "upstream",
        weight: 1,
        protocol: "http",
        filters: {
          redirect: { status: 302, host: "backend redirect host" },
          auth: ["auth"],
          rewrite: ["regex", "rewrite pattern", "", ["replacement"], true],
          host: "backend host",
          requestHeaders: { ...headers, remove: ["removed"] },
          responseHeaders: { ...headers, remove: ["removed"] },
          mirrors: [{ upstream: "upstream", protocol: "http", numerator: 1, denominator: 3 }],
        },
      },
      { weight: 2, protocol: "grpcs", refuse: [500, "backend reason"] },
    ],
  });
});

test("a session stands in place of other affinity", () => {
  const route = policyOf().routes["session route"];

  expect(route?.affinity).toBeUndefined();
  expect(route?.session).toEqual({
    in: "cookie",
    name: "session name",
    path: "session path",
    absoluteTimeout: 60,
    permanent: true,
  });
});

test("a route that only refuses has nothing else", () => {
  expect(policyOf().routes["refusing route"]).toEqual({
    source: ["kind", "namespace", "name", "field"],
    refuse: [503, "reason"],
  });
});

test.each([
  [undefined, 0, undefined],
  [undefined, 500, 500],
  [9, 500, 9],
  [0, 500, undefined],
])("with the route's limit %p and the option %d the body limit is %p", (own, option, limit) => {
  const dataPlane = { ...DEFAULT_OPTIONS.dataPlane, bodyLimit: option };
  const over = own === undefined ? {} : { bodyLimit: own };
  expect(routeOf(over, { ...DEFAULT_OPTIONS, dataPlane })?.bodyLimit).toBe(limit);
});

test("bindings are grouped by listener and host, in byte order of their order", () => {
  const binding = { path: undefined, when: [], route: "r" } as const;
  const host = { kind: "exact", host: "a.example" } as const;
  const bindings = ["b", "é", "a", "B"].map((order) => ({
    ...binding,
    at: onePlace("l", host),
    order,
  }));
  const wide = {
    ...binding,
    at: onePlace("l", { kind: "wildcard", suffix: "b", labels: "one" }),
    order: "0",
  };
  const { hosts } = policyOf({ ...EMPTY_CONFIG, bindings: [...bindings, wide] });
  expect(Object.keys(hosts)).toEqual(["l|*.b", "l|a.example"]);
  expect(hosts["l|a.example"]?.map(({ order }) => order)).toEqual(["B", "a", "b", "é"]);
});

test("a binding has its path and predicates", () => {
  const bindings = policyOf().hosts["listener|host"] ?? [];
  expect(bindings.map(({ path }) => path)).toEqual([
    undefined,
    ["exact", "exact"],
    ["prefix", "prefix"],
    ["start", "start"],
    ["regex", "pattern", "i"],
  ]);
  expect(bindings[0]?.when).toEqual([
    {
      of: "header",
      key: "key",
      any: [
        ["eq", "eq"],
        ["in", "in", "or in"],
        ["start", "starts"],
        ["end", "ends"],
        ["oneLabel", "label"],
        ["regex", "regex"],
        ["range", "low", "high"],
        ["cidr", "cidr"],
        ["exists"],
      ],
    },
  ]);
});

test("the listeners of a server are sorted with the most specific first", () => {
  const hostnames = [
    { kind: "any" },
    { kind: "wildcard", suffix: "example", labels: "many" },
    { kind: "exact", host: "b.example" },
    { kind: "wildcard", suffix: "a.example", labels: "many" },
    { kind: "wildcard", suffix: "a.example", labels: "one" },
    { kind: "exact", host: "a.example" },
  ] as const;
  const listeners = hostnames.map((hostname, index) => ({
    id: `l${index}`,
    server: "p80",
    hostname,
    source: SOURCE,
  }));
  const other = { id: "other", server: "p443", hostname: { kind: "any" }, source: SOURCE } as const;
  const config = { ...EMPTY_CONFIG, servers: [HTTP_SERVER], listeners: [...listeners, other] };
  expect(policyOf(config).servers["p80"]?.listeners).toEqual([
    ["a.example", "l5"],
    ["b.example", "l2"],
    ["*.a.example", "l4"],
    ["**.a.example", "l3"],
    ["**.example", "l1"],
    ["", "l0"],
  ]);
});

test("an auth policy names its credentials' file and has its URL in parts", () => {
  const value = ["literal", ["variable", "component"]];
  const { auths, headers = {} } = policyOf();
  expect(Object.values(headers)).toEqual([[["auth header", value]]]);
  expect(auths).toEqual({
    auth: {
      source: ["kind", "namespace", "name", "field"],
      basic: { realm: "realm", file: CREDENTIALS },
      forward: {
        scheme: "https",
        host: value,
        port: value,
        target: value,
        upstream: "upstream",
        method: "auth method",
        headers: Object.keys(headers)[0],
        requestRedirect: value,
        responseHeaders: ["response header"],
        signin: value,
        alwaysSetCookie: true,
      },
      external: {
        scheme: "http",
        host: ["external host"],
        target: ["external target"],
        headers: ["allowed header"],
        responseHeaders: ["allowed response header"],
        maxBody: 4096,
      },
    },
    broken: { source: ["kind", "namespace", "name", "field"], invalid: "invalid" },
  });
});

test("an auth policy whose credentials are not there is closed", () => {
  const { auths } = buildPolicy(FULL, DEFAULT_OPTIONS, {
    credentials: new Map(),
    certificates: new Map(),
    tables: new HostShards().render([]).tables,
  });
  expect(auths["auth"]?.invalid).toBe("auth-secret");
  expect(auths["auth"]?.basic).toBeUndefined();
});

test("certificates are named by server and host", () => {
  expect(policyOf().certificates).toEqual({ "p443|host": CERTIFICATE });
});

test("a listener of a Gateway says who may come, backends by TLS what they must show", () => {
  const { servers, backendTls } = policyOf();
  expect(servers["p443"]).toMatchObject({
    isolated: ["wide listener"],
    clientCertificates: {
      "wide listener": [
        "required",
        expect.stringMatching(/^authorities\/[0-9a-f]{32}\.pem$/) as unknown,
      ],
    },
  });
  expect(backendTls).toEqual({
    "shown-hostname": { hostname: "backend hostname" },
    "named-names": {
      hostname: "backend hostname",
      names: [
        ["hostname", "alternative name"],
        ["uri", "alternative uri"],
      ],
    },
  });
});
