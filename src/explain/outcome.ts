/** What a route does with a request, in the order of the data plane's steps (docs/policy-format.md, "Order of steps"). */
import type { BackendFilters, Redirect } from "../model/filters.js";
import type { PolicyAuth, PolicyBackendTls, PolicyDocument, PolicyRoute } from "../model/policy.js";
import type { Backend } from "../model/route.js";
import type { SourceRef } from "../model/values.js";
import { cidrContains } from "../support/ip-address.js";
import { own, present } from "../support/json-object.js";
import { isChangedByDecoding, redirectLocation, rewriteTarget } from "./path-rewrite.js";
import { type ExplainRequest, fromWire, inWire, variablesOf } from "./request.js";

/** What the gateway does with the request. */
export type Answer =
  /** No server has the port and scheme, so the client can't connect. `servers`: the existing ones by port. */
  | {
      readonly kind: "unreachable";
      readonly servers: readonly { readonly scheme: "http" | "https"; readonly port: number }[];
    }
  /** The gateway answers with an error; `reason` is X-ALB-ERR-REASON. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: string }
  | { readonly kind: "redirected"; readonly redirect: Redirect }
  /** A backend gets the request, if the auth that applies passes. */
  | { readonly kind: "forwarded" };

export interface ExplainedRoute {
  readonly id: string;
  readonly source: SourceRef;
  /** Whether the source ranges contain the client's address. */
  readonly sourceRange: "unrestricted" | "allowed" | "refused";
  /** Source ranges and auth are alternatives. */
  readonly satisfyAny: boolean;
  /** Auth is checked for this request: no answer comes before it, and the source range does not replace it. */
  readonly authChecked: boolean;
  /** With the methods that are checked; `realm` of basic. */
  readonly auth: readonly (Omit<PolicyAuth, "basic" | "source"> & {
    readonly id: string;
    readonly source: SourceRef;
    /** It comes from another object than the route. */
    readonly inherited: boolean;
    readonly realm?: string;
  })[];
  readonly filters: RouteFilters;
  /** OPTIONS requests of allowed origins are answered 204 before auth. */
  readonly preflight: boolean;
  readonly backends: readonly {
    readonly upstream?: string;
    readonly protocol: Backend["protocol"];
    /** Share of the requests, from 0 to 1. */
    readonly share: number;
    readonly endpoints: number;
    /** Of the endpoints, `address:port`. */
    readonly addresses: readonly string[];
    /** `[status, reason]` of the answer to its share. */
    readonly refuse?: readonly [number, string];
    /** Run for its share, after the route's own. */
    readonly filters?: BackendFilters;
    /** What the certificates of its endpoints are checked for. */
    readonly tls?: PolicyBackendTls;
  }[];
  /** Path and query that the backend gets if they are rewritten. Absent also if only the data plane can tell. */
  readonly rewritten?: string;
}

/** What the route changes, as it is in the policy: all fields that the rest of ExplainedRoute is not made from. */
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

/** Takes the request's normalised path besides, since only a request with one reaches a route. */
export function explainRoute(
  policy: PolicyDocument,
  id: string,
  route: PolicyRoute,
  request: ExplainRequest & { readonly path: string },
): { readonly answer: Answer; readonly route: ExplainedRoute } {
  const auth = (route.auth ?? []).map((entry) =>
    explainAuth(own(policy.auths, entry), entry, route),
  );
  const sourceRange = rangeOf(route, request.client);
  const satisfyAny = route.satisfy === "any";
  const backends = explainBackends(policy, route);
  const redirect = toLocation(redirectFor(route, request), request);
  const redirected = redirect && ({ kind: "redirected", redirect } as const);
  const early = earlyAnswer(route, redirected);
  const denied = early ?? accessAnswer({ auth, sourceRange, satisfyAny });
  const rewritten = rewrittenBy(route, request);
  const unsent = backendAnswer(backends) ?? rewriteAnswer(rewritten, backends);
  return {
    answer: denied ?? redirected ?? unsent ?? { kind: "forwarded" },
    route: {
      id,
      source: route.source,
      sourceRange,
      satisfyAny,
      authChecked:
        auth.length > 0 && denied === undefined && !(satisfyAny && sourceRange === "allowed"),
      auth,
      filters: filtersOf(route),
      preflight: isPreflight(route, request),
      backends,
      ...(rewritten !== undefined && { rewritten: fromWire(rewritten) }),
    },
  };
}

/** Preflights are answered before redirects and auth. */
function isPreflight({ cors, refuse }: PolicyRoute, { method }: ExplainRequest): boolean {
  return cors !== undefined && method === "OPTIONS" && refuse === undefined;
}

/** What a route changes. */
export function filtersOf(route: PolicyRoute): RouteFilters {
  const { source, refuse, redirect, authFirst, allow, deny, satisfy, auth, ownAuth, ...rest } =
    route;
  const { backends, ...filters } = rest;
  return filters;
}

