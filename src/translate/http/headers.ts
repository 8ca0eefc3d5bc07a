/** What settings may do with headers of requests and responses. */
import type { HeaderRole } from "../../model/special-headers.js";
import { headersThatAre } from "../../model/special-headers.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import { listed } from "../../support/text.js";

function lowerCase(role: HeaderRole): ReadonlySet<string> {
  return new Set(headersThatAre(role).map((name) => name.toLowerCase()));
}

const OF_CONNECTION = lowerCase("connection");
const OF_HOP = lowerCase("hop");
const ORIGIN = lowerCase("origin");
const ONE_SPELLING = lowerCase("one spelling");
const CLAIMS = lowerCase("claim");
const DROPPED: ReadonlySet<string> = new Set([...lowerCase("dropped"), ...lowerCase("unset")]);
/** Every header with this prefix is a claim. */
const ORIGINAL = "x-original-";

export type HeaderAction = "set" | "add" | "remove";

/** Why a setting can't do this to a header; undefined if it can. A removal has no value. */
export type HeaderCheck = (
  action: HeaderAction,
  name: string,
  value?: string,
) => string | undefined;

export const responseHeaderProblem: HeaderCheck = (_action, name, value = "") => {
  if (!isHeaderName(name)) return `${JSON.stringify(name)} is not the name of a header`;
  if (OF_CONNECTION.has(spellings(name).dashed)) {
    return `${name} belongs to the connection and can't be changed`;
  }
  return FIELD_VALUE.test(value) ? undefined : `the value of ${name} can't stand in a header`;
};

export const requestHeaderProblem: HeaderCheck = (action, name, value = "") =>
  responseHeaderProblem(action, name, value) ??
  hostProblem(action, name, value) ??
  (action === "remove" ? removalProblem(name) : backendProblem(name));

/** Whether no setting may copy the header from one message to another, such as from an auth service's answer to the request. */
export function isOfHop(name: string): boolean {
  const { dashed } = spellings(name);
  return OF_CONNECTION.has(dashed) || OF_HOP.has(dashed);
}

/** Why backends can't get this header from an auth service's answer; undefined if they can. */
function copiedHeaderProblem(name: string): string | undefined {
  // Filters can set some claims, because these do not reach backends by the request's own headers.
  return backendProblem(name) ?? (CLAIMS.has(name.toLowerCase()) ? ofGateway(name) : undefined);
}

/** Which of the headers backends can't get from an auth service's answer; a problem completes the sentence "<setting> …". */
export function uncopiedHeaders(names: readonly string[]): string | undefined {
  const problems = names.flatMap((name) => {
    if (!isHeaderName(name)) return [`${JSON.stringify(name)} is not the name of a header`];
    if (isOfHop(name)) return [`${name} belongs to the connection`];
    return copiedHeaderProblem(name) ?? [];
  });
  return problems.length === 0
    ? undefined
    : `names headers that are not copied: ${listed([...new Set(problems)])}`;
}

export function isHost(name: string): boolean {
  return name.toLowerCase() === "host";
}

function hostProblem(action: HeaderAction, name: string, value: string): string | undefined {
  if (!isHost(name)) return undefined;
  if (action !== "set") return "a request has exactly one Host header: it can only be set";
  return isAuthority(value) ? undefined : `${JSON.stringify(value)} can't be a Host header`;
}

function backendProblem(name: string): string | undefined {
  const { lower, dashed } = spellings(name);
  if (ORIGIN.has(dashed)) return ofGateway(name);
  const isDropped = ONE_SPELLING.has(dashed)
    ? lower !== dashed
    : DROPPED.has(dashed) || CLAIMS.has(dashed) || dashed.startsWith(ORIGINAL);
  return isDropped ? `${name} is never sent to backends` : undefined;
}

/** X-Forwarded-For can be removed, which drops the client's part: the peer's address is appended in any case. */
function removalProblem(name: string): string | undefined {
  return ORIGIN.has(name.toLowerCase()) ? ofGateway(name) : undefined;
}

function ofGateway(name: string): string {
  return `${name} is what the gateway itself tells backends`;
}

function spellings(name: string): { readonly lower: string; readonly dashed: string } {
  const lower = name.toLowerCase();
  return { lower, dashed: lower.replaceAll("_", "-") };
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 5.5, without leading and trailing blanks: no control characters except TAB. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const FIELD_VALUE = /^(?:[^\x00-\x20\x7f](?:[^\x00-\x08\x0a-\x1f\x7f]*[^\x00-\x20\x7f])?)?$/;
/** A Host header's value: a name or address, and a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Why nothing can depend on a client's header of this name; undefined if it can. nginx drops headers with other characters
 * (ignore_invalid_headers), even legal ones, because backends read them in more than one way.
 */
export function droppedHeaderProblem(name: string): string | undefined {
  return /^[0-9A-Za-z_-]+$/.test(name)
    ? undefined
    : `headers named ${JSON.stringify(name)} are dropped by nginx, which keeps letters, digits, "-" and "_"`;
}

export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

const MAX_NAME = 256;
const MAX_VALUE = 4096;

/** Checks a header name that a setting adds or copies; a problem completes the sentence "<setting> …". */
export function parseHeaderName(text: string): Result<string> {
  if (!isHeaderName(text) || text.length > MAX_NAME) return problem("has an invalid header name");
  return isOfHop(text)
    ? problem(`must not name the header ${text}, which belongs to the connection`)
    : ok(text);
}

/**
 * Checks a header's value or a part of it (RFC 9110, 5.5): a line break in it would begin another header, and a longer one
 * does not fit in a message head. A problem completes the sentence "<setting> …".
 */
export function parseHeaderText(text: string): Result<string> {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) {
    return problem("must not hold line breaks or control characters");
  }
  return text.length > MAX_VALUE ? problem(`is longer than ${MAX_VALUE} characters`) : ok(text);
}

/** CORS defaults of Ingresses (as in ingress-nginx) and of Rules. */
export const CORS_METHODS: readonly string[] = ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"];

export const CORS_HEADERS: readonly string[] = [
  "DNT",
  "Keep-Alive",
  "User-Agent",
  "X-Requested-With",
  "If-Modified-Since",
  "Cache-Control",
  "Content-Type",
  "Range",
  "Authorization",
];

/** Seconds for which browsers may cache a preflight answer: 20 days. */
export const CORS_MAX_AGE = 1_728_000;
