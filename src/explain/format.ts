/** An explanation as text for a terminal: first the answer, then where it comes from, then the candidates that were not chosen. */
import type { AuthUrl } from "../model/auth.js";
import type { BackendFilters, PathRewrite, Redirect } from "../model/filters.js";
import type { Predicate, RateLimit } from "../model/route.js";
import type { SourceRef } from "../model/values.js";
import { shortened, visible } from "../support/text.js";
import type { Candidate } from "./candidates.js";
import { formatFlowStep, formatHeaders, formatStep, formatText } from "./format-headers.js";
import type { Explanation } from "./explain.js";
import type { Answer, ExplainedRoute, RouteFilters } from "./outcome.js";

/** Further candidates are only counted: a listener may have thousands. */
const MAX_SHOWN = 20;

/** Endpoints of a backend that are shown. */
const MAX_ADDRESSES = 5;

/** `facts`: further rows, which the policy does not say, by label. */
export function formatExplanation(
  explanation: Explanation,
  facts: readonly (readonly [label: string, text: string])[] = [],
): string {
  const { request, route, candidates, certain, nearestHosts = [] } = explanation;
  const url = `${request.scheme}://${request.host}:${String(request.port)}${request.target}`;
  const path = request.path;
  const sentPath = request.target.split("?", 1)[0];
  const lines = [
    `${request.method} ${url}`,
    row("answer", formatAnswer(explanation.answer, route)),
    ...(certain
      ? []
      : [row("", "not certain: a candidate before it has an expression that only nginx can try")]),
    ...(path === undefined || path === sentPath ? [] : [row("path", path)]),
    ...(explanation.listener === undefined
      ? []
      : [row("listener", `${explanation.listener} (server ${explanation.server ?? ""})`)]),
    ...(explanation.clientCertificate === undefined
      ? []
      : [row("", `client certificates are ${explanation.clientCertificate}`)]),
    ...(explanation.certificate === null
      ? [
          row(
            "certificate",
            "none is for this name: a self-signed one answers, which clients refuse",
          ),
        ]
      : []),
    ...(route === undefined ? [] : formatRoute(route, explanation.answer)),
    ...facts.map(([label, text]) => row(label, text)),
    ...formatCandidates(candidates),
    ...(nearestHosts.length === 0 ? [] : [row("similar", nearestHosts.join(", "))]),
  ];
  return lines.map((line) => `${visible(line)}\n`).join("");
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(11)} ${text}`;
}

function formatAnswer(answer: Answer, route: ExplainedRoute | undefined): string {
  const condition = route === undefined ? "" : conditionOf(route);
  switch (answer.kind) {
    case "unreachable":
      return `none: no server has this port and scheme (${formatServers(answer.servers)})`;
    case "refused":
      return `${String(answer.status)} ${answer.reason}`;
    case "redirected":
      return `${formatRedirect(answer.redirect)}${condition}`;
    case "forwarded":
      return `forwarded${condition}`;
  }
}

/** The auth that a forwarded request must pass: the route's, or that of the chosen backend. */
function conditionOf({ authChecked, backends }: ExplainedRoute): string {
  if (authChecked) return " when the auth passes";
  const used = backends.filter(({ share }) => share > 0);
  const guarded = used.filter(hasAuth);
  if (guarded.length === 0) return "";
  return ` when the auth of its backend passes${guarded.length < used.length ? ", where it has one" : ""}`;
}

function hasAuth({ filters }: ExplainedRoute["backends"][number]): boolean {
  return (filters?.auth ?? []).length > 0;
}

function formatServers(servers: Extract<Answer, { kind: "unreachable" }>["servers"]): string {
  if (servers.length === 0) return "there is none at all";
  const shown = new Set(servers.map(({ scheme, port }) => `${scheme} ${String(port)}`));
  return `there are ${[...shown].join(", ")}`;
}

function formatRoute(route: ExplainedRoute, answer: Answer): readonly string[] {
  return [
    row("route", route.id),
    row("from", formatSource(route.source)),
    ...(route.preflight
      ? [row("cors", "OPTIONS of an allowed origin is answered 204 before auth")]
      : []),
    ...formatRange(route),
    ...formatAuth(route, answer),
    ...formatFilters(route.filters).map((text) => row("filter", text)),
    ...(route.rewritten === undefined ? [] : [row("sent on", `as ${route.rewritten}`)]),
    ...route.backends.flatMap(formatBackend),
  ];
}

function formatRange({ sourceRange, satisfyAny }: ExplainedRoute): readonly string[] {
  if (sourceRange === "unrestricted") return [];
  const instead = satisfyAny ? "; auth would do instead" : "";
  return [row("source", `the client's address is ${sourceRange}${instead}`)];
}

