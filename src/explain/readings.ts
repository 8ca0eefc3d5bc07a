import type { PolicyDocument, PolicyRoute } from "../model/policy.js";
import { own } from "../support/json-object.js";
import { findCandidates } from "./candidates.js";
import type { ExplainRequest } from "./request.js";
import { percentDecode, resolveDots } from "./request.js";

/**
 * The paths that backends may read in a request target, as in lua/alb/route/readings.lua: dot segments kept, or removed before
 * decoding; path parameters removed; `\` read as `/`; decoded twice; overlong UTF-8 read as ASCII; blanks at the end of a segment
 * removed. Wire text.
 */
export function otherReadings(target: string): readonly string[] {
  const raw = /^[^?#]*/.exec(target)?.[0] ?? "";
  const decoded = percentDecode(raw);
  const twice = percentDecode(decoded);
  const plain = withoutBlanks(asAscii(twice));
  const texts = [
    raw,
    ...(ESCAPE.test(decoded) ? [decoded] : []),
    ...(plain === twice ? [] : [plain]),
  ];
  return [
    merged(decoded),
    merged(percentDecode(resolveDots(raw).path)),
    merged(percentDecode(resolveDots(raw, (segment) => segment.replaceAll(/%2e/gi, ".")).path)),
    ...texts.flatMap((text) => [text, withSlashes(text)]).flatMap(decodings),
  ];
}

/** Decoded with parameters kept, removed before decoding, and removed after it. */
function decodings(text: string): readonly string[] {
  const decoded = percentDecode(text);
  const before = percentDecode(withoutParameters(text));
  return [decoded, before, withoutParameters(decoded)].map((path) => resolveDots(path).path);
}

const ESCAPE = /%[0-9A-Fa-f]{2}/;

/** ASCII in overlong UTF-8 of two or three bytes, which decoders accept if they do not check (RFC 3629, 3). */
const OVERLONG = /(?:[\xc0\xc1]|\xe0[\x80\x81])[\x80-\xbf]/g;

function asAscii(text: string): string {
  return text.replaceAll(OVERLONG, (bytes) => {
    const high = bytes.charCodeAt(bytes.length - 2);
    return String.fromCharCode((high % 2) * 64 + (bytes.charCodeAt(bytes.length - 1) % 64));
  });
}

/** Windows ignores blanks at the end of a file's name. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/[ \t]+(?=[/\\;]|$)/g, "");
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

function withoutParameters(text: string): string {
  return text.replaceAll(/;[^/]*/g, "");
}

function withSlashes(text: string): string {
  return text.replaceAll(/\\|%5c/gi, "/");
}

function merged(text: string): string {
  return `/${text}`.replaceAll(/\/\/+/g, "/");
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
