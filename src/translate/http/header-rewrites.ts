import { headerChanges, type Header, type HeaderChanges } from "../../model/filters.js";
import { isObject, isTexts, parseObject } from "../../support/json-object.js";
import type { Result } from "../../support/result.js";
import { problem } from "../../support/result.js";
import { listed } from "../../support/text.js";
import type { HeaderAction, HeaderCheck } from "./headers.js";
import { requestHeaderProblem, responseHeaderProblem } from "./headers.js";

/** Parsers of the annotations' JSON. They leave out parts that can't be used, and name them in the result's problem. */
export const HEADER_REWRITES = {
  "rewrite-request": (text: string) => parseHeaderRewrite(text, requestHeaderProblem),
  "rewrite-response": (text: string) => parseHeaderRewrite(text, responseHeaderProblem),
} as const;

function parseHeaderRewrite(text: string, check: HeaderCheck): Result<HeaderChanges | undefined> {
  const json = parseObject(text);
  if (json === undefined) return problem("it is not a JSON object");
  const rewrite = new HeaderRewrite(check);
  for (const [field, value] of Object.entries(json)) {
    const read = FIELDS.get(field);
    if (read === undefined) rewrite.leaveOut(`it has an unknown field ${JSON.stringify(field)}`);
    else read(rewrite, value);
  }
  return rewrite.result();
}

/** The fields of the JSON: headers that are set, removed and added; those with `var` get the value of a variable. */
const FIELDS: ReadonlyMap<string, (rewrite: HeaderRewrite, value: unknown) => void> = new Map([
  [
    "headers",
    (rewrite, value) => {
      if (!isObject(value)) rewrite.leaveOut("headers is not an object of texts");
      else for (const [name, text] of Object.entries(value)) rewrite.set(name, text);
    },
  ],
  [
    "headers_var",
    (rewrite, value) => {
      rewrite.leaveOut("headers_var is not supported, so its headers are removed");
      if (isObject(value)) for (const name of Object.keys(value)) rewrite.unset(name);
    },
  ],
  [
    "headers_remove",
    (rewrite, value) => {
      if (!Array.isArray(value)) rewrite.leaveOut("headers_remove is not a list of header names");
      else for (const name of value) rewrite.remove(name);
    },
  ],
  [
    "headers_add",
    (rewrite, value) => {
      if (!isObject(value)) rewrite.leaveOut("headers_add is not an object of lists of texts");
      else for (const [name, list] of Object.entries(value)) rewrite.add(name, list);
    },
  ],
  [
    "headers_add_var",
    (rewrite) => {
      rewrite.leaveOut("headers_add_var is not supported");
    },
  ],
]);

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

  leaveOut(why: string): void {
    this.#problems.push(why);
  }

  set(name: string, value: unknown): void {
    if (typeof value !== "string") this.leaveOut(`${JSON.stringify(name)} in headers has no text`);
    else if (this.#can("set", name, value)) {
      this.#set.push([name, value]);
      return;
    }
    this.unset(name);
  }

  /** Removes the header, so that nobody mistakes the sender's value for the one that can't be set. */
  unset(name: string): void {
    if (this.#check("remove", name) === undefined) this.#unset.add(name.toLowerCase());
  }

  remove(name: unknown): void {
    if (typeof name !== "string") this.leaveOut("headers_remove holds something else than names");
    else if (this.#can("remove", name)) this.#remove.add(name.toLowerCase());
  }

  add(name: string, list: unknown): void {
    if (!isTexts(list)) {
      this.leaveOut(`${JSON.stringify(name)} in headers_add has no list of texts`);
      return;
    }
    // Lines of the same name are one list (RFC 9110, 5.3).
    const value = list.join(", ");
    if (list.length > 0 && this.#can("add", name, value)) this.#add.push([name, value]);
  }

  result(): Result<HeaderChanges | undefined> {
    const set = new Set(this.#set.map(([name]) => name.toLowerCase()));
    const unset = [...this.#unset].filter((name) => !set.has(name));
    const remove = [...new Set([...this.#remove, ...unset])];
    const value = headerChanges(this.#set, this.#add, remove);
    if (this.#problems.length === 0) return { ok: true, value };
    const left = listed(this.#problems);
    return value === undefined ? problem(left) : { ok: true, value, problem: left };
  }

  #can(action: HeaderAction, name: string, value?: string): boolean {
    const why = this.#check(action, name, value);
    if (why !== undefined) this.leaveOut(why);
    return why === undefined;
  }
}