function formatAuth(
  { auth, authChecked, backends }: ExplainedRoute,
  answer: Answer,
): readonly string[] {
  if (auth.length === 0) {
    if (backends.some(hasAuth)) return [row("auth", "of the backend")];
    // A refused object has no auth, because it can't be applied as written; "none" would look as if it were open.
    const isClosed = answer.kind === "refused" && /^(?:AuthFail|InvalidRule) /.test(answer.reason);
    return [row("auth", isClosed ? "not reached: every request is refused" : "none")];
  }
  const unchecked = authChecked || auth.some(({ invalid }) => invalid !== undefined);
  return auth.flatMap((entry) => [
    ...describeAuth(entry).map((method) => row("auth", method)),
    row("", `${entry.inherited ? "inherited from" : "set by"} ${formatSource(entry.source)}`),
    ...(unchecked ? [] : [row("", "not checked for this request")]),
  ]);
}

/** A text for each check of an auth policy. */
export function describeAuth(auth: ExplainedRoute["auth"][number]): readonly string[] {
  const { id: _, source: _source, inherited: _inherited, ...checks } = auth;
  const { invalid, realm, forward, external, ...others } = checks;
  if (invalid !== undefined) return [`broken, so closed: ${invalid}`];
  const methods: string[] = [];
  if (realm !== undefined) methods.push(`basic, realm ${JSON.stringify(realm)}`);
  if (forward !== undefined) {
    const signin =
      forward.signin === undefined ? "" : `; 401 leads to ${formatText(forward.signin)}`;
    methods.push(`forward, ${forward.method} ${formatUrl(forward)}${signin}`);
  }
  if (external !== undefined) {
    const url = formatUrl(external);
    methods.push(`external, the request's own method and path behind ${url}, only 200 passes`);
  }
  methods.push(...Object.keys(others));
  return methods.length === 0 ? ["nothing to check"] : methods;
}

function formatUrl({ scheme, host, port, target, upstream }: AuthUrl): string {
  const authority = formatText(host) + (port === undefined ? "" : `:${formatText(port)}`);
  const service = upstream === undefined ? "" : ` (Service ${upstream})`;
  return `${scheme}://${authority}${formatText(target)}${service}`;
}

function formatBackend(backend: ExplainedRoute["backends"][number]): readonly string[] {
  const { upstream, protocol, share, endpoints, addresses, refuse, tls, filters } = backend;
  const part = `${String(Math.round(share * 1000) / 10)} %`;
  const count = `${String(endpoints)} endpoint${endpoints === 1 ? "" : "s"}`;
  const shown =
    refuse === undefined
      ? `${part} ${upstream ?? ""} by ${protocol}, ${count}${formatTls(tls)}`
      : `${part} answered ${String(refuse[0])} ${refuse[1]}`;
  const rows = filters ? formatBackendFilters(filters) : [];
  const named = addresses.length === 0 ? [] : [shortened(addresses, MAX_ADDRESSES)];
  return [row("backend", shown), ...[...named, ...rows].map((text) => row("", text))];
}

function formatTls(tls: ExplainedRoute["backends"][number]["tls"]): string {
  if (tls === undefined) return "";
  const { hostname, names } = tls;
  const as = names?.map(([, value]) => value).join(" or ") ?? hostname;
  return as === undefined ? ", verified TLS" : `, verified TLS as ${as}`;
}

