import type { Interpolation, Segment } from "../../model/values.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { type Result, ok, problem } from "../../support/result.js";
import { MOST_VARIABLES, tooMany } from "../size-limits.js";

/** `$name`, `${name}`, or `${name` without its end. A `$` before any other character is a dollar sign. */
const VARIABLE = /\$(?:([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)(\})?)/g;

/**
 * Splits text at its variables. A name ends at the first character that is no letter, digit or `_`. Unknown variables and
 * a `${name` without `}` are problems: sent as text they would make another request than the one that was meant. `position`: path, query
 * and fragment of a URL, host and port of a URL, or plain text such as a header value.
 */
export function parseTemplate(
  text: string,
  position: "url" | "host" | "text",
): Result<Interpolation> {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, plain, braced, close] = match;
    const name = plain ?? braced ?? "";
    if (braced !== undefined && close === undefined) {
      return problem(`has \${${shownName(name)} without a closing }`);
    }
    if (!isVariable(name)) return problem(unknownVariable(name));
    if (match.index > end) segments.push(text.slice(end, match.index));
    segments.push([name, encodingOf(name, position)]);
    end = match.index + whole.length;
  }
  if (end < text.length) segments.push(text.slice(end));
  const excess = tooMany(variableCount(segments), MOST_VARIABLES, "variables");
  return excess === undefined ? ok(segments) : problem(excess);
}

/** How many variables it has, each as often as it is written. */
export function variableCount(interpolation: Interpolation): number {
  return interpolation.filter((segment) => typeof segment !== "string").length;
}

/** The text of an interpolation without variables; undefined if it has any. */
export function literalText(interpolation: Interpolation): string | undefined {
  return interpolation.every((segment) => typeof segment === "string")
    ? interpolation.join("")
    : undefined;
}

/** Joins interpolations and texts. Adjacent literals are merged, so equal results are equal values. */
export function concatenate(...parts: readonly (Interpolation | string)[]): Interpolation {
  const joined: Segment[] = [];
  for (const segment of parts.flat()) {
    const last = joined.at(-1);
    if (typeof segment === "string" && typeof last === "string") {
      joined[joined.length - 1] = last + segment;
    } else if (segment !== "") joined.push(segment);
  }
  return joined;
}

/** Variables that settings may use, by nginx's names; FAMILIES are prefixes of more. */
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

/** Longer names are cut in messages. */
const MAX_SHOWN = 40;

/** Values that are URL text already: encoding them again would change them. */
const URL_TEXT: ReadonlySet<string> = new Set([
  "request_uri",
  "escaped_request_uri",
  "uri",
  "args",
  "query_string",
  "is_args",
]);

/** May a setting use the variable? Names are case-sensitive. */
function isVariable(name: string): boolean {
  return (
    NAMES.has(name) ||
    FAMILIES.some((prefix) => name.length > prefix.length && name.startsWith(prefix))
  );
}

/** How the value of a variable is encoded at a position. */
function encodingOf(
  name: string,
  position: Parameters<typeof parseTemplate>[1],
): Exclude<Segment, string>[1] {
  switch (position) {
    case "host":
      return "host";
    case "text":
      return "raw";
    case "url":
      return URL_TEXT.has(name) || name.startsWith("arg_") ? "raw" : "component";
  }
}

/** The problem with an unknown name, with a similar known one. */
function unknownVariable(name: string): string {
  const meant = name.length > MAX_SHOWN ? undefined : didYouMean(name, NAMES);
  const hint = meant === undefined ? "" : `, did you mean $${meant}?`;
  return `has the unknown variable $${shownName(name)}${hint}`;
}

function shownName(name: string): string {
  return name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}...` : name;
}
