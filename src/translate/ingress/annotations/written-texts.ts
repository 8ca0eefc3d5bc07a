/** Texts with captures of the path and variables of the request: rewrite-target, permanent-redirect, temporal-redirect, app-root. */
import type { Interpolation, Segment } from "../../../model/values.js";
import { withoutUrlSecrets } from "../../../diagnostics/sink.js";
import { memoized, memoizedText } from "../../../support/collections.js";
import { type Result, ok, problem } from "../../../support/result.js";
import { concatenate, groupOf, parseTemplate, variableCount } from "../../auth/template.js";
import type { Groups } from "../../pattern/regex.js";
import { MOST_VARIABLES, tooMany } from "../../size-limits.js";
import type { AnnotationType } from "./annotation.js";

/** A longer URL does not fit in a request line. */
const MAX_LENGTH = 8192;
const SCHEME = /^(?:https?|\$scheme|\$\{scheme\}):\/\//i;
/** nginx's `rewrite` redirects if the text begins so, whatever variables and captures expand to. */
const REDIRECTING = /^(?:https?:\/\/|\$scheme|\$\{scheme\})/i;
const VARIABLE = /\$(?:[A-Za-z0-9_]+|\{[A-Za-z0-9_]+\})/g;

/** Which names a path knows depends on the path, so unknown ones are found when the text is read for it. */
export const LOCATION: AnnotationType<string> = {
  description: "http or https URL, or path; may contain captures and variables",
  parse: (text) => checked(text, locationProblem(text)),
};

export const ROOT: AnnotationType<string> = {
  description: "path; may contain variables",
  parse: (text) => checked(text, text.startsWith("/") ? lengthProblem(text) : "is not a path"),
};

function checked(text: string, wrong: string | undefined): Result<string> {
  return wrong === undefined ? ok(text) : problem(`it ${wrong}`);
}

function locationProblem(text: string): string | undefined {
  const scheme = SCHEME.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length).replaceAll(VARIABLE, "v").replaceAll(":v", ":1");
  const isUrl = scheme !== "" && /^[^/?#]/.test(rest) && URL.canParse(`http://${rest}`);
  return isUrl || /^\/(?!\/)/.test(text)
    ? lengthProblem(text)
    : "is neither a path nor an http or https URL";
}

function lengthProblem(text: string): string | undefined {
  return text.length > MAX_LENGTH ? `is longer than ${String(MAX_LENGTH)} characters` : undefined;
}

/** Whether a rewrite-target answers with a redirect. */
export function isRedirecting(target: string): boolean {
  return REDIRECTING.test(target);
}

export interface WrittenText {
  readonly text: Interpolation;
  /** Numbers of captures that are always empty, since the path has no such group. */
  readonly unset: readonly number[];
}

/** The new path for a backend, and its query after a `?`. */
export const readReplacement = textReader((text, groups) => {
  const wrong = lengthProblem(text);
  if (wrong !== undefined) return problem(wrong);
  const { path, query } = atQuery(text);
  return parsed(groups, [path, "path"], [query, "query"]);
});

/** `$uri` and `$request_uri` begin with a slash; a capture at the end of a host is meant to. */
const AUTHORITY = /^((?:https?|\$scheme|\$\{scheme\}):\/\/)([^/?#]*)/i;
const PATH_VARIABLE = /\$(?:\{(?:request_uri|uri)\}|(?:request_uri|uri)(?![A-Za-z0-9_]))/;
const LAST_CAPTURE = /(?<=[A-Za-z0-9\]])\$\{?(\d|[A-Za-z_][A-Za-z0-9_]*)\}?$/;

/** A Location. No capture can change its host, unless it is written into it. A `?` at the end begins no query. */
export const readLocation = textReader((written, groups) => {
  const wrong = locationProblem(written);
  if (wrong !== undefined) return problem(wrong);
  const text = written.replace(/\?$/, "");
  const { scheme, host, between, rest } = splitLocation(text, groups);
  const { path, query } = atQuery(rest);
  const origin = parsed(groups, [scheme, "text"], [host, "host"]);
  const target = parsed(groups, [path, "url"], [query, "query"]);
  if (!origin.ok || !target.ok) return origin.ok ? target : origin;
  return ok(concatenate(origin.value, between, target.value));
});

/** `between`: a capture at the end of the host, with which the path begins. */
function splitLocation(text: string, groups: Groups) {
  const [, scheme = "", authority = ""] = AUTHORITY.exec(text) ?? [];
  const rest = text.slice(scheme.length);
  const variable = PATH_VARIABLE.exec(authority)?.index ?? authority.length;
  const capture = LAST_CAPTURE.exec(authority.slice(0, variable));
  const group = capture === null ? undefined : groupOf(capture[1] ?? "", groups);
  if (capture === null || group === undefined) {
    return { scheme, host: rest.slice(0, variable), between: [], rest: rest.slice(variable) };
  }
  const host = rest.slice(0, capture.index);
  return { scheme, host, between: [[group, "start"] as const], rest: rest.slice(variable) };
}

/** `query`: from the `?` or `#` on. */
function atQuery(text: string): { readonly path: string; readonly query: string } {
  const [path = ""] = /^[^?#]*/.exec(text) ?? [];
  return { path, query: text.slice(path.length) };
}

type Part = readonly [text: string, position: Parameters<typeof parseTemplate>[1]];

function parsed(groups: Groups, ...parts: readonly Part[]): Result<Interpolation> {
  const results = parts.map(([text, position]) => parseTemplate(text, position, groups));
  const wrong = results.find(({ ok: isRight }) => !isRight);
  if (wrong !== undefined) return wrong;
  return ok(concatenate(...results.flatMap((result) => (result.ok ? [result.value] : []))));
}

const UNKNOWN_SECRET = "has an unknown variable, which is not shown beside a password";

/** Reads each text once for all paths with the same groups, and takes out captures of groups that there are not. */
function textReader(
  read: (text: string, groups: Groups) => Result<Interpolation>,
): (text: string, groups: Groups) => Result<WrittenText> {
  const readers = memoized((groups: Groups) =>
    memoizedText((text): Result<WrittenText> => {
      const result = read(text, groups);
      // The name may be a part of a password that holds a dollar sign.
      if (!result.ok) return withoutUrlSecrets(text) === text ? result : problem(UNKNOWN_SECRET);
      const excess = tooMany(variableCount(result.value), MOST_VARIABLES, "captures and variables");
      if (excess !== undefined) return problem(excess);
      const isUnset = ([value]: Exclude<Segment, string>) =>
        typeof value === "number" && value > groups.count;
      const unset = result.value.flatMap((part) =>
        typeof part !== "string" && isUnset(part) ? [Number(part[0])] : [],
      );
      const set = result.value.filter((part) => typeof part === "string" || !isUnset(part));
      return ok({ text: concatenate(set), unset: [...new Set(unset)] });
    }),
  );
  return (text, groups) => readers(groups)(text);
}
