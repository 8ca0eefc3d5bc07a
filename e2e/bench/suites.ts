/** What is measured side by side. Each suite has a bare nginx of its own, in the same rounds. */
import type { Login } from "./credentials.js";
import { startAuthBasic, startAuthRequest, startBare, startWithHeaders } from "./comparisons.js";
import { type RouteKind, startGateway } from "./gateway-subject.js";
import { startEnvoy } from "./peers/envoy.js";
import { startHaproxy } from "./peers/haproxy.js";
import type { Access } from "./site.js";
import type { Subject } from "./subject.js";
import type { Upstreams } from "./upstreams.js";

export interface Surroundings {
  readonly upstreams: Upstreams;
  readonly login: Login;
  /** Commands; absent ones are left out. */
  readonly haproxy?: string;
  readonly envoy?: string;
}

interface GatewayCases {
  readonly kind: RouteKind;
  readonly counts: readonly number[];
  readonly access: Access;
  readonly authorization?: string;
  readonly accessLog?: boolean;
}

type Start = () => Promise<Subject>;

export interface Suite {
  readonly title: string;
  readonly subjects: (around: Surroundings) => readonly Start[];
}

const FEW = 10;
const MANY = 1000;
const HUGE = 10_000;
const OPEN: Access = { kind: "open" };

const plain: Suite = {
  title: "Plain route",
  subjects: ({ upstreams, haproxy, envoy }) => [
    () => startBare(upstreams, FEW),
    () => startBare(upstreams, HUGE),
    () => startWithHeaders(upstreams, FEW),
    ...gateways(upstreams, { kind: "Ingress", counts: [FEW, MANY, HUGE], access: OPEN }),
    ...gateways(upstreams, { kind: "Rule", counts: [FEW, MANY], access: OPEN }),
    ...gateways(upstreams, { kind: "Ingress", counts: [FEW], access: OPEN, accessLog: true }),
    ...[FEW, MANY].flatMap((rules) => [
      ...optional(haproxy, (command) =>
        startHaproxy({ command, name: "HAProxy", rules, backend: upstreams.backend }),
      ),
      ...optional(envoy, (command) =>
        startEnvoy({ command, name: "Envoy", rules, backend: upstreams.backend }),
      ),
    ]),
  ],
};

const basic: Suite = {
  title: "Basic auth, the same user in every request",
  subjects: ({ upstreams, login, haproxy, envoy }) => {
    const access = { kind: "basic", htpasswd: login.htpasswd } as const;
    const { authorization } = login;
    return [
      () => startBare(upstreams, FEW),
      ...gateways(upstreams, { kind: "Ingress", counts: [FEW, MANY], access, authorization }),
      ...gateways(upstreams, { kind: "Rule", counts: [FEW, MANY], access, authorization }),
      () => startAuthBasic(upstreams, login),
      ...optional(haproxy, (command) =>
        startHaproxy({
          command,
          name: "HAProxy, MD5-crypt",
          rules: FEW,
          backend: upstreams.backend,
          login,
        }),
      ),
      ...optional(envoy, (command) =>
        startEnvoy({
          command,
          name: "Envoy, {SHA}",
          rules: FEW,
          backend: upstreams.backend,
          login,
        }),
      ),
    ];
  },
};

const forward: Suite = {
  title: "Forward auth, the auth service answers 200 with a short body",
  subjects: ({ upstreams, envoy }) => {
    const access = { kind: "forward", url: `http://127.0.0.1:${upstreams.auth}/auth` } as const;
    return [
      () => startBare(upstreams, FEW),
      ...gateways(upstreams, { kind: "Ingress", counts: [FEW, MANY], access }),
      ...gateways(upstreams, { kind: "Rule", counts: [FEW, MANY], access }),
      () => startAuthRequest(upstreams),
      ...optional(envoy, (command) =>
        startEnvoy({
          command,
          name: "Envoy, ext_authz",
          rules: FEW,
          backend: upstreams.backend,
          auth: upstreams.auth,
        }),
      ),
    ];
  },
};

const httpRoutes: Suite = {
  title: "HTTPRoutes of a Gateway",
  subjects: ({ upstreams }) => [
    () => startBare(upstreams, FEW),
    () => startBare(upstreams, HUGE),
    ...gateways(upstreams, { kind: "HTTPRoute", counts: [FEW, MANY, HUGE], access: OPEN }),
  ],
};

export const SUITES: readonly Suite[] = [plain, basic, forward, httpRoutes];

/** Starters of the gateway with the access and with the routes of each size. */
function gateways(upstreams: Upstreams, options: GatewayCases): Start[] {
  const { kind, counts, access, accessLog = false, authorization } = options;
  return counts.map(
    (count) => () =>
      startGateway({
        name: `albc, ${kind}${accessLog ? ", access log" : ""}`,
        kind,
        count,
        access,
        backend: upstreams.backend,
        accessLog,
        ...(authorization !== undefined && { authorization }),
      }),
  );
}

function optional(
  command: string | undefined,
  start: (command: string) => Promise<Subject>,
): Start[] {
  return command === undefined ? [] : [() => start(command)];
}
