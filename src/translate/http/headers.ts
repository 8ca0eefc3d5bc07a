/** What settings may do with headers of requests and responses. */
import { type Header, type HeaderChanges, headerChanges } from "../../model/filters.js";
import { type HeaderRole, rolesOf } from "../../model/special-headers.js";
import { isObject, isTexts, parseObject } from "../../support/json-object.js";
import { type Result, ok, problem } from "../../support/result.js";
import { listed } from "../../support/text.js";
import { tooManyHeaders } from "../size-limits.js";

type HeaderAction = "set" | "add" | "remove";

/** Why a setting can't change a header in this way; undefined if it can. A removal has no value. */
export type HeaderCheck = (
  action: HeaderAction,
  name: string,
  value?: string,
) => string | undefined;

export const responseHeaderProblem: HeaderCheck = (_action, name, value = "") => {
  if (!isHeaderName(name)) return `${JSON.stringify(name)} is not the name of a header`;
  if (rolesOf(name)?.includes("connection") === true) {
    return `${name} belongs to the connection and can't be changed`;
  }
  return FIELD_VALUE.test(value) ? undefined : `the value of ${name} can't stand in a header`;
};

export const requestHeaderProblem: HeaderCheck = (action, name, value = "") =>
  responseHeaderProblem(action, name, value) ??
  hostProblem(action, name, value) ??
  (action === "remove" ? removalProblem(name) : backendProblem(name));

/** Whether the header belongs to one connection, so no setting may copy it to another message, such as from an auth service to the request. */
export function isOfHop(name: string): boolean {
  const roles = rolesOf(name) ?? [];
  return roles.includes("connection") || roles.includes("hop");
}

/** Whether the header describes the content of its message. */
export function isOfContent(name: string): boolean {
  return rolesOf(name)?.includes("content") === true;
}

