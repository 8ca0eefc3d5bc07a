/** Models for tests of rendering. */
import type { AuthConfig, ExternalAuth, ForwardAuth } from "../../src/model/auth.js";
import type { BackendTls } from "../../src/model/upstream.js";
import type { DataPlaneConfig } from "../../src/model/config.js";
import type { Interpolation, SourceRef } from "../../src/model/values.js";
import type { Server } from "../../src/model/listener.js";
import type { Header, Mirror, PathRewrite } from "../../src/model/filters.js";
import { SecretText } from "../../src/support/secret-text.js";
import { type PathMatch, type Predicate, type Route, onePlace } from "../../src/model/route.js";

export const EMPTY_CONFIG: DataPlaneConfig = {
  servers: [],
  listeners: [],
  bindings: [],
  routes: [],
  auths: [],
  inherited: [],
  credentials: [],
  backendTls: [],
  upstreams: [],
  serverCertificates: [],
  certificates: [],
  streams: [],
  pools: [],
  streamUpstreams: [],
};

export const HTTP_SERVER: Server = { id: "p80", addresses: [], port: 80, tls: false };
export const TLS_SERVER: Server = { id: "p443", addresses: [], port: 443, tls: true };

export const SOURCE: SourceRef = ["Ingress", "default", "web", "spec.rules[0]"];

/** A route that only forwards. */
export function plainRoute(id: string, over: Partial<Route> = {}): Route {
  return {
    id,
    source: SOURCE,
    backends: [{ upstream: "default/web/80", weight: 1, protocol: "http" }],
    ...over,
  };
}

/**
 * Every field of the model in use, and each text that can come from a user made by `text` from the field's name. What is
 * generated (server ids, addresses, numbers) stands as it is.
 */
export function configOf(text: (field: string) => string): DataPlaneConfig {
  const source = sourceOf(text);
  const host = { kind: "exact", host: text("host") } as const;
  return {
    servers: [HTTP_SERVER, TLS_SERVER],
    listeners: [
      { id: text("listener"), server: "p80", hostname: { kind: "any" } },
      {
        id: text("wide listener"),
        server: "p443",
        hostname: { kind: "wildcard", suffix: text("suffix"), labels: "many" },
        isolated: true,
        clientCertificates: { authorities: text("client authorities"), mode: "required" },
      },
    ],
    bindings: pathsOf(text).map((path, index) => ({
      at: onePlace(text("listener"), host),
      path,
      when: predicatesOf(text),
      order: `${text("order")}${index}`,
      route: text("route"),
    })),
    routes: [fullRoute(text, source), refusingRoute(text, source), sessionRoute(text, source)],
    inherited: [
      {
        id: text("listener"),
        refuse: [500, text("listener's refusal")],
        filters: [text("auth of filters")],
        policies: [text("auth of policies")],
      },
    ],
    auths: [authOf(text, source), { id: text("broken"), source, invalid: text("invalid") }],
    credentials: [
      {
        id: text("credentials"),
        entries: { [text("user")]: [text("salt"), text("hash")] },
      },
    ],
    backendTls: backendTlsOf(text),
    upstreams: [{ id: text("upstream"), endpoints: [["10.0.0.1", 8080]] }],
    serverCertificates: [{ server: "p443", host, certificate: text("certificate") }],
    streams: [],
    pools: [],
    streamUpstreams: [],
    certificates: [
      { id: text("certificate"), chain: text("chain"), key: new SecretText(text("private key")) },
    ],
  };
}

/** Ids are generated, and stand in nginx.conf. */
function backendTlsOf(text: (field: string) => string): readonly BackendTls[] {
  const authorities = { kind: "pem", pem: text("backend authorities") } as const;
  return [
    {
      id: "shown-hostname",
      hostname: text("backend hostname"),
      authorities,
      clientCertificate: text("certificate"),
    },
    {
      id: "named-names",
      hostname: text("backend hostname"),
      names: [
        ["hostname", text("alternative name")],
        ["uri", text("alternative uri")],
      ],
      authorities,
    },
  ];
}

function sourceOf(text: (field: string) => string): SourceRef {
  return [text("kind"), text("namespace"), text("name"), text("field")];
}

function pathsOf(text: (field: string) => string): readonly (PathMatch | undefined)[] {
  return [
    undefined,
    ["exact", text("exact")],
    ["prefix", text("prefix")],
    ["start", text("start")],
    ["regex", text("pattern"), "i"],
  ];
}

