/** What the directives of a snippet become. */
import type { FlowStep, HeaderStep } from "../../../model/filters.js";
import type { PathMatch } from "../../../model/route.js";
import type { Interpolation } from "../../../model/values.js";
import { type Result, problem } from "../../../support/result.js";
import { parseTemplate } from "../../auth/template.js";
import { parseHeaderText } from "../../http/headers.js";
import type { Groups } from "../../pattern/regex.js";
import type { Directive } from "./parse.js";

/**
 * When a header is changed, in nginx's order; `asked`: of the question to the auth service. Of `hidden`, `added` and `expires` a path has those
 * of the `if` that held, or else of its own snippet, or else of the host's; of the others it has all.
 */
export type Stage = "asked" | "input" | "sent" | "hidden" | "shown" | "expires" | "added";

export interface HeaderChange {
  readonly stage: Stage;
  readonly step: HeaderStep;
  /** Of the `if` that it is in; 0: of none. */
  readonly number: number;
}

/** `allow` or `deny`, in order: the first that has the client counts. */
export type AccessRule = readonly ["allow" | "deny", cidrs: readonly string[] | "all"];

/** A location of the host. */
export interface SnippetLocation {
  readonly match: PathMatch;
  /** `^~`: before all expressions. */
  readonly isFirst: boolean;
  readonly reading: SnippetReading;
}

export interface SnippetReading {
  readonly changes: HeaderChange[];
  readonly flow: FlowStep[];
  readonly access: AccessRule[];
  readonly locations: SnippetLocation[];
  readonly satisfy: "any"[];
  /** What is not done, as clauses. */
  readonly problems: string[];
  /** What is not done and changes nothing, as clauses. */
  readonly idle: string[];
  /** Directives that are not done and may restrict access. */
  readonly closing: string[];
  /** Slots of variables, by name. */
  readonly variables: Map<string, number>;
  /** Slots that hold URL text. */
  readonly written: Set<number>;
  /** Of the innermost `if`; 0: of none. */
  readonly number: number;
  /** Of bodies of `return`. */
  readonly contentType: string;
  /** Reads a block: the directives of an `if`, or of a location. */
  readonly nested: (block: readonly Directive[], into: SnippetReading) => void;
}

/** Reads the arguments of a directive, and its block if it has one. */
export type DirectiveReader = (
  args: readonly string[],
  into: SnippetReading,
  block: readonly Directive[] | undefined,
) => void;

/** Numbers of captures; variables have the slots after them. */
export const CAPTURES = 10;

/** The captures and variables that a text may use. */
export function slotsOf({ variables, written }: SnippetReading): Groups {
  return { count: Infinity, names: variables, written };
}

/** Variables of ingress-nginx, and of nginx, that have other names here. */
const SAME: Readonly<Record<string, string>> = {
  best_http_host: "http_host",
  content_type: "http_content_type",
  document_uri: "uri",
  full_x_forwarded_for: "proxy_add_x_forwarded_for",
  pass_port: "server_port",
  pass_server_port: "server_port",
  req_id: "request_id",
  the_real_ip: "remote_addr",
};
const SAME_NAME = new RegExp(
  `\\$(?:\\{(${Object.keys(SAME).join("|")})\\}|(${Object.keys(SAME).join("|")})(?!\\w))`,
  "g",
);

/** The text with nginx's names of variables. */
export function withUsualNames(text: string): string {
  return text.replace(
    SAME_NAME,
    (_, braced: string | undefined, plain: string | undefined) =>
      `\${${new Map(Object.entries(SAME)).get(braced ?? plain ?? "") ?? ""}}`,
  );
}

/** A text with variables and captures. */
export function readText(value: string, into: SnippetReading): Result<Interpolation> {
  const checked = parseHeaderText(value);
  return checked.ok
    ? parseTemplate(withUsualNames(value), "text", slotsOf(into))
    : problem(checked.problem);
}
