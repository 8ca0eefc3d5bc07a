/** What is measured side by side. A row is one subject; the first one of each suite is the bare nginx that it is compared with. */
import type { KeyPair } from "../harness/certificates.js";
import {
  startAuthBasic,
  startAuthRequest,
  startBare,
  startEmptyHandlers,
  startLocations,
} from "./comparisons.js";
import type { Login } from "./credentials.js";
import { startGateway } from "./gateway-subject.js";
import { type Load, SATURATED, bodies, openLoop, overTls } from "./loads.js";
import { startEnvoy } from "./peers/envoy.js";
import { startHaproxy } from "./peers/haproxy.js";
import type { Access, RouteKind } from "./site.js";
import type { ProxyOptions, Subject } from "./subject.js";
import { FEW, HUGE, MANY } from "./traffic.js";
import type { Upstreams } from "./upstreams.js";

export interface Surroundings {
  readonly upstreams: Upstreams;
  readonly login: Login;
  /** For every host. */
  readonly tls: KeyPair;
  /** Commands of the peers; absent ones are left out. */
  readonly haproxy?: string;
  readonly envoy?: string;
}

export interface Row {
  readonly name: string;
  /** Rules that it is configured with. */
  readonly rules: number;
  /** The product, which may be started from another checkout's command `main`. */
  readonly isOwn?: true;
  readonly start: (around: Surroundings, main?: string) => Promise<Subject> | undefined;
}

export interface Suite {
  readonly title: string;
  /** What its table shows: CPU time by what, or latencies. */
  readonly figure: "request" | "MiB" | "latency";
  readonly loads: readonly Load[];
  /** Share of the usual slices, where small differences do not matter. */
  readonly share?: number;
  /** What is behind the proxies, when it is not `backend`. */
  readonly backend?: "streams";
  /** The load runs on the proxies' processors too. */
  readonly isShared?: true;
  readonly rows: readonly Row[];
}

type Auth = Access["kind"];

interface Options {
  readonly auth?: Auth;
  /** Of the product's command. */
  readonly flags?: readonly string[];
  readonly tls?: boolean;
  readonly workers?: number;
  /** What the name ends with, to tell it from others in its suite. */
  readonly label?: string;
}

const TLS = { tls: true } as const;
const TWO = { workers: 2 } as const;

export const SUITES: readonly Suite[] = [
  {
    title: "Plain route",
    figure: "request",
    loads: [SATURATED],
    rows: [
      bare(FEW),
      bare(HUGE),
      emptyHandlers(),
      locations(FEW),
      locations(MANY),
      locations(HUGE),
      ...[FEW, MANY, HUGE].map((count) => albc("Ingress", count)),
      ...[FEW, MANY, HUGE].map((count) => albc("HTTPRoute", count)),
      ...[FEW, MANY].map((count) => albc("Rule", count)),
      albc("Ingress", FEW, { flags: ["--access-log", "logs/access.log"], label: ", access log" }),
      ...[FEW, MANY, HUGE].map((count) => haproxy(count)),
      ...[FEW, MANY].map((count) => envoy(count)),
    ],
  },
  {
    title: "What options cost a plain route",
    figure: "request",
    loads: [SATURATED],
    rows: [
      bare(FEW),
      ...[
        { label: "" },
        { flags: ["--route-metrics", "0"], label: ", no metrics of routes" },
        { flags: ["--tracing", "headers"], label: ", trace headers" },
        { flags: ["--tracing", "spans"], label: ", spans of 1 %" },
        { flags: ["--error-page-service", "default/app-0:80"], label: ", error pages" },
      ].map((options) => albc("Ingress", FEW, options)),
    ],
  },
  {
    title: "Basic auth, the same user in every request",
    figure: "request",
    loads: [SATURATED],
    rows: [
      bare(FEW),
      ...[FEW, MANY, HUGE].map((count) => albc("Ingress", count, { auth: "basic" })),
      ...[FEW, MANY, HUGE].map((count) => albc("HTTPRoute", count, { auth: "basic" })),
      ...[FEW, MANY].map((count) => albc("Rule", count, { auth: "basic" })),
      authBasic(),
      haproxy(FEW, { auth: "basic" }),
      envoy(FEW, { auth: "basic" }),
    ],
  },
  {
    title: "Forward auth, the auth service answers 200 with a short body",
    figure: "request",
    loads: [SATURATED],
    rows: [
      bare(FEW),
      ...[FEW, MANY, HUGE].map((count) => albc("Ingress", count, { auth: "forward" })),
      ...[FEW, MANY, HUGE].map((count) => albc("HTTPRoute", count, { auth: "forward" })),
      ...[FEW, MANY].map((count) => albc("Rule", count, { auth: "forward" })),
      authRequest("empty"),
      authRequest("with a body"),
      envoy(FEW, { auth: "forward" }),
    ],
  },
  {
    title: "TLS",
    figure: "request",
    loads: [
      overTls("HTTP/2, 10 streams", 8, { streams: 10 }),
      overTls("HTTP/2, 1 stream", 32, { streams: 1 }),
      overTls("HTTP/1.1", 32, "HTTP/1.1"),
    ],
    rows: [bare(FEW, TLS), albc("Ingress", FEW, TLS), haproxy(FEW, TLS), envoy(FEW, TLS)],
  },
  {
    title: "Two workers on all processors, which the load uses too",
    figure: "request",
    isShared: true,
    loads: [SATURATED],
    rows: [bare(FEW, TWO), albc("Ingress", FEW, TWO), haproxy(FEW, TWO), envoy(FEW, TWO)],
  },
  {
    title: "Bodies",
    figure: "MiB",
    share: 0.5,
    backend: "streams",
    loads: [bodies("1 MiB down", "down", 1), bodies("10 MiB up", "up", 10)],
    rows: [bare(FEW), albc("Ingress", FEW), haproxy(FEW), envoy(FEW)],
  },
  {
    title: "Latency at a fixed rate",
    figure: "latency",
    share: 0.5,
    loads: [openLoop(4000), openLoop(12_000)],
    rows: [
      bare(FEW),
      albc("Ingress", FEW),
      albc("Ingress", FEW, { auth: "basic", label: ", basic auth" }),
      albc("Ingress", FEW, { auth: "forward", label: ", forward auth" }),
      haproxy(FEW),
      envoy(FEW),
    ],
  },
];

