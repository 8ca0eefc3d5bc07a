import type { Segment } from "../../model/interpolation.js";
import { didYouMean } from "../../support/did-you-mean.js";

export type Encoding = Exclude<Segment, string>[1];

/** Where a variable stands: path, query and fragment of a URL, host and port of a URL, or plain text such as a header value. */
export type Position = "url" | "host" | "text";

/** The variables of a request that may be used, by nginx's names; FAMILIES adds those with a free part. */
const NAMES: ReadonlySet<string> = new Set([
  "host",
  "http_host",
  "scheme",
  "pass_access_scheme",
  "request_uri",
  "escaped_request_uri",
  "uri",
  "args",
  "query_string",
  "is_args",
  "request_method",
  "remote_addr",
  "remote_port",
  "remote_user",
  "server_addr",
  "server_port",
  "server_name",
  "server_protocol",
  "request_id",
  "msec",
  "time_iso8601",
  "proxy_add_x_forwarded_for",
]);
const FAMILIES = ["http_", "arg_", "cookie_", "ssl_client_"];

/** No variable has a longer name but for free parts; more would not be read in a message. */
const MAX_SHOWN = 40;

/** They are URL text already: encoding them once more would change what they say. */
const URL_TEXT: ReadonlySet<string> = new Set([
  "request_uri",
  "escaped_request_uri",
  "uri",
  "args",
  "query_string",
  "is_args",
]);

/** May a setting use the variable? Names are case-sensitive. */
export function isVariable(name: string): boolean {
  return (
    NAMES.has(name) ||
    FAMILIES.some((prefix) => name.length > prefix.length && name.startsWith(prefix))
  );
}

/** How the value of a variable goes into a text at that position. */
export function encodingOf(name: string, position: Position): Encoding {
  switch (position) {
    case "host":
      return "host";
    case "text":
      return "raw";
    case "url":
      return URL_TEXT.has(name) || name.startsWith("arg_") ? "raw" : "component";
  }
}

/** The problem with a name that is not a variable, with the one that was probably meant. */
export function unknownVariable(name: string): string {
  const meant = name.length > MAX_SHOWN ? undefined : didYouMean(name, NAMES);
  const hint = meant === undefined ? "" : `, did you mean $${meant}?`;
  return `has the unknown variable $${shownName(name)}${hint}`;
}

/** A name short enough for a message. */
export function shownName(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}...` : name;
}
