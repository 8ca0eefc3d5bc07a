import type { Encoding, Interpolation, Segment } from "../../model/values.js";
import { didYouMean } from "../../support/did-you-mean.js";
import { type Result, ok, problem } from "../../support/result.js";
import { MOST_VARIABLES, tooMany } from "../size-limits.js";
import type { Groups } from "../pattern/regex.js";

/** `$1`, `$name`, `${name}`, or `${name` without its end. A `$` before any other character is a dollar sign. */
const VARIABLE = /\$(?:(\d|[A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)(\})?)/g;

/**
 * Splits text at its variables and, with `groups`, its captures. A name ends at the first character that is no letter, digit or `_`. Unknown
 * variables and a `${name` without `}` are problems: sent as text they would make another request than the one that was meant. `position`:
 * `url`: path of a URL; `path`: a path that replaces the request's; `query`: query and fragment of a URL; `host`: host and port of a URL;
 * `text`: plain text such as a header value.
 */
export function parseTemplate(
  text: string,
  position: "url" | "path" | "query" | "host" | "text",
  groups?: Groups,
): Result<Interpolation> {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, plain, braced, close] = match;
    const name = plain ?? braced ?? "";
    if (braced !== undefined && close === undefined) {
      return problem(`has \${${shownName(name)} without a closing }`);
    }
    const group = groups && groupOf(name, groups);
    if (group === undefined && !isVariable(name)) return problem(unknownVariable(name));
    segments.push(
      text.slice(end, match.index),
      group === undefined
        ? [name, encodingOf(name, position)]
        : [group, captureEncoding(position, group, groups)],
    );
    end = match.index + whole.length;
  }
  segments.push(text.slice(end));
  const excess = tooMany(variableCount(segments), MOST_VARIABLES, "variables");
  return excess === undefined ? ok(concatenate(segments)) : problem(excess);
}

/** How many variables it has, each as often as it is written. */
export function variableCount(interpolation: Interpolation): number {
  return interpolation.filter((segment) => typeof segment !== "string").length;
}

/** The group that a name or a digit stands for. */
export function groupOf(name: string, { names }: Groups): number | undefined {
  return /^\d$/.test(name) ? Number(name) : names.get(name);
}

/** Splits a path at its captures, `$0` (the whole match) to `$9`; every other `$` is a dollar sign. */
export function parseCaptures(text: string): Interpolation {
  const parts = text.split(/\$(\d)/);
  return concatenate(parts.map((part, i) => (i % 2 === 0 ? part : [Number(part), "path"])));
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

/** Whether values of the variable are URL text. */
export function isUrlText(name: string): boolean {
  return URL_TEXT.has(name) || name.startsWith("arg_");
}

/** May a setting use the variable? Names are case-sensitive. */
export function isVariable(name: string): boolean {
  return (
    NAMES.has(name) ||
    FAMILIES.some((prefix) => name.length > prefix.length && name.startsWith(prefix))
  );
}

type Position = Parameters<typeof parseTemplate>[1];

/** Captures are parts of the normalised path, so they are decoded, unless they are `written` as in a URL. */
function captureEncoding(position: Position, group: number, groups?: Groups): Encoding {
  const isWritten = groups?.written?.has(group) === true;
  if (position === "text" || (isWritten && position !== "host")) return "raw";
  return position === "url" ? "path" : position;
}

/** How the value of a variable is encoded at a position. */
function encodingOf(name: string, position: Position): Encoding {
  switch (position) {
    case "host":
    case "path":
      return position;
    case "text":
      return "raw";
    case "url":
    case "query":
      return isUrlText(name) ? "raw" : "component";
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