export function formatSource([kind, namespace, name, field]: SourceRef): string {
  return `${kind} ${namespace}/${name} ${field}`.trimEnd();
}

function formatCandidates(candidates: readonly Candidate[]): readonly string[] {
  if (candidates.length === 0) return [];
  const chosen = candidates.findIndex(({ outcome }) => outcome.kind === "chosen");
  const count = Math.max(MAX_SHOWN, chosen + 1);
  const more = candidates.length - count;
  return [
    "  candidates, in the order in which they are tried",
    ...candidates.slice(0, count).map(formatCandidate),
    ...(more > 0 ? [`    and ${String(more)} more`] : []),
  ];
}

function formatCandidate({ route, host, path, when, outcome }: Candidate): string {
  const where = [
    `host ${host === "" ? "any" : host}`,
    `path ${path === undefined ? "any" : `${path[0]} ${path[1] === "" ? "/" : path[1]}`}`,
    ...(when ?? []).map(formatPredicate),
  ].join(", ");
  const mark = outcome.kind === "chosen" ? ">" : " ";
  return `  ${mark} ${route} (${where}): ${formatOutcome(outcome)}`;
}

function formatOutcome(outcome: Candidate["outcome"]): string {
  switch (outcome.kind) {
    case "chosen":
      return "chosen";
    case "order":
      return "comes later";
    case "path":
      return "other path";
    case "predicate": {
      const { predicate, value } = outcome;
      const is = value === undefined ? "there is none" : `it is ${JSON.stringify(value)}`;
      return `${subject(predicate)} does not match, ${is}`;
    }
    case "undecided":
      return "only nginx can try its regular expression";
  }
}

export function formatPredicate(predicate: Predicate): string {
  return `${subject(predicate)} ${predicate.any.map((test) => test.join(" ")).join(" or ")}`;
}

function subject({ of, key }: Predicate): string {
  return key === undefined ? of : `${of} ${key}`;
}

/** `<status> to <Location>`; `<…>` stands for parts of the request. */
export function formatRedirect(redirect: Redirect): string {
  const { status, url, scheme, host, port, path } = redirect;
  const built =
    `${scheme ?? "<scheme>"}://${host ?? "<host>"}` +
    (port === undefined ? "" : `:${String(port)}`) +
    (path === undefined ? "<path and query>" : formatRewrite(path));
  return `${String(status)} to ${url === undefined ? built : formatText(url)}`;
}

/** One line for each change. */
function formatFilters(filters: RouteFilters): readonly string[] {
  return Object.values(FORMATS).flatMap((format) => format(filters));
}

function formatBackendFilters(filters: BackendFilters): readonly string[] {
  const { auth = [], redirect, ...changes } = filters;
  return [
    ...auth.map((id) => `auth ${id}`),
    ...(redirect ? [`redirect ${formatRedirect(redirect)}`] : []),
    ...formatFilters(changes),
  ];
}

