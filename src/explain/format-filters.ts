import type {
  BackendFilters,
  HeaderChanges,
  Mirror,
  PathRewrite,
  Redirect,
} from "../model/filters.js";
import type { Retry, Session, Timeouts } from "../model/route.js";
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
  return Object.values(FORMATS).flatMap((format) => format(filters));
}

/** The same for what is done only to the requests of one backend. */
export function formatBackendFilters(filters: BackendFilters): readonly string[] {
  const { auth = [], redirect, ...changes } = filters;
  return [
    ...auth.map((id) => `auth ${id}`),
    ...(redirect ? [`redirect ${formatRedirect(redirect)}`] : []),
    ...formatFilters(changes),
  ];
}

/** In the order of the lines. */
const FORMATS: Readonly<Record<keyof RouteFilters, (of: RouteFilters) => readonly string[]>> = {
  cors: ({ cors }) => line(cors, ({ origins }) => `CORS for ${origins.join(", ")}`),
  rewrite: ({ rewrite }) => line(rewrite, (path) => `path becomes ${formatRewrite(path)}`),
  host: ({ host }) => line(host, (name) => `Host becomes ${name}`),
  requestHeaders: ({ requestHeaders }) => formatHeaders("request", requestHeaders),
  responseHeaders: ({ responseHeaders }) => formatHeaders("response", responseHeaders),
  mirrors: ({ mirrors = [] }) => mirrors.map(formatMirror),
  bodyLimit: ({ bodyLimit }) => line(bodyLimit, (limit) => `body of at most ${limit} bytes`),
  timeouts: ({ timeouts }) => line(timeouts, formatTimeouts),
  deadlines: ({ deadlines }) => formatDeadlines(deadlines),
  retry: ({ retry }) => line(retry, formatRetry),
  affinity: ({ affinity }) => line(affinity, (by) => `affinity by ${by.join(" ")}`),
  session: ({ session }) => line(session, formatSession),
};

function line<T>(value: T | undefined, format: (value: T) => string): readonly string[] {
  return value === undefined ? [] : [format(value)];
}

function formatTimeouts({ connect, send, read }: Timeouts): string {
  return `timeouts ${[connect, send, read].join(", ")} ms`;
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

function formatRetry({ codes = [], attempts }: Retry): string {
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
