/** An explanation as text for a terminal: the answer first, then where it comes from, then what was not chosen and why. */
import type { AuthUrl } from "../model/auth.js";
import type { Predicate } from "../model/route.js";
import type { Interpolation, SourceRef } from "../model/values.js";
import type { Candidate, MatchOutcome as CandidateOutcome } from "./candidates.js";
import type { ExplainedRoute, Explanation } from "./explain.js";
import type { Answer, ExplainedAuth, ExplainedBackend } from "./outcome.js";
import { formatBackendFilters, formatFilters, formatRedirect } from "./format-filters.js";

/** Losing candidates beyond these are only counted: a listener may have thousands. */
const MAX_SHOWN = 20;

export function formatExplanation(explanation: Explanation): string {
  const { request, route, candidates, certain } = explanation;
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
    ...(route === undefined ? [] : formatRoute(route)),
    ...formatCandidates(candidates),
  ];
  return lines.map((line) => `${visible(line)}\n`).join("");
}

/** Control characters of manifests and requests must not reach a terminal. */
function visible(line: string): string {
  return line.replaceAll(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function row(label: string, text: string): string {
  return `  ${label.padEnd(11)} ${text}`;
}

function formatAnswer(answer: Answer, route: ExplainedRoute | undefined): string {
  const condition = route === undefined ? "" : conditionOf(route);
  switch (answer.kind) {
    case "unreachable":
      return `none: no server has this port and scheme (${formatServers(answer.servers)})`;
    case "handshakeFailed": {
      const { serverName } = answer;
      const name = serverName === "" ? "a client without server name" : serverName;
      return `none: the TLS handshake fails; there is no certificate for ${name}, and no default one`;
    }
    case "refused":
      return `${String(answer.status)} ${answer.reason}`;
    case "redirected":
      return `${formatRedirect(answer.redirect)}${condition}`;
    case "forwarded":
      return `forwarded${condition}`;
  }
}

/** What a request that is forwarded has to pass; a backend can have auth of its own. */
function conditionOf({ authChecked, backends }: ExplainedRoute): string {
  if (authChecked) return " when the auth passes";
  const used = backends.filter(({ share }) => share > 0);
  const guarded = used.filter(hasAuth);
  if (guarded.length === 0) return "";
  return ` when the auth of its backend passes${guarded.length < used.length ? ", where it has one" : ""}`;
}

function hasAuth({ filters }: ExplainedBackend): boolean {
  return (filters?.auth ?? []).length > 0;
}

function formatServers(
  servers: readonly { readonly scheme: string; readonly port: number }[],
): string {
  if (servers.length === 0) return "there is none at all";
  const shown = new Set(servers.map(({ scheme, port }) => `${scheme} ${String(port)}`));
  return `there are ${[...shown].join(", ")}`;
}

function formatRoute(route: ExplainedRoute): readonly string[] {
  return [
    row("route", route.id),
    row("from", formatSource(route.source)),
    ...(route.preflight
      ? [row("cors", "OPTIONS of an allowed origin is answered 204 before auth")]
      : []),
    ...formatRange(route),
    ...formatAuth(route),
    ...formatFilters(route.filters).map((text) => row("filter", text)),
    ...(route.rewritten === undefined ? [] : [row("sent on", `as ${route.rewritten}`)]),
    ...route.backends.flatMap(formatBackendRows),
  ];
}

function formatRange({ sourceRange, satisfyAny }: ExplainedRoute): readonly string[] {
  if (sourceRange === "unrestricted") return [];
  const instead = satisfyAny ? "; auth would do instead" : "";
  return [row("source", `the client's address is ${sourceRange}${instead}`)];
}

function formatAuth({ auth, authChecked, backends }: ExplainedRoute): readonly string[] {
  if (auth.length === 0) return [row("auth", backends.some(hasAuth) ? "of the backend" : "none")];
  const unchecked = authChecked || auth.some(({ invalid }) => invalid !== undefined);
  return auth.flatMap((entry) => [
    ...methodsOf(entry).map((method) => row("auth", method)),
    row("", `${entry.inherited ? "inherited from" : "set by"} ${formatSource(entry.source)}`),
    ...(unchecked ? [] : [row("", "not checked for this request")]),
  ]);
}

function methodsOf({ invalid, realm, forward, external }: ExplainedAuth): readonly string[] {
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
  return methods.length === 0 ? ["nothing to check"] : methods;
}

function formatUrl({ scheme, host, port, target, upstream }: AuthUrl): string {
  const authority = formatText(host) + (port === undefined ? "" : `:${formatText(port)}`);
  const service = upstream === undefined ? "" : ` (Service ${upstream})`;
  return `${scheme}://${authority}${formatText(target)}${service}`;
}

function formatText(interpolation: Interpolation): string {
  return interpolation.map((part) => (typeof part === "string" ? part : `\${${part[0]}}`)).join("");
}

function formatBackendRows(backend: ExplainedBackend): readonly string[] {
  const filters = backend.filters ? formatBackendFilters(backend.filters) : [];
  return [row("backend", formatBackend(backend)), ...filters.map((text) => row("", text))];
}

function formatBackend(backend: ExplainedBackend): string {
  const { upstream, protocol, share, endpoints, refuse } = backend;
  const part = `${String(Math.round(share * 1000) / 10)} %`;
  if (refuse !== undefined) return `${part} answered ${String(refuse[0])} ${refuse[1]}`;
  const count = `${String(endpoints)} endpoint${endpoints === 1 ? "" : "s"}`;
  return `${part} ${upstream ?? ""} by ${protocol}, ${count}${formatTls(backend.tls)}`;
}

/** What the certificate of its endpoints is held against. */
function formatTls(tls: ExplainedBackend["tls"]): string {
  if (tls === undefined) return "";
  const { hostname, names } = tls;
  const as = names?.map(([, value]) => value).join(" or ") ?? hostname;
  return as === undefined ? ", verified TLS" : `, verified TLS as ${as}`;
}

function formatSource([kind, namespace, name, field]: SourceRef): string {
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

function formatOutcome(outcome: CandidateOutcome): string {
  switch (outcome.kind) {
    case "chosen":
      return "chosen";
    case "order":
      return "comes later";
    case "host":
      return "other host";
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

function formatPredicate(predicate: Predicate): string {
  return `${subject(predicate)} ${predicate.any.map((test) => test.join(" ")).join(" or ")}`;
}

function subject({ of, key }: Predicate): string {
  return key === undefined ? of : `${of} ${key}`;
}