/** In the order of the lines; a new field of a route needs an entry. */
const FORMATS: Readonly<Record<keyof RouteFilters, (of: RouteFilters) => readonly string[]>> = {
  hostFlow: ({ hostFlow = [] }) => hostFlow.map(formatFlowStep),
  flow: ({ flow = [] }) => flow.map(formatFlowStep),
  cors: ({ cors }) => line(cors, ({ origins }) => `CORS for ${origins.join(", ")}`),
  rewrite: ({ rewrite }) => line(rewrite, (path) => `path becomes ${formatRewrite(path)}`),
  host: ({ host }) => line(host, (name) => `Host becomes ${name}`),
  requestHeaders: ({ requestHeaders }) => formatHeaders("request", requestHeaders),
  responseHeaders: ({ responseHeaders }) => formatHeaders("response", responseHeaders),
  requestSteps: ({ requestSteps = [] }) =>
    requestSteps.flatMap((step) => formatStep("request", step)),
  responseSteps: ({ responseSteps = [] }) =>
    responseSteps.flatMap((step) => formatStep("response", step)),
  mirrors: ({ mirrors = [] }) => mirrors.map(formatMirror),
  bodyLimit: ({ bodyLimit }) => line(bodyLimit, (limit) => `body of at most ${limit} bytes`),
  limits: ({ limits }) => (limits?.rates ?? []).map(formatLimit),
  holdsBody: ({ holdsBody }) => line(holdsBody, () => "body without a length is held first"),
  timeouts: ({ timeouts }) =>
    line(timeouts, ({ connect, send, read }) => `timeouts ${[connect, send, read].join(", ")} ms`),
  deadlines: ({ deadlines }) => formatDeadlines(deadlines),
  retry: ({ retry }) => line(retry, formatRetry),
  outageErrors: (of) => line(of.outageErrors, (count) => `${count} errors put an endpoint out`),
  affinity: ({ affinity }) => line(affinity, (by) => `affinity by ${by.join(" ")}`),
  session: ({ session }) => line(session, formatSession),
  sessionCookie: (of) => line(of.sessionCookie, (cookie) => `cookie ${JSON.stringify(cookie)}`),
  streamed: ({ streamed }) => line(streamed, () => "responses are streamed"),
  largeHeaders: (of) => line(of.largeHeaders, () => "response headers of at most 256 KiB"),
  hashBy: ({ hashBy }) => line(hashBy, (text) => `endpoint by the hash of ${formatText(text)}`),
  hashSubset: ({ hashSubset }) => line(hashSubset, (size) => `any of ${String(size)} endpoints`),
  traceRate: ({ traceRate }) => line(traceRate, (rate) => `${rate} % sampled for traces`),
  errorPages: ({ errorPages }) => line(errorPages, formatErrorPages),
};

function line<T>(value: T | undefined, format: (value: T) => string): readonly string[] {
  return value === undefined ? [] : [format(value)];
}

function formatMirror({
  upstream,
  protocol,
  numerator,
  denominator,
}: NonNullable<RouteFilters["mirrors"]>[number]): string {
  const part = Math.round((numerator / denominator) * 100_000) / 1000;
  return `${String(part)} % mirrored to ${upstream} by ${protocol}`;
}

function formatDeadlines(deadlines: RouteFilters["deadlines"]): readonly string[] {
  const { request, backendRequest } = deadlines ?? {};
  return [
    ...(request === undefined ? [] : [`whole answer within ${String(request)} ms`]),
    ...(backendRequest === undefined ? [] : [`each try within ${String(backendRequest)} ms`]),
  ];
}

function formatRetry({ codes = [], attempts }: NonNullable<RouteFilters["retry"]>): string {
  if (attempts === 0) return "no further tries";
  const reasons = ["failure to connect", ...codes.map(String)].join(", ");
  return `up to ${String(attempts)} further tries on ${reasons}`;
}

function formatSession({
  in: place,
  name,
  absoluteTimeout,
}: NonNullable<RouteFilters["session"]>): string {
  const limit = absoluteTimeout === undefined ? "" : ` for ${String(absoluteTimeout)} s`;
  return `session by ${place} ${name}${limit}`;
}

function formatLimit({ requests, seconds, burst }: RateLimit): string {
  return `a client: ${String(requests)} requests in ${String(seconds)} s, ${String(burst)} more at once`;
}

function formatErrorPages({ statuses, upstream }: NonNullable<RouteFilters["errorPages"]>): string {
  const which = statuses === undefined ? "the gateway's statuses" : statuses.join(", ");
  if (upstream === undefined) return `error pages for ${which} of the gateway`;
  return `error pages for ${which} of ${upstream}, which also answers if there is no endpoint`;
}

export function formatRewrite(rewrite: PathRewrite): string {
  switch (rewrite[0]) {
    case "full":
      return rewrite[1];
    case "prefix":
      return `<path with ${rewrite[2]} for its prefix ${rewrite[1]}>`;
    case "regex":
      return `<path with ${formatText(rewrite[3])} for ${rewrite[1]}>`;
  }
}