/** Which headers of an auth service's response can't be copied to the request; a problem completes the sentence "<setting> …". */
export function uncopiedHeaders(names: readonly string[]): string | undefined {
  const problems = names.flatMap((name) => {
    if (!isHeaderName(name)) return [`${JSON.stringify(name)} is not the name of a header`];
    if (isOfHop(name)) return [`${name} belongs to the connection`];
    // Filters may set claims, because clients' own headers of these names never reach backends.
    const ofClaim = rolesOf(name)?.includes("claim") === true ? ofGateway(name) : [];
    return backendProblem(name) ?? ofClaim;
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
  const roles = rolesOf(name);
  if (roles === undefined) return undefined;
  if (roles.includes("origin")) return ofGateway(name);
  const isSent = roles.includes("one spelling") || !roles.some((role) => UNSENT.has(role));
  return isSent && !name.includes("_") ? undefined : `${name} is never sent to backends`;
}

const UNSENT: ReadonlySet<HeaderRole> = new Set<HeaderRole>(["dropped", "unset", "claim"]);

/** Removing X-Forwarded-For drops the client's part: nginx appends the peer's address afterwards. */
function removalProblem(name: string): string | undefined {
  const isOrigin = rolesOf(name)?.includes("origin") === true && !name.includes("_");
  return isOrigin ? ofGateway(name) : undefined;
}

function ofGateway(name: string): string {
  return `${name} is what the gateway itself tells backends`;
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 5.5, without leading and trailing blanks: no control characters except TAB. */
// eslint-disable-next-line no-control-regex -- it looks for control characters
const FIELD_VALUE = /^(?:[^\x00-\x20\x7f](?:[^\x00-\x08\x0a-\x1f\x7f]*[^\x00-\x20\x7f])?)?$/;
/** A Host header's value: a name or address, and a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/** Letters, digits, `-` and `_`: what nginx accepts of clients, and what settings can mean. `X-Auth-*` is a name by RFC 9110 alone. */
export function isPlainName(text: string): boolean {
  return /^[0-9A-Za-z_-]+$/.test(text);
}

/**
 * Why no match can depend on a client's header of this name; undefined if it can. nginx drops headers with other characters
 * (ignore_invalid_headers), even legal ones, because backends read them differently.
 */
export function droppedHeaderProblem(name: string): string | undefined {
  return isPlainName(name)
    ? undefined
    : `headers named ${JSON.stringify(name)} are dropped by nginx, which keeps letters, digits, "-" and "_"`;
}

export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

const MAX_NAME = 256;
/** Longer names are cut in messages. */
const MAX_SHOWN = 40;
const MAX_VALUE = 4096;

/** Checks the name of a header that a setting adds or copies; a problem completes the sentence "<setting> …". */
export function parseHeaderName(text: string): Result<string> {
  if (!isPlainName(text) || text.length > MAX_NAME) {
    return problem(
      `has the header name ${JSON.stringify(text.slice(0, MAX_SHOWN))}; names are letters, digits, - and _`,
    );
  }
  return isOfHop(text)
    ? problem(`must not name the header ${text}, which belongs to the connection`)
    : ok(text);
}

/**
 * Checks a header's value or a part of it (RFC 9110, 5.5): a line break would begin another header, and a longer value does not fit
 * into a message head. A problem completes the sentence "<setting> …".
 */
export function parseHeaderText(text: string): Result<string> {
  // eslint-disable-next-line no-control-regex -- it looks for control characters
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

/** Parsers of the annotations' JSON. They leave out unusable parts, and name them in the result's problem. */
export const HEADER_REWRITES = {
  "rewrite-request": (text: string) => parseHeaderRewrite(text, requestHeaderProblem),
  "rewrite-response": (text: string) => parseHeaderRewrite(text, responseHeaderProblem),
} as const;

function parseHeaderRewrite(text: string, check: HeaderCheck): Result<HeaderChanges | undefined> {
  const json = parseObject(text);
  if (json === undefined) return problem("it is not a JSON object");
  const rewrite = new HeaderRewrite(check);
  for (const [field, value] of Object.entries(json)) rewrite.read(field, value);
  return rewrite.result();
}

class HeaderRewrite {
  readonly #check: HeaderCheck;
  readonly #set: Header[] = [];
  readonly #add: Header[] = [];
  readonly #remove = new Set<string>();
  /** Names whose value should be replaced but can't be. */
  readonly #unset = new Set<string>();
  readonly #problems: string[] = [];

  constructor(check: HeaderCheck) {
    this.#check = check;
  }

  /** Headers that are set, removed or added. Fields with `var` would give them the value of a variable. */
  read(field: string, value: unknown): void {
    switch (field) {
      case "headers":
        for (const [name, text] of this.#fields(value, "headers is not an object of texts")) {
          this.#setHeader(name, text);
        }
        break;
      case "headers_var":
        this.#leaveOut("headers_var is not supported, so its headers are removed");
        if (isObject(value)) for (const name of Object.keys(value)) this.#unsetHeader(name);
        break;
      case "headers_remove":
        if (!Array.isArray(value)) this.#leaveOut("headers_remove is not a list of header names");
        else for (const name of value) this.#removeHeader(name);
        break;
      case "headers_add":
        for (const [name, list] of this.#fields(
          value,
          "headers_add is not an object of lists of texts",
        )) {
          this.#addHeader(name, list);
        }
        break;
      case "headers_add_var":
        this.#leaveOut("headers_add_var is not supported");
        break;
      default:
        this.#leaveOut(`it has an unknown field ${JSON.stringify(field)}`);
    }
  }

  #fields(value: unknown, otherwise: string): readonly (readonly [string, unknown])[] {
    if (isObject(value)) return Object.entries(value);
    this.#leaveOut(otherwise);
    return [];
  }

  result(): Result<HeaderChanges | undefined> {
    const set = new Set(this.#set.map(([name]) => name.toLowerCase()));
    const unset = [...this.#unset].filter((name) => !set.has(name));
    const remove = [...new Set([...this.#remove, ...unset])];
    const count = this.#set.length + this.#add.length + remove.length;
    const excess = tooManyHeaders(count);
    if (excess !== undefined) return problem(`it ${excess}`);
    const value = headerChanges(this.#set, this.#add, remove);
    if (this.#problems.length === 0) return { ok: true, value };
    const left = listed(this.#problems);
    return value === undefined ? problem(left) : { ok: true, value, problem: left };
  }

  #setHeader(name: string, value: unknown): void {
    if (typeof value !== "string") this.#leaveOut(`${JSON.stringify(name)} in headers has no text`);
    else if (this.#can("set", name, value)) {
      this.#set.push([name, value]);
      return;
    }
    this.#unsetHeader(name);
  }

  /** Removes a header that can't be set, so the backend does not take the sender's value for the intended one. */
  #unsetHeader(name: string): void {
    if (this.#check("remove", name) === undefined) this.#unset.add(name.toLowerCase());
  }

  #removeHeader(name: unknown): void {
    if (typeof name !== "string")
      this.#leaveOut("headers_remove contains something else than names");
    else if (this.#can("remove", name)) this.#remove.add(name.toLowerCase());
  }

  #addHeader(name: string, list: unknown): void {
    if (!isTexts(list)) {
      this.#leaveOut(`${JSON.stringify(name)} in headers_add has no list of texts`);
      return;
    }
    // Several lines with one name are one list (RFC 9110, 5.3).
    const value = list.join(", ");
    if (list.length > 0 && this.#can("add", name, value)) this.#add.push([name, value]);
  }

  #can(action: HeaderAction, name: string, value?: string): boolean {
    const why = this.#check(action, name, value);
    if (why !== undefined) this.#leaveOut(why);
    return why === undefined;
  }

  #leaveOut(why: string): void {
    this.#problems.push(why);
  }
}
