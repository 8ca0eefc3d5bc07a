/** Readers of what decides who may pass: deny, allow, satisfy, limit_except; and of locations. */
import type { PathMatch, Route } from "../../../model/route.js";
import { filled } from "../../../support/json-object.js";
import { CIDRS } from "../annotations/annotation.js";
import { regexProblem } from "../../pattern/regex.js";
import { type Directive, shownWord } from "./parse.js";
import type { AccessRule, DirectiveReader, SnippetReading } from "./reading.js";

/** Every address. */
export const ALL: readonly string[] = ["0.0.0.0/0", "::/0"];

export function accessRule(kind: "allow" | "deny"): DirectiveReader {
  return ([address = "", ...more], into) => {
    const read = CIDRS.parse(address);
    if (more.length > 0 || into.number > 0 || (address !== "all" && !read.ok)) {
      into.problems.push(`can't be read at ${shownWord(address)}`);
      into.closing.push(kind);
    } else into.access.push([kind, address === "all" || !read.ok ? "all" : read.value]);
  };
}

/**
 * As lists of a route, which ask `deny` first. Undefined: an address that one rule allows is in a later one that denies, which the lists can't
 * say.
 */
export function accessLists(
  rules: readonly AccessRule[],
): Pick<Route, "allow" | "deny"> | undefined {
  const lists: Record<"allow" | "deny", string[]> = { allow: [], deny: [] };
  for (const [kind, cidrs] of rules) {
    if (cidrs === "all") {
      if (kind === "allow") return filled("deny", lists.deny);
      return lists.allow.length > 0
        ? { allow: lists.allow, ...filled("deny", lists.deny) }
        : { deny: ALL };
    }
    if (kind === "deny" && lists.allow.length > 0) return undefined;
    lists[kind].push(...cidrs);
  }
  return filled("deny", lists.deny);
}

export const readSatisfy: DirectiveReader = ([which, ...more], into) => {
  if (more.length > 0 || (which !== "any" && which !== "all")) {
    into.problems.push("takes `any` or `all`");
    into.closing.push("satisfy");
  } else if (which === "any") into.satisfy.push("any");
};

/** Only `deny all` is done for the other methods. They are refused first: a break must not skip it. */
export const readLimitExcept: DirectiveReader = (methods, into, block = []) => {
  const [first, ...others] = block;
  const isDenied = first?.name === "deny" && first.args.join(" ") === "all" && others.length === 0;
  if (!isDenied || into.number > 0 || !methods.every((method) => /^[A-Z]+$/.test(method))) {
    into.problems.push("is done only with `deny all`");
    into.closing.push("limit_except");
    return;
  }
  const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
  const pattern = `^(?:${allowed.join("|")})$`;
  into.flow.unshift(
    ["if", [["request_method", "raw"]], ["noRegex", pattern, ""], 1, 0],
    ["return", 403, [], ""],
  );
};

export const readLocation: DirectiveReader = (args, into, block = []) => {
  const [modifier = "", path = ""] = args.length === 1 ? ["", ...args] : args;
  const match = matchOf(modifier, path);
  if (match === undefined || into.number > 0 || args.length > 2) {
    into.problems.push(`can't be read at ${shownWord(path)}`);
    into.closing.push("location");
    return;
  }
  const reading: SnippetReading = {
    ...into,
    ...{ changes: [], flow: [], access: [], locations: [], satisfy: [] },
    ...{ problems: [], idle: [], closing: [] },
    variables: new Map(into.variables),
    written: new Set(into.written),
    contentType: contentTypeOf(block) ?? into.contentType,
  };
  into.nested(block, reading);
  into.problems.push(...reading.problems);
  into.idle.push(...reading.idle);
  const location = { match, isFirst: modifier === "^~", reading };
  into.locations.push(location, ...reading.locations);
};

/** Undefined: no request can have it, or it is no expression. */
export function matchOf(modifier: string, path: string): PathMatch | undefined {
  if (modifier === "=") return ["exact", path];
  if (modifier === "~" || modifier === "~*") {
    return regexProblem(path) === undefined
      ? ["regex", path, modifier === "~" ? "" : "i"]
      : undefined;
  }
  return path.startsWith("/") && (modifier === "" || modifier === "^~")
    ? ["start", path]
    : undefined;
}

/** The `default_type` of a block. */
export function contentTypeOf(block: readonly Directive[]): string | undefined {
  const type = block.find(({ name }) => name === "default_type")?.args[0];
  return type !== undefined && /^[\w.+/-]{1,100}$/.test(type) ? type : undefined;
}
