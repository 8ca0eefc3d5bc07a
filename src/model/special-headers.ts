/**
 * Headers that are more than text for the backend or the client, each once, and how they are special. Everything that changes or
 * copies headers follows this table: filters, annotations, auth, mirrors, nginx.conf. lua/alb/headers.lua is made from it.
 */
export type HeaderRole =
  /** Describes one connection or the framing of one message (RFC 9110, 7.6.1), or counts gateways: the data plane alone writes it. */
  | "connection"
  /** Holds for one receiver, so it is not copied from one message to another either. */
  | "hop"
  /** Backends get it from every client's request: the data plane says where the request came from, and how. */
  | "told"
  /**
   * Never passed on: other ways to say "it was https"; a path that some frameworks serve in place of the request's, by which rule
   * and auth were chosen; httpoxy (CVE-2016-5385); the half of an upgrade to HTTP/2.
   */
  | "dropped"
  /** Describes the request as a gateway got it: passed on for the proxies that we believe. So is all that begins with X-Original-. */
  | "claim"
  /** No setting can give it to backends. */
  | "unset"
  /** May be changed as it is; with `_` for `-` it is dropped, since many backends take both for one header. */
  | "one spelling";

const SPECIAL_HEADERS: readonly (readonly [name: string, ...roles: readonly HeaderRole[]])[] = [
  ["Connection", "connection"],
  ["Content-Length", "connection"],
  ["Keep-Alive", "connection"],
  ["Proxy-Connection", "connection"],
  ["TE", "connection"],
  ["Trailer", "connection"],
  ["Transfer-Encoding", "connection"],
  ["Upgrade", "connection"],
  ["X-Albc-Turns", "connection"],
  ["Expect", "hop", "unset"],
  ["Host", "hop", "one spelling"],
  ["Proxy-Authenticate", "hop"],
  ["Proxy-Authorization", "hop"],
  ["X-Forwarded-Scheme", "dropped"],
  ["X-Forwarded-Ssl", "dropped"],
  ["X-Original-URL", "dropped"],
  ["X-Rewrite-URL", "dropped"],
  ["Proxy", "dropped"],
  ["HTTP2-Settings", "hop", "dropped"],
  ["X-Forwarded-Host", "told"],
  ["X-Forwarded-Port", "told"],
  ["X-Forwarded-Proto", "told"],
  ["X-Original-URI", "told"],
  ["X-Real-IP", "told"],
  ["X-Scheme", "told"],
  ["X-Forwarded-For", "one spelling"],
  ["X-Request-ID", "one spelling"],
  ["Forwarded", "claim"],
  ["X-Forwarded-Method", "claim"],
  ["X-Forwarded-Prefix", "claim", "one spelling"],
  ["X-Forwarded-Uri", "claim"],
  ["X-Original-For", "claim"],
  ["X-Original-Forwarded-For", "claim"],
  ["X-Original-Host", "claim"],
  ["X-Original-Method", "claim"],
  ["X-Original-Path", "claim"],
  ["X-Original-Prefix", "claim"],
  ["X-Original-Proto", "claim"],
  ["X-Auth-Request-Redirect", "claim"],
  ["X-Forwarded-Server", "claim"],
  ["X-Sent-From", "claim"],
];

/** Names as they are written, in the order of the table. */
export function headersThatAre(role: HeaderRole): readonly string[] {
  return SPECIAL_HEADERS.filter(([, ...roles]) => roles.includes(role)).map(([name]) => name);
}
