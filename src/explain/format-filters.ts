import type {
  PolicyHeaders,
  PolicyRedirect,
  PolicyRewrite,
} from "../render/policy/policy-document.js";
import type { RouteFilters } from "./outcome.js";

/** A redirect as `<status> to <Location>`; `<…>` stands for what the request brings. */
export function formatRedirect(redirect: PolicyRedirect): string {
  const { status, url, scheme, host, port, path } = redirect;
  const built =
    `${scheme ?? "<scheme>"}://${host ?? "<host>"}` +
    (port === undefined ? "" : `:${String(port)}`) +
    (path === undefined ? "<path and query>" : formatRewrite(path));
  return `${String(status)} to ${url ?? built}`;
}

/** One line for each thing that a route changes. */
export function formatFilters(filters: RouteFilters): readonly string[] {
  const { cors, bodyLimit, rewrite, host, timeouts, affinity } = filters;
  return [
    ...(cors ? [`CORS for ${cors.origins.join(", ")}`] : []),
    ...(bodyLimit === undefined ? [] : [`body of at most ${String(bodyLimit)} bytes`]),
    ...(rewrite ? [`path becomes ${formatRewrite(rewrite)}`] : []),
    ...(host === undefined ? [] : [`Host becomes ${host}`]),
    ...formatHeaders("request", filters.requestHeaders),
    ...formatHeaders("response", filters.responseHeaders),
    ...(timeouts
      ? [`timeouts ${[timeouts.connect, timeouts.send, timeouts.read].join(", ")} ms`]
      : []),
    ...(affinity ? [`affinity by ${affinity.join(" ")}`] : []),
  ];
}

function formatRewrite(rewrite: PolicyRewrite): string {
  switch (rewrite[0]) {
    case "full":
      return rewrite[1];
    case "prefix":
      return `<path with ${rewrite[2]} for its prefix ${rewrite[1]}>`;
    case "regex":
      return `<path with ${rewrite[3]} for ${rewrite[1]}>`;
  }
}

function formatHeaders(message: string, changes: PolicyHeaders | undefined): readonly string[] {
  const { set = [], add = [], remove = [] } = changes ?? {};
  return [
    ...set.map(([name, value]) => `${message} header ${name} set to ${value}`),
    ...add.map(([name, value]) => `${message} header ${name} added: ${value}`),
    ...remove.map((name) => `${message} header ${name} removed`),
  ];
}
