/**
 * Which route serves a request, and why: evaluates the compiled policy as the data plane does, without nginx, so that it runs in pull
 * requests. test/lua/explain*.test.ts compare its answers with nginx's.
 */
import type { PolicyDocument, PolicyRoute, PolicyServer } from "../model/policy.js";
import { canonicalHost } from "../support/ip-address.js";
import { own, present } from "../support/json-object.js";
import { type Candidate, findCandidates, nearestHosts } from "./candidates.js";
import { type Answer, type ExplainedRoute, explainRoute, refused } from "./outcome.js";
import { forgetLongPatterns } from "./pcre.js";
import {
  type ExplainRequest,
  coveringKeys,
  fromWire,
  hostKeyCovers,
  otherReadings,
  toWire,
} from "./request.js";

/** The output of `albc explain --format json`. */
export interface Explanation {
  readonly request: Pick<
    ExplainRequest,
    "method" | "scheme" | "host" | "port" | "target" | "client"
  > & { readonly path?: string };
  /** Server and listener of the request; absent if there is none. */
  readonly server?: string;
  readonly listener?: string;
  /** Whether the listener requires or only requests a client certificate. */
  readonly clientCertificate?: "required" | "requested";
  /** File of the certificate for the server name, below the run folder; null if there is none, so a self-signed one answers. */
  readonly certificate?: string | null;
  readonly answer: Answer;
  readonly route?: ExplainedRoute;
  /** False: only the data plane can try the regular expression of a candidate that would come first. */
  readonly certain: boolean;
  readonly candidates: readonly Candidate[];
  /** Host keys that are most like a host for which nothing is served. */
  readonly nearestHosts?: readonly string[];
}

/** Evaluates `policy` for a request. */
export function explain(policy: PolicyDocument, request: ExplainRequest): Explanation {
  forgetLongPatterns();
  const explanation = explainRouting(policy, request);
  const { server } = explanation;
  if (server === undefined || request.scheme === "http") return explanation;
  return {
    ...explanation,
    certificate: certificateFor(policy, server, request.serverName) ?? null,
  };
}

function explainRouting(policy: PolicyDocument, request: ExplainRequest): Explanation {
  const base = { request: shownRequest(request), certain: true, candidates: [] };
  const [id, server] = findServer(policy, request) ?? [];
  if (id === undefined || server === undefined) return { ...base, answer: unreachable(policy) };
  const found = { ...base, server: id };
  const { path = "" } = request;
  const unread = unreadable(request);
  if (unread !== undefined) return { ...found, answer: unread };
  const listener = findListener(server, request.host);
  if (listener !== undefined && isMisdirected(server, request.serverName, listener)) {
    return { ...found, listener, answer: refused(421, MISDIRECTED) };
  }
  const host = canonicalHost(request.host);
  if (host === undefined) return { ...found, answer: refused(400, NO_HOST) };
  const nearest = () => ({ nearestHosts: nearestHosts(policy, server, host) });
  if (listener === undefined) return { ...found, answer: NOT_FOUND, ...nearest() };
  const [clientCertificate] = own(server.clientCertificates, listener) ?? [];
  const entered = { ...found, listener, ...present("clientCertificate", clientCertificate) };
  const explained = explainListener(policy, listener, { ...request, host, path });
  return { ...entered, ...explained, ...(isNoHost(explained) ? nearest() : {}) };
}

/** large_client_header_buffers in templates/partials/client.conf.hbs, without CRLF. */
const MOST_LINE = 16_382;

/** What nginx answers to a request that it does not read. */
function unreadable({ method, target, host, path }: ExplainRequest): Answer | undefined {
  if (`${method} ${target} HTTP/1.1`.length > MOST_LINE) return refused(414, TOO_LONG);
  return host === "" || path === undefined ? refused(400, MALFORMED) : undefined;
}

function isNoHost({ answer, candidates }: Pick<Explanation, "answer" | "candidates">): boolean {
  return answer === NOT_FOUND && candidates.every(({ host }) => host === "");
}

function explainListener(
  policy: PolicyDocument,
  listener: string,
  request: ExplainRequest & { readonly path: string },
): Pick<Explanation, "certain" | "candidates" | "answer" | "route"> {
  const { chosen, certain, all: candidates } = findCandidates(policy, listener, request);
  const route = chosen && routeOn(policy, listener, chosen.route);
  if (chosen === undefined || route === undefined) {
    return { certain, candidates, answer: NOT_FOUND };
  }
  if (isAmbiguous(policy, listener, request, chosen.route)) {
    return { certain, candidates, answer: refused(400, AMBIGUOUS) };
  }
  return { certain, candidates, ...explainRoute(policy, chosen.route, route, request) };
}

