import type { BackendFilters } from "../model/filters.js";
import type { Backend } from "../model/route.js";
import type { SourceRef } from "../model/values.js";
import type { Redirect } from "../model/filters.js";
import type { PolicyAuth, PolicyBackendTls, PolicyDocument, PolicyRoute } from "../model/policy.js";
import { cidrContains } from "../support/ip-address.js";
import type { ExplainRequest } from "./request.js";
import { own } from "../support/json-object.js";

/** What the gateway does with the request. */
export type Answer =
  /** No server has the port and scheme: the client can't connect. `servers` are those that there are, by port. */
  | {
      readonly kind: "unreachable";
      readonly servers: readonly { readonly scheme: "http" | "https"; readonly port: number }[];
    }
  /** No certificate is for the server name, which is empty when the client sends none: the TLS handshake fails. */
  | { readonly kind: "handshakeFailed"; readonly serverName: string }
  /** An error that it answers itself; `reason` is X-ALB-ERR-REASON. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string }
  | { readonly kind: "redirected"; readonly redirect: Redirect }
  /** Passed to a backend, after the auth that applies. */
  | { readonly kind: "forwarded" };

export interface ExplainedAuth {
  readonly id: string;
  readonly source: SourceRef;
  /** It comes from another object than the route. */
  readonly inherited: boolean;
  /** Why its requests are answered 503. */
  readonly invalid?: string;
  readonly realm?: string;
  readonly forward?: NonNullable<PolicyAuth["forward"]>;
  readonly external?: NonNullable<PolicyAuth["external"]>;
}

export interface ExplainedBackend {
  readonly upstream?: string;
  readonly protocol: Backend["protocol"];
  /** Part of the traffic, from 0 to 1. */
  readonly share: number;
  readonly endpoints: number;
  /** `[status, reason]` for its part of the traffic. */
  readonly refuse?: readonly [number, string];
  /** Done for its part of the traffic, after the route's own. */
  readonly filters?: BackendFilters;
  /** What the certificate of its endpoints is held against. */
  readonly tls?: PolicyBackendTls;
}

/** Where the client's address stands in the source ranges. */
export type SourceRange = "unrestricted" | "allowed" | "refused";

export interface Outcome {
  readonly answer: Answer;
  readonly sourceRange: SourceRange;
  /** Source ranges and auth are alternatives. */
  readonly satisfyAny: boolean;
  /** The auth is checked for this request: nothing answers before it, and the source range does not make up for it. */
  readonly authChecked: boolean;
  readonly auth: readonly ExplainedAuth[];
  /** OPTIONS requests of allowed origins are answered 204 before auth. */
  readonly preflight: boolean;
  readonly filters: RouteFilters;
  readonly backends: readonly ExplainedBackend[];
}

/** What the route changes on the way, as it stands in the policy: all fields but those that the rest of the outcome is made from. */
export type RouteFilters = Omit<
  PolicyRoute,
  | "source"
  | "refuse"
  | "redirect"
  | "authFirst"
  | "allow"
  | "deny"
  | "satisfy"
  | "auth"
  | "ownAuth"
  | "backends"
>;

/** What a route does with a request that came to it, in the data plane's order of steps. */
export function routeOutcome(
  policy: PolicyDocument,
  route: PolicyRoute,
  request: ExplainRequest,
): Outcome {
  const auth = (route.auth ?? []).map((id) => explainAuth(own(policy.auths, id), id, route));
  const sourceRange = rangeOf(route, request.client);
  const satisfyAny = route.satisfy === "any";
  const backends = explainBackends(policy, route);
  const redirected = redirectAnswer(route, request);
  const early = earlyAnswer(route, redirected);
  const denied = early ?? accessAnswer(auth, sourceRange, satisfyAny);
  return {
    answer: denied ?? redirected ?? backendAnswer(backends) ?? { kind: "forwarded" },
    sourceRange,
    satisfyAny,
    authChecked:
      auth.length > 0 && denied === undefined && !(satisfyAny && sourceRange === "allowed"),
    auth,
    filters: filtersOf(route),
    preflight: route.cors !== undefined && request.method === "OPTIONS" && early === undefined,
    backends,
  };
}

