/**
 * How a header is special. Everything that reads, changes or copies headers follows the table below: filters, annotations, auth and
 * mirrors. lua/alb/headers.lua is generated from it, and lua/alb/unusual.lua applies it to each request before anything else: of clients'
 * headers in a spelling with `_` none passes, because nginx's variables and many backends take them for the header with `-`.
 */
export type HeaderRole =
  /** Describes one connection or the framing of one message (RFC 9110, 7.6.1), or counts gateways: only the data plane writes it. */
  | "connection"
  /** Is meant for one receiver, so it is never copied from one message to another. */
  | "hop"
  /** Says where the request came from, and how: the data plane sets it in every request to a backend. */
  | "origin"
  /**
   * Never passed on: other ways to say "it was https"; a path that some frameworks serve instead of the request's path, which selected
   * rule and auth; httpoxy (CVE-2016-5385); half of an upgrade to HTTP/2; what a gateway says of a client's certificate; what is meant for
   * the next proxy.
   */
  | "dropped"
  /** Describes the request as another gateway got it: passed on only from trusted proxies. */
  | "claim"
  /** Settings can't set it for backends. */
  | "unset"
  /** Settings may change it. */
  | "one spelling"
  /** Describes the content of a message (RFC 9110, 8 and 14.4; RFC 9530), so a message without content must not have it. */
  | "content"
  /** Means something in a response, to a gateway or browser. */
  | "response";

/** A name with `*` stands for all that begin so. */
const SPECIAL_HEADERS: readonly (readonly [name: string, ...roles: readonly HeaderRole[]])[] = [
  ["Connection", "connection"],
  ["Content-Length", "connection", "content"],
  ["Keep-Alive", "connection"],
  ["Proxy-Connection", "connection", "dropped"],
  ["TE", "connection"],
  ["Trailer", "connection", "dropped"],
  ["Transfer-Encoding", "connection"],
  ["Upgrade", "connection"],
  ["X-Albc-Endpoint", "connection", "dropped"],
  ["X-Albc-Question", "connection", "dropped"],
  ["X-Albc-Turns", "connection"],
  ["Expect", "hop", "unset"],
  ["Host", "hop", "one spelling"],
  ["Proxy-Authenticate", "hop", "dropped"],
  ["Proxy-Authorization", "hop", "dropped"],
  ["SSL-Client-*", "dropped"],
  ["X-Forwarded-Client-Cert", "dropped"],
  ["X-Forwarded-Scheme", "dropped"],
  ["X-Forwarded-Ssl", "dropped"],
  ["X-Original-URL", "dropped"],
  ["X-Rewrite-URL", "dropped"],
  ["Proxy", "dropped"],
  ["HTTP2-Settings", "hop", "dropped"],
  ["X-Forwarded-Host", "origin"],
  ["X-Forwarded-Port", "origin"],
  ["X-Forwarded-Proto", "origin"],
  ["X-Original-URI", "origin"],
  ["X-Real-IP", "origin"],
  ["X-Scheme", "origin"],
  ["X-Forwarded-For", "one spelling"],
  ["X-Request-ID", "one spelling"],
  ["Content-Digest", "content"],
  ["Content-Disposition", "content"],
  ["Content-Encoding", "content"],
  ["Content-Language", "content"],
  ["Content-Location", "content"],
  ["Content-MD5", "content"],
  ["Content-Range", "content"],
  ["Content-Type", "content"],
  ["Digest", "content"],
  ["Repr-Digest", "content"],
  ["Set-Cookie", "response"],
  ["X-Accel-*", "response"],
  ["X-ALB-ERR-REASON", "response"],
  ["Forwarded", "claim"],
  ["X-Forwarded-Method", "claim"],
  ["X-Forwarded-Prefix", "claim", "one spelling"],
  ["X-Forwarded-Uri", "claim"],
  ["X-Original-*", "claim"],
  ["X-Auth-Request-Redirect", "claim"],
  ["X-Forwarded-Server", "claim"],
  ["X-Sent-From", "claim"],
];

/** The names in their usual spelling, in the order of the table; without a role, all of them. */
export function headersThatAre(role?: HeaderRole): readonly string[] {
  return SPECIAL_HEADERS.filter(([, ...roles]) => role === undefined || roles.includes(role)).map(
    ([name]) => name,
  );
}

const ROLES: ReadonlyMap<string, readonly HeaderRole[]> = new Map(
  SPECIAL_HEADERS.map(([name, ...roles]) => [name.toLowerCase(), roles]),
);
const BEGINNINGS = [...ROLES].flatMap(([name, roles]) =>
  name.endsWith("*") ? [[name.slice(0, -1), roles] as const] : [],
);

/** What the table says of a name in any spelling; undefined if it is not special. */
export function rolesOf(header: string): readonly HeaderRole[] | undefined {
  const name = header.toLowerCase().replaceAll("_", "-");
  return ROLES.get(name) ?? BEGINNINGS.find(([beginning]) => name.startsWith(beginning))?.[1];
}
