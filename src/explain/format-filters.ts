import type { BackendFilters, Mirror, Session } from "../model/route.js";
import type { PathRewrite, Redirect, HeaderChanges } from "../model/filters.js";
import type { RouteFilters } from "./outcome.js";

/** A redirect as `<status> to <Location>`; `<…>` stands for what the request brings. */
export function formatRedirect(redirect: Redirect): string {
  const { status, url, scheme, host, port, path } = redirect;
  const built =
    `${scheme ?? "<scheme>"}://${host ?? "<host>"}` +
    (port === undefined ? "" : `:${String(port)}`) +
    (path === undefined ? "<path and query>" : formatRewrite(path));
  return `${String(status)} to ${url ?? built}`;
}

/** One line for each thing that a route changes. */
export function formatFilters(filters: RouteFilters): readonly string[] {
  const { bodyLimit, timeouts, affinity, session } = filters;
  return [
    ...formatChanges(filters),
    ...(bodyLimit === undefined ? [] : [`body of at most ${String(bodyLimit)} bytes`]),
    ...(timeouts
      ? [`timeouts ${[timeouts.connect, timeouts.send, timeouts.read].join(", ")} ms`]
      : []),
    ...formatDeadlines(filters.deadlines),
    ...(filters.retry ? [formatRetry(filters.retry)] : []),
    ...(affinity ? [`affinity by ${affinity.join(" ")}`] : []),
    ...(session ? [formatSession(session)] : []),
  ];
}

/** The same for what is done only to the requests of one backend. */
export function formatBackendFilters(filters: BackendFilters): readonly string[] {
  const { auth = [], redirect } = filters;
  return [
    ...auth.map((id) => `auth ${id}`),
    ...(redirect ? [`redirect ${formatRedirect(redirect)}`] : []),
    ...formatChanges(filters),
  ];
}

type Changes = Omit<BackendFilters, "auth" | "redirect">;

function formatChanges(filters: Changes): readonly string[] {
  const { cors, rewrite, host, mirrors = [] } = filters;
  return [
    ...(cors ? [`CORS for ${cors.origins.join(", ")}`] : []),
    ...(rewrite ? [`path becomes ${formatRewrite(rewrite)}`] : []),
    ...(host === undefined ? [] : [`Host becomes ${host}`]),
    ...formatHeaders("request", filters.requestHeaders),
    ...formatHeaders("response", filters.responseHeaders),
    ...mirrors.map(formatMirror),
  ];
}

function formatMirror({ upstream, protocol, numerator, denominator }: Mirror): string {
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

function formatSession(session: Session): string {
  const { absoluteTimeout } = session;
  const limit = absoluteTimeout === undefined ? "" : ` for ${String(absoluteTimeout)} s`;
  return `session by ${session.in} ${session.name}${limit}`;
}

function formatRewrite(rewrite: PathRewrite): string {
  switch (rewrite[0]) {
    case "full":
      return rewrite[1];
    case "prefix":
      return `<path with ${rewrite[2]} for its prefix ${rewrite[1]}>`;
    case "regex":
      return `<path with ${rewrite[3]} for ${rewrite[1]}>`;
  }
}

function formatHeaders(message: string, changes: HeaderChanges | undefined): readonly string[] {
  const { set = [], add = [], remove = [] } = changes ?? {};
  return [
    ...set.map(([name, value]) => `${message} header ${name} set to ${value}`),
    ...add.map(([name, value]) => `${message} header ${name} added: ${value}`),
    ...remove.map((name) => `${message} header ${name} removed`),
  ];
}