/** What idle connections are held by. */
export const IDLE_ROWS: readonly Row[] = [bare(FEW, { upgrade: true }), albc("Ingress", FEW)];

function bare(rules: number, options: Options & { readonly upgrade?: boolean } = {}): Row {
  return {
    ...{ name: "bare proxy_pass", rules },
    start: ({ upstreams, tls }) =>
      startBare(upstreams, { ...proxy(options, tls), upgrade: options.upgrade === true }),
  };
}

function proxy({ tls, workers }: Options, pair: KeyPair): ProxyOptions {
  return { workers, tls: tls === true ? pair : undefined };
}

function emptyHandlers(): Row {
  return {
    ...{ name: "nginx, three empty Lua handlers", rules: FEW },
    start: ({ upstreams }) => startEmptyHandlers(upstreams),
  };
}

function locations(rules: number): Row {
  return {
    ...{ name: "nginx, locations", rules },
    start: ({ upstreams }) => startLocations(upstreams, rules),
  };
}

function authBasic(): Row {
  return {
    ...{ name: "nginx auth_basic, apr1", rules: FEW },
    start: ({ upstreams, login }) => startAuthBasic(upstreams, login),
  };
}

function authRequest(answer: "empty" | "with a body"): Row {
  return {
    ...{ name: `nginx auth_request, answer ${answer}`, rules: FEW },
    start: ({ upstreams }) =>
      startAuthRequest(upstreams, answer === "empty" ? upstreams.emptyAuth : upstreams.auth),
  };
}

function albc(kind: RouteKind, rules: number, options: Options = {}): Row {
  const { auth = "open", flags, label = "" } = options;
  return {
    ...{ name: `albc, ${kind}${label}`, rules },
    isOwn: true,
    start: ({ upstreams, login, tls }, main) =>
      startGateway({
        kind,
        count: rules,
        access: accessTo(auth, upstreams, login),
        backend: upstreams.backend,
        authorization: auth === "basic" ? login.authorization : undefined,
        flags,
        main,
        ...proxy(options, tls),
      }),
  };
}

function accessTo(auth: Auth, upstreams: Upstreams, { htpasswd }: Login): Access {
  switch (auth) {
    case "open":
      return { kind: "open" };
    case "basic":
      return { kind: "basic", htpasswd };
    case "forward":
      return { kind: "forward", url: `http://127.0.0.1:${upstreams.auth}/auth` };
  }
}

function haproxy(rules: number, options: Options & { readonly auth?: "open" | "basic" } = {}): Row {
  const isClosed = options.auth === "basic";
  return {
    ...{ name: isClosed ? "HAProxy, MD5-crypt" : "HAProxy", rules },
    start: ({ haproxy: command, upstreams: { backend }, login, tls }) =>
      command === undefined
        ? undefined
        : startHaproxy({
            ...{ command, rules, backend, ...proxy(options, tls) },
            ...(isClosed && { login }),
          }),
  };
}

function envoy(rules: number, options: Options = {}): Row {
  const { auth = "open" } = options;
  const how = { open: "", basic: ", {SHA}", forward: ", ext_authz" } as const;
  return {
    ...{ name: `Envoy${how[auth]}`, rules },
    start: ({ envoy: command, upstreams, login, tls }) =>
      command === undefined
        ? undefined
        : startEnvoy({
            ...{ command, rules, backend: upstreams.backend, ...proxy(options, tls) },
            ...(auth === "basic" && { login }),
            ...(auth === "forward" && { auth: upstreams.auth }),
          }),
  };
}