function predicatesOf(text: (field: string) => string): readonly Predicate[] {
  return [
    {
      of: "header",
      key: text("key"),
      any: [
        ["eq", text("eq")],
        ["in", text("in"), text("or in")],
        ["start", text("starts")],
        ["end", text("ends")],
        ["oneLabel", text("label")],
        ["regex", text("regex")],
        ["range", text("low"), text("high")],
        ["cidr", text("cidr")],
        ["exists"],
      ],
    },
  ];
}

function fullRoute(text: (field: string) => string, source: SourceRef): Route {
  const header: Header = [text("header name"), text("header value")];
  const headers = { set: [header], add: [header], remove: [text("removed")] };
  return {
    id: text("route"),
    source,
    redirect: {
      status: 308,
      unlessScheme: "https",
      url: [text("url")],
      scheme: "https",
      host: text("redirect host"),
      port: 8443,
      path: ["full", text("redirect path")],
    },
    cors: {
      origins: [text("origin")],
      methods: [text("method")],
      headers: [text("allowed")],
      expose: [text("exposed")],
      credentials: true,
      maxAge: 600,
    },
    bodyLimit: 4096,
    limits: {
      of: text("counted together"),
      rates: [{ requests: 10, seconds: 1, burst: 50 }],
      except: [text("unlimited")],
    },
    allow: [text("allow")],
    deny: [text("deny")],
    satisfy: "any",
    auth: [text("auth"), text("broken")],
    rewrite: rewriteOf(text),
    host: text("upstream host"),
    requestHeaders: headers,
    responseHeaders: headers,
    mirrors: [mirrorOf(text)],
    timeouts: { connect: 1, send: 2, read: 3 },
    deadlines: { request: 5, backendRequest: 4 },
    retry: { codes: [500, 503], attempts: 2 },
    affinity: ["cookie", text("cookie")],
    sessionCookie: { path: text("cookie path"), domain: text("cookie domain"), maxAge: 60 },
    hashBy: [text("hashed"), [text("variable"), "raw"]],
    largeHeaders: true,
    backends: [
      {
        upstream: text("upstream"),
        weight: 1,
        protocol: "http",
        filters: {
          redirect: { status: 302, host: text("backend redirect host") },
          auth: [text("auth")],
          rewrite: rewriteOf(text),
          host: text("backend host"),
          requestHeaders: headers,
          responseHeaders: headers,
          mirrors: [mirrorOf(text)],
        },
      },
      { weight: 2, protocol: "grpcs", refuse: [500, text("backend reason")] },
    ],
  };
}

function mirrorOf(text: (field: string) => string): Mirror {
  return { upstream: text("upstream"), protocol: "http", numerator: 1, denominator: 3 };
}

/** A route that keeps clients with their endpoints. */
function sessionRoute(text: (field: string) => string, source: SourceRef): Route {
  return plainRoute(text("session route"), {
    source,
    session: {
      in: "cookie",
      name: text("session name"),
      path: text("session path"),
      absoluteTimeout: 60,
      permanent: true,
    },
  });
}

function rewriteOf(text: (field: string) => string): PathRewrite {
  return ["regex", text("rewrite pattern"), "", [text("replacement")], true];
}

function refusingRoute(text: (field: string) => string, source: SourceRef): Route {
  return { id: text("refusing route"), source, refuse: [503, text("reason")] };
}

function authOf(text: (field: string) => string, source: SourceRef): AuthConfig {
  return {
    id: text("auth"),
    source,
    basic: { realm: text("realm"), file: text("credentials") },
    forward: forwardOf(text),
    external: externalOf(text),
  };
}

function forwardOf(text: (field: string) => string): ForwardAuth {
  const value: Interpolation = [text("literal"), [text("variable"), "component"]];
  return {
    scheme: "https",
    host: value,
    port: value,
    target: value,
    upstream: text("upstream"),
    method: text("auth method"),
    headers: [[text("auth header"), value]],
    requestRedirect: value,
    responseHeaders: [text("response header")],
    signin: value,
    alwaysSetCookie: true,
  };
}

function externalOf(text: (field: string) => string): ExternalAuth {
  return {
    scheme: "http",
    host: [text("external host")],
    target: [text("external target")],
    headers: [text("allowed header")],
    responseHeaders: [text("allowed response header")],
    maxBody: 4096,
  };
}