/** Whether the target can be read as a path that another rule than the chosen one restricts. */
export function isAmbiguous(
  policy: PolicyDocument,
  listener: string,
  request: ExplainRequest,
  chosen: string,
): boolean {
  const own = routeOn(policy, listener, chosen);
  return [...new Set(otherReadings(request.target))].some((path) => {
    const other = findCandidates(policy, listener, { ...request, path }).chosen?.route;
    if (other === undefined || other === chosen) return false;
    const route = routeOn(policy, listener, other);
    return route !== undefined && own !== undefined && protects(route, own);
  });
}

const OPEN = restrictions({});

function protects(other: PolicyRoute, chosen: PolicyRoute): boolean {
  const guard = guardOf(other);
  return other.refuse !== undefined || (guard !== OPEN && guard !== guardOf(chosen));
}

/** The restrictions of a route and its backends. If no backend has any, it does not matter how many backends there are. */
function guardOf(route: PolicyRoute): string {
  const backends = (route.backends ?? []).map(({ refuse, filters = {} }) =>
    refuse === undefined ? restrictions(filters) : "refused",
  );
  const guards = new Set(backends.every((guard) => guard === OPEN) ? [] : backends);
  const own = restrictions(route);
  return guards.size === 0 ? own : JSON.stringify([own, ...[...guards].sort()]);
}

function restrictions(holder: Pick<PolicyRoute, "auth" | "allow" | "deny" | "satisfy">): string {
  const { auth = [], allow = [], deny = [], satisfy } = holder;
  return JSON.stringify([auth, allow, deny, satisfy ?? ""]);
}

/** The route with what it inherits from the listener, as in lua/alb/route/prepare.lua; undefined: there is no such route. */
export function routeOn(
  { routes, inherited = {} }: Pick<PolicyDocument, "routes" | "inherited">,
  listener: string,
  id: string,
): PolicyRoute | undefined {
  const route = own(routes, id);
  const from = own(inherited, listener);
  if (route === undefined || from === undefined) return route;
  const { refuse, filters = [], policies = [] } = from;
  const auth = route.auth ?? (route.ownAuth === true ? [] : policies);
  return { ...route, ...(refuse && { refuse }), auth: [...filters, ...auth] };
}

/** The id of the listener with the most specific host key that covers the host. */
export function findListener({ listeners }: PolicyServer, host: string): string | undefined {
  return listeners.find(([key]) => hostKeyCovers(toWire(key), host))?.[1];
}

/** Whether a connection for the server name must not carry requests for the listener (lua/alb/tls/listener_guard.lua). */
function isMisdirected(server: PolicyServer, serverName: string, listener: string): boolean {
  if (!server.tls) return false;
  const named = findListener(server, serverName);
  return (
    named !== listener && [named, listener].some((id) => id !== undefined && isHeld(server, id))
  );
}

/** Whether only connections for its own names reach the listener. */
function isHeld({ isolated = [], clientCertificates = {} }: PolicyServer, id: string): boolean {
  return isolated.includes(id) || own(clientCertificates, id) !== undefined;
}

/**
 * The file of the certificate for a server name, by the most specific host key (lua/alb/tls/certificate.lua). An empty file name stands
 * for the default certificate, whose key is empty.
 */
export function certificateFor(
  { certificates }: PolicyDocument,
  server: string,
  serverName: string,
): string | undefined {
  for (const key of coveringKeys(serverName)) {
    const file = own(certificates, `${server}|${fromWire(key)}`);
    if (file !== undefined) return file === "" ? own(certificates, `${server}|`) : file;
  }
  return undefined;
}

function unreachable({ servers }: PolicyDocument): Answer {
  const known = Object.values(servers)
    .map(({ port, tls }) => ({ scheme: tls ? ("https" as const) : ("http" as const), port }))
    .sort((a, b) => a.port - b.port);
  return { kind: "unreachable", servers: known };
}

/** The reasons of docs/errors.md. */
const NOT_FOUND = refused(404, "InvalidUpstream : no rule match");
const MISDIRECTED = "BadRequest : misdirected request";
const NO_HOST = "BadRequest : Host is no DNS name or address";
const TOO_LONG = "BadRequest : request target too long";
const MALFORMED = "BadRequest : malformed request";
const AMBIGUOUS = "BadRequest : ambiguous path";

function findServer(
  policy: PolicyDocument,
  { port, scheme, server: wanted }: ExplainRequest,
): readonly [id: string, server: PolicyServer] | undefined {
  return Object.entries(policy.servers).find(
    ([id, server]) =>
      server.port === port &&
      server.tls === (scheme === "https") &&
      (wanted === undefined || wanted === id),
  );
}

function shownRequest(request: ExplainRequest): Explanation["request"] {
  const { method, scheme, port, path, client } = request;
  return {
    method,
    scheme,
    host: fromWire(request.host),
    port,
    target: fromWire(request.target),
    ...(path !== undefined && { path: fromWire(path) }),
    client,
  };
}

/** Parses a policy.json that this version of albc has rendered. */
export function readPolicy(text: string): PolicyDocument {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the caller compiled it a moment ago
  return JSON.parse(text) as PolicyDocument;
}
