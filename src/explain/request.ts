import { isIP } from "node:net";
import { addTo } from "../support/collections.js";
import type { Result } from "../support/result.js";
import { ok, problem } from "../support/result.js";

/** A request as the command line gives it. */
interface WrittenRequest {
  readonly method: string;
  /** `http://host[:port]/path?query` or https; a path alone goes to port 80 and needs a Host header. */
  readonly url: string;
  /** `Name: value`. */
  readonly headers: readonly string[];
  /** Address of the client. */
  readonly client: string;
  /** Id of the server, where several have the port. */
  readonly server?: string;
}

/** A request as nginx receives it; texts are wire text. */
export interface ExplainRequest {
  readonly method: string;
  readonly scheme: "http" | "https";
  readonly port: number;
  /** Lower case, without port and final dot; `""` without a Host header. */
  readonly host: string;
  /** The name that the client asks a certificate for: the URL's host, lower case; `""` for an address. */
  readonly serverName: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Values by name in lower case, in their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly client: string;
  readonly server?: string;
}

const URL_TEXT = /^(?:(https?):\/\/([^/?#]*))?((?:\/[^?#]*)?(?:\?[^#]*)?)(?:#.*)?$/is;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]@]*)(?::([0-9]*))?$/;
const WELL_KNOWN_PORT = { http: 80, https: 443 };
const HEADER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):(.*)$/s;

/** Reads a request; a problem says which part can't be one. */
export function parseRequest(written: WrittenRequest): Result<ExplainRequest> {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(written.method))
    return problem("the method is no token");
  if (isIP(written.client) === 0) return problem("the client must be an IP address");
  const url = parseUrl(written.url);
  if (!url.ok) return url;
  const headers = parseHeaders(written.headers);
  if (!headers.ok) return headers;
  const { scheme, port, authority, target } = url.value;
  if (authority !== "" && !headers.value.has("host")) headers.value.set("host", [authority]);
  return ok({
    method: written.method,
    scheme,
    port,
    host: hostName(headers.value.get("host")?.[0] ?? ""),
    serverName: serverName(authority),
    target,
    headers: headers.value,
    client: written.client,
    ...(written.server !== undefined && { server: written.server }),
  });
}

interface RequestUrl {
  readonly scheme: "http" | "https";
  readonly port: number;
  /** Host and port as written; empty for a path alone. */
  readonly authority: string;
  readonly target: string;
}

function parseUrl(url: string): Result<RequestUrl> {
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
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
      return problem(`${JSON.stringify(line)} is no header; write 'Name: value'`);
    }
    addTo(headers, name.toLowerCase(), toWire(value.trim()));
  }
  return ok(headers);
}

/** nginx's $host: lower case, without port and final dot. */
function hostName(header: string): string {
  const [, host = header] = AUTHORITY.exec(header) ?? [];
  return host.toLowerCase().replace(/\.$/, "");
}

/** Addresses are no server names (RFC 6066, 3). */
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
    const equals = pair.indexOf("=");
    const key = equals === -1 ? pair : pair.slice(0, equals);
    if (key !== "" && decodeArgument(key) === name) {
      return equals === -1 ? "" : decodeArgument(pair.slice(equals + 1));
    }
  }
  return undefined;
}

function decodeArgument(text: string): string {
  return percentDecode(text.replaceAll("+", " "));
}

/** The first cookie of a name (RFC 6265); several Cookie lines count as one. */
export function cookieValue({ headers }: ExplainRequest, name: string): string | undefined {
  for (const pair of (headers.get("cookie") ?? []).join(";").split(";")) {
    const equals = pair.indexOf("=");
    if (equals !== -1 && trimBlanks(pair.slice(0, equals)) === name) {
      return trimBlanks(pair.slice(equals + 1));
    }
  }
  return undefined;
}

function trimBlanks(text: string): string {
  return text.replaceAll(/^[ \t]+|[ \t]+$/g, "");
}

/**
 * The path that routes are compared with, as nginx makes it of a request target: percent-decoded (`%2F` too), `//` merged,
 * dot segments removed. Fragments and the query are cut off. A target that nginx answers 400 is a problem.
 */
export function normalisePath(target: string): Result<string> {
  const raw = /^[^?#]*/.exec(target)?.[0] ?? "";
  const wrong = wrongPath(raw);
  if (wrong !== undefined) return problem(wrong);
  const segments = percentDecode(raw).split("/").slice(1);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === ".." && kept.pop() === undefined) return problem("the path climbs above /");
    if (!REMOVED.has(segment)) kept.push(segment);
  }
  const open = kept.length > 0 && REMOVED.has(segments.at(-1) ?? "");
  return ok(`/${kept.join("/")}${open ? "/" : ""}`);
}

/** Segments that name no element; at the end they leave the slash before them. */
const REMOVED: ReadonlySet<string> = new Set(["", ".", ".."]);

function wrongPath(raw: string): string | undefined {
  if (!raw.startsWith("/")) return "the path does not start with /";
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) return "a % is not followed by two hexadecimal digits";
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x20\x7f]|%00/.test(raw)) return "the path has a blank, a control character or %00";
  return undefined;
}

/** `%XX` as bytes; anything else stays. */
export function percentDecode(text: string): string {
  return text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Does a host key of the policy (`""`, `a.example`, `*.example`, `**.example`) match a host? */
export function hostKeyCovers(key: string, host: string): boolean {
  if (key === "" || key === host) return true;
  if (key.startsWith("**.")) return host.endsWith(key.slice(2));
  if (!key.startsWith("*.")) return false;
  const dot = host.indexOf(".");
  return dot >= 0 && host.slice(dot) === key.slice(1);
}

/**
 * Text as it travels: one character for each byte of its UTF-8 form. nginx, Lua and PCRE compare bytes, so what they decide is
 * decided here on such text.
 */
export function toWire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text of bytes, for people; what is no UTF-8 becomes U+FFFD. */
export function fromWire(wire: string): string {
  return Buffer.from(wire, "latin1").toString("utf8");
}
