import { isIP } from "node:net";
import { addTo } from "../support/collections.js";
import { type Result, ok, problem } from "../support/result.js";

/** A request as nginx receives it, in wire text (`toWire`). */
export interface ExplainRequest {
  readonly method: string;
  readonly scheme: "http" | "https";
  readonly port: number;
  /** nginx's `$host`: lower case, without port and final dot; `""` without a Host header. */
  readonly host: string;
  /** Server name of the TLS handshake: the URL's host in lower case; `""` for an address (RFC 6066, 3). */
  readonly serverName: string;
  /** Path and query as sent. */
  readonly target: string;
  /** nginx's `$uri`, which routes are compared with; undefined: the target is malformed, so nginx answers 400. */
  readonly path: string | undefined;
  /** Values in the order of their lines, by name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Address of the client. */
  readonly client: string;
  /** Id of the server, if several have the port. */
  readonly server?: string;
}

const URL_TEXT = /^(?:(https?):\/\/([^/?#]*))?((?:\/[^?#]*)?(?:\?[^#]*)?)(?:#.*)?$/is;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]@]*)(?::([0-9]*))?$/;
const WELL_KNOWN_PORT = { http: 80, https: 443 };
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const NO_HOST = "the URL has no host: write http://<host>/path, or add a header 'Host: <host>'";

/**
 * Reads a request of the command line. `url` is `http://host[:port]/path?query`, the same with https, or a path alone, which goes to
 * port 80 and needs a Host header. Each of `headers` is `Name: value`.
 */
export function parseRequest(written: {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly client: string;
  readonly server?: string;
}): Result<ExplainRequest> {
  if (!TOKEN.test(written.method)) return problem("the method is no token");
  if (isIP(written.client) === 0) return problem("the client must be an IP address");
  const url = parseUrl(written.url);
  if (!url.ok) return url;
  const headers = parseHeaders(written.headers);
  if (!headers.ok) return headers;
  const { scheme, port, authority, target } = url.value;
  if (!headers.value.has("host")) {
    if (authority === "") return problem(NO_HOST);
    headers.value.set("host", [authority]);
  }
  return ok({
    method: written.method,
    scheme,
    port,
    host: hostName(headers.value.get("host")?.[0] ?? ""),
    serverName: serverName(authority),
    target,
    path: normalisePath(target),
    headers: headers.value,
    client: written.client,
    ...(written.server !== undefined && { server: written.server }),
  });
}

/** `authority`: host and port as written; empty for a path alone. */
function parseUrl(
  url: string,
): Result<Pick<ExplainRequest, "scheme" | "port" | "target"> & { readonly authority: string }> {
  const [, written = "http", authority = "", rest = ""] = URL_TEXT.exec(url) ?? [];
  if (authority === "" && !url.startsWith("/")) {
    return problem("the URL must start with http://<host>, https://<host> or /");
  }
  const scheme = written.toLowerCase() === "https" ? "https" : "http";
  const port = portOf(authority, scheme);
  if (port === undefined) {
    return problem("the URL must have a host and, if any, a port from 1 to 65535");
  }
  const target = toWire(rest.startsWith("/") ? rest : `/${rest}`);
  return ok({ scheme, port, authority: toWire(authority), target });
}

/** Undefined: the authority is malformed. */
function portOf(authority: string, scheme: "http" | "https"): number | undefined {
  const parsed = AUTHORITY.exec(authority);
  if (!parsed) return undefined;
  const text = parsed[2] ?? "";
  const port = text === "" ? WELL_KNOWN_PORT[scheme] : Number(text);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function parseHeaders(lines: readonly string[]): Result<Map<string, readonly string[]>> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [name, value] = divided(line, ":");
    if (!TOKEN.test(name) || value === undefined || /[\r\n\0]/.test(value)) {
      return problem(`${JSON.stringify(line)} is no header; write 'Name: value'`);
    }
    addTo(headers, name.toLowerCase(), toWire(value.trim()));
  }
  return ok(headers);
}

function hostName(header: string): string {
  const [, host = header] = AUTHORITY.exec(header) ?? [];
  return host.toLowerCase().replace(/\.$/, "");
}

function serverName(authority: string): string {
  const name = hostName(authority);
  return name.startsWith("[") || isIP(name) !== 0 ? "" : name;
}

/** The value of a header: its lines joined by commas (RFC 9110, 5.3). */
export function headerValue({ headers }: ExplainRequest, name: string): string | undefined {
  return headers.get(name)?.join(",");
}

/** The first query parameter of a name, decoded; one without `=` is empty. */
export function queryValue({ target }: ExplainRequest, name: string): string | undefined {
  const [, query = ""] = /^[^?]*\?([^#]*)/s.exec(target) ?? [];
  for (const pair of query.split("&")) {
    const [key, value = ""] = divided(pair, "=");
    if (key !== "" && decodeArgument(key) === name) return decodeArgument(value);
  }
  return undefined;
}

function decodeArgument(text: string): string {
  return percentDecode(text.replaceAll("+", " "));
}

/** The first cookie of a name (RFC 6265); several Cookie lines count as one. */
export function cookieValue({ headers }: ExplainRequest, name: string): string | undefined {
  for (const pair of (headers.get("cookie") ?? []).join(";").split(";")) {
    const [key, value] = divided(pair, "=");
    if (value !== undefined && trimBlanks(key) === name) return trimBlanks(value);
  }
  return undefined;
}

/** What is before and after the first separator; without a separator, the whole text. */
function divided(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function trimBlanks(text: string): string {
  return text.replaceAll(/^[ \t]+|[ \t]+$/g, "");
}

// eslint-disable-next-line no-control-regex -- nginx refuses control characters
const MALFORMED = /^[^/]|^$|%(?![0-9A-Fa-f]{2})|%00|[\x00-\x20\x7f]/;

/**
 * nginx's `$uri` of a request target: without query and fragment, percent-decoded (`%2F` too), `//` merged, dot segments removed.
 * Undefined: nginx answers 400.
 */
export function normalisePath(target: string): string | undefined {
  const raw = /^[^?#]*/.exec(target)?.[0] ?? "";
  if (MALFORMED.test(raw)) return undefined;
  const { path, climbs } = resolveDots(percentDecode(raw));
  return climbs ? undefined : path;
}

/**
 * Removes dot segments and empty segments; at the end they leave the slash before them. `seen` gives the text that a segment is
 * recognised by. `climbs`: a `..` leads above the root.
 */
export function resolveDots(
  text: string,
  seen = (segment: string): string => segment,
): { readonly path: string; readonly climbs: boolean } {
  const kept: string[] = [];
  let climbs = false;
  let isRemoved = false;
  for (const segment of text.split("/").slice(1)) {
    const name = seen(segment);
    isRemoved = name === "" || name === "." || name === "..";
    if (!isRemoved) kept.push(segment);
    else if (name === "..") climbs = kept.pop() === undefined || climbs;
  }
  return { path: `/${kept.join("/")}${isRemoved && kept.length > 0 ? "/" : ""}`, climbs };
}

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

/** White space of Unicode in UTF-8, without that of ASCII. */
const WIDE_BLANK =
  /\xc2[\x85\xa0]|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|[\xe1\xe3][\x9a\x80]\x80/g;

/** Windows ignores blanks at the end of a file's name, and Python those at the end of a request line, also in Latin-1. */
function withoutBlanks(text: string): string {
  // eslint-disable-next-line no-control-regex -- Python takes these for blanks.
  return text.replaceAll(WIDE_BLANK, " ").replaceAll(/[\t-\r\x1c-\x20\x85\xa0]+(?=[/\\;]|$)/g, "");
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

/** Decodes `%XX` to bytes; a `%` without two digits stays. */
export function percentDecode(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Whether a host key of the policy (`""`, `a.example`, `*.example`, `**.example`) matches a host. */
export function hostKeyCovers(key: string, host: string): boolean {
  if (key === "" || key === host) return true;
  if (key.startsWith("**.")) return host.endsWith(key.slice(2));
  if (!key.startsWith("*.")) return false;
  const dot = host.indexOf(".");
  return dot >= 0 && host.slice(dot) === key.slice(1);
}

/** The host keys of the policy that match a host, the most specific first: its name, `*.…`, `**.…` from the longest, any. */
export function coveringKeys(host: string): readonly string[] {
  const suffixes: string[] = [];
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    suffixes.push(host.slice(dot));
  }
  const [first] = suffixes;
  return [
    ...(host === "" ? [] : [host]),
    ...(first === undefined ? [] : [`*${first}`]),
    ...suffixes.map((suffix) => `**${suffix}`),
    "",
  ];
}

/** Wire text: one character for each byte of the UTF-8 form, because nginx, Lua and PCRE compare bytes. */
export function toWire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The same value, all texts in it being wire text. */
export function inWire<T>(value: T): T {
  const text = JSON.stringify(value);
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- only texts differ
  return JSON.parse(text, (_, part: unknown) =>
    typeof part === "string" ? toWire(part) : part,
  ) as T;
}

/** The text of wire text, for output; bytes that are not UTF-8 become U+FFFD. */
export function fromWire(wire: string): string {
  return Buffer.from(wire, "latin1").toString("utf8");
}

/** The variables of settings that a request decides alone; undefined: another one. */
export function variablesOf(
  request: ExplainRequest & { readonly path: string },
): (name: string) => string | undefined {
  const { headers, host, method, path, scheme, target } = request;
  const [, query = ""] = /^[^?#]*\??([^#]*)/.exec(target) ?? [];
  const values = new Map([
    ["host", host],
    ["scheme", scheme],
    ["pass_access_scheme", scheme],
    ["request_uri", target],
    ["uri", path],
    ["args", query],
    ["query_string", query],
    ["is_args", query === "" ? "" : "?"],
    ["request_method", method],
  ]);
  return (name) =>
    name.startsWith("http_")
      ? (headers.get(name.slice("http_".length).replaceAll("_", "-")) ?? []).join(", ")
      : values.get(name);
}
