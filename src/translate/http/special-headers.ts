import type { HeaderRole } from "../../model/special-headers.js";
import { headersThatAre } from "../../model/special-headers.js";

function lowerCase(role: HeaderRole): ReadonlySet<string> {
  return new Set(headersThatAre(role).map((name) => name.toLowerCase()));
}

const OF_CONNECTION = lowerCase("connection");
const OF_HOP = lowerCase("hop");
const TOLD = lowerCase("told");
const ONE_SPELLING = lowerCase("one spelling");
const CLAIMS = lowerCase("claim");
const DROPPED: ReadonlySet<string> = new Set([...lowerCase("dropped"), ...lowerCase("unset")]);
/** All of them are claims. */
const ORIGINAL = "x-original-";

export type HeaderAction = "set" | "add" | "remove";

/** Why a setting can't do this to a header; undefined: it can. A removal has no value. */
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
  return isHeaderValue(value) ? undefined : `the value of ${name} can't stand in a header`;
};

export const requestHeaderProblem: HeaderCheck = (action, name, value = "") =>
  responseHeaderProblem(action, name, value) ??
  hostProblem(action, name, value) ??
  (action === "remove" ? removalProblem(name) : tellingProblem(name));

/** Whether no setting may copy it from one message to another, such as from an auth service's answer to the request. */
export function isOfHop(name: string): boolean {
  const { dashed } = spellings(name);
  return OF_CONNECTION.has(dashed) || OF_HOP.has(dashed);
}

/** Why an auth service's answer can't give backends this header; undefined: it can. */
export function copiedHeaderProblem(name: string): string | undefined {
  // A claim that filters may set goes to backends by another way than the request's headers.
  return tellingProblem(name) ?? (CLAIMS.has(name.toLowerCase()) ? told(name) : undefined);
}

export function isHost(name: string): boolean {
  return name.toLowerCase() === "host";
}

function hostProblem(action: HeaderAction, name: string, value: string): string | undefined {
  if (!isHost(name)) return undefined;
  if (action !== "set") return "a request has exactly one Host header: it can only be set";
  return isAuthority(value) ? undefined : `${JSON.stringify(value)} can't be a Host header`;
}

function tellingProblem(name: string): string | undefined {
  const { lower, dashed } = spellings(name);
  if (TOLD.has(dashed)) return told(name);
  const isDropped = ONE_SPELLING.has(dashed)
    ? lower !== dashed
    : DROPPED.has(dashed) || CLAIMS.has(dashed) || dashed.startsWith(ORIGINAL);
  return isDropped ? `${name} is never sent to backends` : undefined;
}

/** Of X-Forwarded-For the client's part can be removed: the peer is appended in any case. */
function removalProblem(name: string): string | undefined {
  return TOLD.has(name.toLowerCase()) ? told(name) : undefined;
}

function told(name: string): string {
  return `${name} is what the gateway itself tells backends`;
}

function spellings(name: string): { readonly lower: string; readonly dashed: string } {
  const lower = name.toLowerCase();
  return { lower, dashed: lower.replaceAll("_", "-") };
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 5.5, without leading and trailing blanks: no control characters but TAB. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const FIELD_VALUE = /^(?:[^\x00-\x20\x7f](?:[^\x00-\x08\x0a-\x1f\x7f]*[^\x00-\x20\x7f])?)?$/;
/** What a Host header may hold: a name or address, and a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Why nothing can depend on a client's header of this name: nginx drops those with other characters (ignore_invalid_headers), though
 * some of them are legal, because backends read them in more than one way. Undefined: nginx keeps them.
 */
export function droppedHeaderProblem(name: string): string | undefined {
  return /^[0-9A-Za-z_-]+$/.test(name)
    ? undefined
    : `headers named ${JSON.stringify(name)} are dropped by nginx, which keeps letters, digits, "-" and "_"`;
}

/** Whether the text can stand as it is after the colon of a header line. */
function isHeaderValue(text: string): boolean {
  return FIELD_VALUE.test(text);
}

export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}
