/** What is measured side by side. A row is one subject; the first one of each suite is the bare nginx that it is compared with. */
import { startAuthBasic, startAuthRequest, startBare, startLocations } from "./comparisons.js";
import type { Login } from "./credentials.js";
import { startGateway } from "./gateway-subject.js";
import { type Load, SATURATED } from "./loads.js";
import { startEnvoy } from "./peers/envoy.js";
import { startHaproxy } from "./peers/haproxy.js";
import type { Access, RouteKind } from "./site.js";
import type { Subject } from "./subject.js";
import { FEW, HUGE, MANY } from "./traffic.js";
import type { Upstreams } from "./upstreams.js";

export interface Surroundings {
  readonly upstreams: Upstreams;
  readonly login: Login;
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
  readonly loads: readonly Load[];
  readonly rows: readonly Row[];
}

type Auth = Access["kind"];

export const SUITES = [
  {
    title: "Plain route",
    loads: [SATURATED],
    rows: [
      bare(FEW),
      bare(HUGE),
      locations(FEW),
      locations(MANY),
      locations(HUGE),
      ...[FEW, MANY, HUGE].map((count) => albc("Ingress", count)),
      ...[FEW, MANY, HUGE].map((count) => albc("HTTPRoute", count)),
      ...[FEW, MANY].map((count) => albc("Rule", count)),
      albc("Ingress", FEW, { accessLog: true }),
      ...[FEW, MANY, HUGE].map((count) => haproxy(count)),
      ...[FEW, MANY].map((count) => envoy(count)),
    ],
  },
  {
    title: "Basic auth, the same user in every request",
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
] as const satisfies readonly Suite[];

function bare(rules: number): Row {
  return { name: "bare proxy_pass", rules, start: ({ upstreams }) => startBare(upstreams) };
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

interface Options {
  readonly auth?: Auth;
  readonly accessLog?: boolean;
}

function albc(kind: RouteKind, rules: number, options: Options = {}): Row {
  const { auth = "open", accessLog = false } = options;
  return {
    ...{ name: `albc, ${kind}${accessLog ? ", access log" : ""}`, rules },
    isOwn: true,
    start: ({ upstreams, login }, main) =>
      startGateway({
        kind,
        count: rules,
        access: accessTo(auth, upstreams, login),
        backend: upstreams.backend,
        authorization: auth === "basic" ? login.authorization : undefined,
        accessLog,
        main,
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

function haproxy(rules: number, { auth = "open" }: { readonly auth?: "open" | "basic" } = {}): Row {
  return {
    ...{ name: auth === "basic" ? "HAProxy, MD5-crypt" : "HAProxy", rules },
    start: ({ haproxy: command, upstreams: { backend }, login }) =>
      command === undefined
        ? undefined
        : startHaproxy({ command, rules, backend, ...(auth === "basic" && { login }) }),
  };
}

function envoy(rules: number, { auth = "open" }: Options = {}): Row {
  const how = { open: "", basic: ", {SHA}", forward: ", ext_authz" } as const;
  return {
    ...{ name: `Envoy${how[auth]}`, rules },
    start: ({ envoy: command, upstreams, login }) =>
      command === undefined
        ? undefined
        : startEnvoy({
            ...{ command, rules, backend: upstreams.backend },
            ...(auth === "basic" && { login }),
            ...(auth === "forward" && { auth: upstreams.auth }),
          }),
  };
}
