import type { PolicyDocument, PolicyRoute, PolicyServer } from "../model/policy.js";
import { own } from "../support/json-object.js";
import { findCandidates } from "./candidates.js";
import type { RoutedRequest } from "./candidates.js";
import { hostKeyCovers, percentDecode, toWire } from "./request.js";

/**
 * The paths that backends may read in a request target which is not one in every way, as route/readings.lua has them: dot
 * segments left alone, or removed before decoding, path parameters dropped, `\` for `/`, decoded twice, overlong UTF-8 read
 * as ASCII, blanks at the end of a segment dropped. Wire text.
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
    merged(percentDecode(resolved(raw))),
    merged(percentDecode(resolved(raw, (segment) => segment.replaceAll(/%2e/gi, ".")))),
    ...texts.flatMap((text) => [text, withSlashes(text)]).flatMap(decodings),
  ];
}

/** Decoded, without parameters that are looked for before that, and after. */
function decodings(text: string): readonly string[] {
  const decoded = percentDecode(text);
  const before = percentDecode(withoutParameters(text));
  return [decoded, before, withoutParameters(decoded)].map((path) => resolved(path));
}

const ESCAPE = /%[0-9A-Fa-f]{2}/;

/** Overlong UTF-8 (RFC 3629, 3) of two or three bytes, as decoders that do not check read it. */
const OVERLONG = /(?:[\xc0\xc1]|\xe0[\x80\x81])[\x80-\xbf]/g;

function asAscii(text: string): string {
  return text.replaceAll(OVERLONG, (bytes) => {
    const high = bytes.charCodeAt(bytes.length - 2);
    return String.fromCharCode((high % 2) * 64 + (bytes.charCodeAt(bytes.length - 1) % 64));
  });
}

/** As Windows names files. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/[ \t]+(?=[/\\;]|$)/g, "");
}

const OPEN = restrictions({});

/** Does another rule than the chosen one keep somebody from a path that can be read in the target? */
export function isAmbiguous(
  policy: PolicyDocument,
  listener: string,
  request: RoutedRequest,
  chosen: string,
): boolean {
  const wanted = routeOn(policy, listener, chosen);
  const paths = new Set(otherReadings(request.target));
  paths.delete(request.path);
  return [...paths].some((path) => {
    const other = findCandidates(policy, listener, { ...request, path }).chosen?.route;
    const route = other === undefined ? undefined : routeOn(policy, listener, other);
    return (
      other !== chosen && route !== undefined && wanted !== undefined && protects(route, wanted)
    );
  });
}

function protects(route: PolicyRoute, own: PolicyRoute): boolean {
  const guard = guardOf(route);
  return route.refuse !== undefined || (guard !== OPEN && guard !== guardOf(own));
}

/** What a route and its backends ask of clients. Where no backend asks for anything, it does not matter whether there are some. */
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

/**
 * Without dot segments and empty ones; `shown` gives the segment that is looked at for one that is written. At the end they
 * leave the slash before them.
 */
function resolved(text: string, shown = (segment: string) => segment): string {
  const kept: string[] = [];
  const segments = text.split("/").slice(1);
  for (const segment of segments) {
    const seen = shown(segment);
    if (seen === "..") kept.pop();
    else if (seen !== "." && seen !== "") kept.push(segment);
  }
  const open = kept.length > 0 && ["", ".", ".."].includes(shown(segments.at(-1) ?? ""));
  return `/${kept.join("/")}${open ? "/" : ""}`;
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

/** The id of the listener with the most specific host key that covers the host. */
export function findListener({ listeners }: PolicyServer, host: string): string | undefined {
  return listeners.find(([key]) => hostKeyCovers(toWire(key), host))?.[1];
}

/** The route with what it has from the listener, as route/prepare.lua makes it ready; undefined: there is no such route. */
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

/**
 * Whether a connection for the server name may not bring requests for hosts of the listener: as the data plane decides it
 * (lua/alb/tls/listener_guard.lua).
 */
export function isMisdirected(server: PolicyServer, serverName: string, listener: string): boolean {
  if (!server.tls) return false;
  const named = findListener(server, serverName);
  return (
    named !== listener && [named, listener].some((id) => id !== undefined && isHeld(server, id))
  );
}

/** It is reached only by connections for one of its names, which lead nowhere else. */
function isHeld({ isolated = [], clientCertificates = {} }: PolicyServer, id: string): boolean {
  return isolated.includes(id) || own(clientCertificates, id) !== undefined;
}