function filtersOf(route: PolicyRoute): RouteFilters {
  const { source, refuse, redirect, authFirst, allow, deny, satisfy, auth, ownAuth, ...rest } =
    route;
  const { backends, ...filters } = rest;
  return filters;
}

function explainAuth(auth: PolicyAuth | undefined, id: string, route: PolicyRoute): ExplainedAuth {
  if (auth === undefined) {
    return { id, source: route.source, inherited: false, invalid: `no policy ${id}` };
  }
  const { source, invalid, basic, forward, external } = auth;
  return {
    id,
    source,
    inherited: source.slice(0, 3).join("/") !== route.source.slice(0, 3).join("/"),
    ...(invalid !== undefined && { invalid }),
    ...(basic && { realm: basic.realm }),
    ...(forward && { forward }),
    ...(external && { external }),
  };
}

/** What is answered before the access is checked. */
function earlyAnswer(
  { refuse, authFirst, auth = [] }: PolicyRoute,
  redirected: Answer | undefined,
): Answer | undefined {
  if (refuse === undefined) return authFirst === true && auth.length > 0 ? undefined : redirected;
  const [status, reason] = refuse;
  return { kind: "refused", status, reason };
}

function redirectAnswer(route: PolicyRoute, { scheme }: ExplainRequest): Answer | undefined {
  return route.redirect && route.redirect.unlessScheme !== scheme
    ? { kind: "redirected", redirect: route.redirect }
    : undefined;
}

function accessAnswer(
  auth: readonly ExplainedAuth[],
  sourceRange: SourceRange,
  satisfyAny: boolean,
): Answer | undefined {
  const invalid = auth.find((entry) => entry.invalid !== undefined)?.invalid;
  if (invalid !== undefined) {
    return { kind: "refused", status: 503, reason: `AuthFail : invalid cfg ${invalid}` };
  }
  const lost = sourceRange === "refused" && !(satisfyAny && auth.length > 0);
  return lost
    ? { kind: "refused", status: 403, reason: "AccessFail : client address not allowed" }
    : undefined;
}

/** An address in `deny` is refused, then one outside a non-empty `allow`. */
function rangeOf({ allow = [], deny = [] }: PolicyRoute, client: string): SourceRange {
  if (allow.length === 0 && deny.length === 0) return "unrestricted";
  if (deny.some((cidr) => cidrContains(cidr, client))) return "refused";
  return allow.length === 0 || allow.some((cidr) => cidrContains(cidr, client))
    ? "allowed"
    : "refused";
}

function explainBackends(policy: PolicyDocument, route: PolicyRoute): readonly ExplainedBackend[] {
  const backends = route.backends ?? [];
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  return backends.map(({ upstream, weight, protocol, refuse, filters, tls }) => ({
    ...(upstream !== undefined && { upstream }),
    protocol,
    share: total === 0 ? 0 : weight / total,
    endpoints:
      upstream === undefined ? 0 : (own(policy.upstreams, upstream)?.endpoints.length ?? 0),
    ...(refuse && { refuse }),
    ...(filters && { filters }),
    ...(tls !== undefined && { tls: own(policy.backendTls, tls) ?? {} }),
  }));
}

/** The answer when no part of the traffic reaches an endpoint. */
function backendAnswer(backends: readonly ExplainedBackend[]): Answer | undefined {
  const used = backends.filter(({ share }) => share > 0);
  const [first] = used;
  if (first === undefined) {
    return { kind: "refused", status: 500, reason: "InvalidBackend : no backend" };
  }
  if (used.some(({ refuse, endpoints }) => refuse === undefined && endpoints > 0)) return undefined;
  const [status, reason] = first.refuse ?? [503, "InvalidBalancer : no peer"];
  return { kind: "refused", status, reason };
}
