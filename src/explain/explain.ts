/**
 * Which route a request takes and why: the compiled policy evaluated as the data plane does it. Pure; it reads the same
 * document that Lua reads.
 */
import type { PolicyDocument, PolicyRoute, PolicyServer } from "../model/policy.js";
import type { SourceRef } from "../model/values.js";
import { canonicalHost } from "../support/ip-address.js";
import { compareBy } from "../support/collections.js";
import { own } from "../support/json-object.js";
import type { Candidate } from "./candidates.js";
import { findCandidates } from "./candidates.js";
import { findListener, isAmbiguous, isMisdirected, routeOn } from "./readings.js";
import type { Answer, Outcome } from "./outcome.js";
import { routeOutcome } from "./outcome.js";
import { rewriteTarget } from "./path-rewrite.js";
import { forgetLongPatterns } from "./pcre.js";
import type { ExplainRequest } from "./request.js";
import { fromWire, hostKeyCovers, normalisePath, toWire } from "./request.js";

export interface Explanation {
  readonly request: {
    readonly method: string;
    readonly scheme: "http" | "https";
    readonly host: string;
    readonly port: number;
    /** Path and query as sent. */
    readonly target: string;
    /** What routes are compared with; absent when the target is malformed. */
    readonly path?: string;
    readonly client: string;
  };
  /** Server and listener that the request belongs to; absent when there is none. */
  readonly server?: string;
  readonly listener?: string;
  /** What the listener wants of clients. */
  readonly clientCertificate?: "required" | "requested";
  readonly answer: Answer;
  readonly route?: ExplainedRoute;
  /** False: a candidate that would come first has a regular expression that only the data plane can try. */
  readonly certain: boolean;
  readonly candidates: readonly Candidate[];
}

export interface ExplainedRoute extends Omit<Outcome, "answer"> {
  readonly id: string;
  readonly source: SourceRef;
  /** Path and query that the backend gets, where they are rewritten; absent too when only the data plane can tell. */
  readonly rewritten?: string;
}

/** Evaluates `policy` for a request. */
export function explain(policy: PolicyDocument, request: ExplainRequest): Explanation {
  forgetLongPatterns();
  const explanation = explainRouting(policy, request);
  const { server } = explanation;
  if (server === undefined || request.scheme === "http") return explanation;
  if (certificateFor(policy, server, request.serverName) !== undefined) return explanation;
  const serverName = fromWire(request.serverName);
  return { ...explanation, answer: { kind: "handshakeFailed", serverName } };
}

function explainRouting(policy: PolicyDocument, request: ExplainRequest): Explanation {
  const path = normalisePath(request.target);
  const shown = shownRequest(request, path.ok ? path.value : undefined);
  const base = { request: shown, certain: true, candidates: [] };
  const server = findServer(policy, request);
  if (server === undefined) return { ...base, answer: unreachable(policy) };
  const found = { ...base, server: server.id };
  if (request.host === "") return { ...found, answer: refused(400, MALFORMED) };
  if (!path.ok) return { ...found, answer: refused(400, MALFORMED) };
  const listener = findListener(server.server, request.host);
  if (listener !== undefined && isMisdirected(server.server, request.serverName, listener)) {
    return { ...found, listener, answer: refused(421, MISDIRECTED) };
  }
  const host = canonicalHost(request.host);
  if (host === undefined) return { ...found, answer: refused(400, NO_HOST) };
  if (listener === undefined) return { ...found, answer: refused(404, NO_RULE) };
  const entered = { ...found, listener, ...wantedOfClients(server.server, listener) };
  return explainListener(policy, { ...request, host, path: path.value }, entered);
}

/** From the listener on; `entered` is what is known until there. */
function explainListener(
  policy: PolicyDocument,
  request: ExplainRequest & { readonly path: string },
  entered: Omit<Explanation, "answer" | "candidates"> & { readonly listener: string },
): Explanation {
  const { listener } = entered;
  const { chosen, certain, all } = findCandidates(policy, listener, request);
  const routed = { ...entered, certain, candidates: all };
  const route = chosen && routeOn(policy, listener, chosen.route);
  if (chosen === undefined || route === undefined) {
    return { ...routed, answer: refused(404, NO_RULE) };
  }
  if (isAmbiguous(policy, listener, request, chosen.route)) {
    return { ...routed, answer: refused(400, AMBIGUOUS) };
  }
  const { answer, ...outcome } = routeOutcome(policy, route, request);
  const described = { id: chosen.route, source: route.source, ...outcome };
  const rewritten = rewrittenBy(route, request.path, request);
  return { ...routed, answer, route: { ...described, ...rewritten } };
}

function wantedOfClients(
  { clientCertificates = {} }: PolicyServer,
  listener: string,
): Pick<Explanation, "clientCertificate"> {
  const wanted = own(clientCertificates, listener);
  return wanted === undefined ? {} : { clientCertificate: wanted[0] };
}

function rewrittenBy(
  { rewrite }: PolicyRoute,
  path: string,
  { target }: ExplainRequest,
): Pick<ExplainedRoute, "rewritten"> {
  const result = rewrite && rewriteTarget(rewrite, path, target);
  return typeof result === "object" ? { rewritten: fromWire(result.target) } : {};
}

/**
 * The file of the certificate for a server name, by the narrowest host key, as lua/alb/tls/certificate.lua finds it. An empty file
 * stands for the default, whose key is empty.
 */
export function certificateFor(
  { certificates }: PolicyDocument,
  server: string,
  serverName: string,
): string | undefined {
  const prefix = `${server}|`;
  const keys = Object.keys(certificates)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((key) => hostKeyCovers(toWire(key), serverName))
    .sort(
      compareBy(
        (a, b) => breadth(a) - breadth(b),
        (a, b) => b.length - a.length,
      ),
    );
  const file = keys[0] === undefined ? undefined : own(certificates, prefix + keys[0]);
  return file === "" ? own(certificates, prefix) : file;
}

/** A name, a wildcard of one label, of any depth, any name. */
function breadth(key: string): number {
  if (key === "") return 3;
  if (!key.startsWith("*")) return 0;
  return key.startsWith("**") ? 2 : 1;
}

function unreachable({ servers }: PolicyDocument): Answer {
  const known = Object.values(servers)
    .map(({ port, tls }) => ({ scheme: tls ? ("https" as const) : ("http" as const), port }))
    .sort((a, b) => a.port - b.port);
  return { kind: "unreachable", servers: known };
}

/** The reasons of docs/errors.md. */
const NO_RULE = "InvalidUpstream : no rule match";
const MISDIRECTED = "BadRequest : misdirected request";
const NO_HOST = "BadRequest : Host is no DNS name or address";
const MALFORMED = "BadRequest : malformed request";
const AMBIGUOUS = "BadRequest : ambiguous path";

function refused(status: number, reason: string): Answer {
  return { kind: "refused", status, reason };
}

function findServer(
  policy: PolicyDocument,
  { port, scheme, server: wanted }: ExplainRequest,
): { readonly id: string; readonly server: PolicyServer } | undefined {
  const entry = Object.entries(policy.servers).find(
    ([id, server]) =>
      server.port === port &&
      server.tls === (scheme === "https") &&
      (wanted === undefined || wanted === id),
  );
  return entry && { id: entry[0], server: entry[1] };
}

function shownRequest(request: ExplainRequest, path: string | undefined): Explanation["request"] {
  const { method, scheme, port, client } = request;
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

/** The document in a policy.json that this version of albc has made. */
export function readPolicy(text: string): PolicyDocument {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the caller compiled it a moment ago
  return JSON.parse(text) as PolicyDocument;
}