/** The redirect with the Location of this request, if its URL depends on the request in a way that can be told. */
function toLocation(
  redirect: Redirect | undefined,
  request: ExplainRequest & { readonly path: string },
): Redirect | undefined {
  if (redirect?.url === undefined) return redirect;
  const { path, target } = request;
  const [, query = ""] = /^[^?#]*\??([^#]*)/.exec(target) ?? [];
  const location = redirectLocation(inWire(redirect), path, query, variablesOf(request));
  const { captures: _, keepsQuery: _kept, ...rest } = redirect;
  return location === undefined ? redirect : { ...rest, url: [fromWire(location)] };
}

/** In wire text. */
function rewrittenBy(
  { rewrite }: PolicyRoute,
  request: ExplainRequest & { readonly path: string },
): string | undefined {
  const { path, target } = request;
  const result = rewrite && rewriteTarget(inWire(rewrite), path, target, variablesOf(request));
  return typeof result === "object" ? result.target : undefined;
}

/** The answer to a request whose rewritten target can't be sent. */
function rewriteAnswer(
  rewritten: string | undefined,
  backends: ExplainedRoute["backends"],
): Answer | undefined {
  if (rewritten === undefined) return undefined;
  if (rewritten.length > MOST_TARGET) return refused(414, GROWN);
  const isHttp2 = backends.every(({ share, protocol }) => share === 0 || HTTP2.has(protocol));
  return isHttp2 && isChangedByDecoding(rewritten) ? refused(400, ESCAPE) : undefined;
}

const HTTP2: ReadonlySet<Backend["protocol"]> = new Set(["grpc", "grpcs", "h2c"]);
/** The reasons of docs/errors.md. */
const ESCAPE = "BadRequest : escape not allowed in a rewritten path to HTTP/2";
const GROWN = "BadRequest : too long with the values of the request";
const BY_SNIPPET = "AccessFail : answered by a snippet";
/** lua/alb/growth.lua */
const MOST_TARGET = 32_768;

export function refused(status: number, reason: string): Answer {
  return { kind: "refused", status, reason };
}

export function explainAuth(
  auth: PolicyAuth | undefined,
  id: string,
  route: PolicyRoute,
): ExplainedRoute["auth"][number] {
  if (auth === undefined) {
    return { id, source: route.source, inherited: false, invalid: `no policy ${id}` };
  }
  const { source, invalid, basic, ...methods } = auth;
  const [kind, namespace, name] = route.source;
  const isOwn = typeof source === "string";
  return {
    id,
    source: isOwn ? [kind, namespace, name, source] : source,
    inherited: !isOwn,
    ...present("invalid", invalid),
    ...present("realm", basic?.realm),
    ...methods,
  };
}

/** The answer of a snippet that begins with one; only the data plane can evaluate its conditions. */
function snippetAnswer({ hostFlow, flow }: PolicyRoute): Answer | undefined {
  const [first] = hostFlow ?? flow ?? [];
  if (first?.[0] === "return") return refused(first[1], BY_SNIPPET);
  return first?.[0] === "redirect" ? { kind: "redirected", redirect: first[1] } : undefined;
}

/** The answer that comes before source ranges and auth. */
function earlyAnswer(route: PolicyRoute, redirected: Answer | undefined): Answer | undefined {
  const { refuse, authFirst, auth = [] } = route;
  const answer = refuse === undefined ? snippetAnswer(route) : undefined;
  if (answer !== undefined) return answer;
  if (refuse === undefined) return authFirst === true && auth.length > 0 ? undefined : redirected;
  return refused(...refuse);
}

/** The redirect of the route, unless the scheme is an exception. */
export function redirectFor(
  { redirect }: PolicyRoute,
  { scheme }: Pick<ExplainRequest, "scheme">,
): Redirect | undefined {
  return redirect?.unlessScheme === scheme ? undefined : redirect;
}

/** What a request gets whose auth can't be used. */
export function brokenAuth(invalid: string): string {
  return `AuthFail : invalid cfg ${invalid}`;
}

function accessAnswer({
  auth,
  sourceRange,
  satisfyAny,
}: Pick<ExplainedRoute, "auth" | "sourceRange" | "satisfyAny">): Answer | undefined {
  const invalid = auth.find((entry) => entry.invalid !== undefined)?.invalid;
  if (invalid !== undefined) {
    return refused(503, brokenAuth(invalid));
  }
  const lost = sourceRange === "refused" && !(satisfyAny && auth.length > 0);
  return lost ? refused(403, "AccessFail : client address not allowed") : undefined;
}

/** `deny` refuses first, then `allow` if it is not empty. */
function rangeOf(
  { allow = [], deny = [] }: PolicyRoute,
  client: string,
): ExplainedRoute["sourceRange"] {
  if (allow.length === 0 && deny.length === 0) return "unrestricted";
  if (deny.some((cidr) => cidrContains(cidr, client))) return "refused";
  return allow.length === 0 || allow.some((cidr) => cidrContains(cidr, client))
    ? "allowed"
    : "refused";
}

function explainBackends(policy: PolicyDocument, route: PolicyRoute): ExplainedRoute["backends"] {
  const backends = route.backends ?? [];
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  return backends.map(({ upstream, weight, protocol, refuse, filters, tls }) => {
    const { endpoints = [] } = own(policy.upstreams, upstream ?? "") ?? {};
    return {
      ...present("upstream", upstream),
      protocol,
      share: total === 0 ? 0 : weight / total,
      endpoints: endpoints.length,
      addresses: endpoints.map(([address, port]) =>
        address.includes(":") ? `[${address}]:${String(port)}` : `${address}:${String(port)}`,
      ),
      ...present("refuse", refuse),
      ...present("filters", filters),
      ...(tls !== undefined && { tls: own(policy.backendTls, tls) ?? {} }),
    };
  });
}

/** The answer if no share of the requests reaches an endpoint. */
function backendAnswer(backends: ExplainedRoute["backends"]): Answer | undefined {
  const used = backends.filter(({ share }) => share > 0);
  const [first] = used;
  if (first === undefined) return refused(500, "InvalidBackend : no backend");
  if (used.some(({ refuse, endpoints }) => refuse === undefined && endpoints > 0)) return undefined;
  return refused(...(first.refuse ?? ([503, "InvalidBalancer : no peer"] as const)));
}
