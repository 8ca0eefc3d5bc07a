/** What a snippet of nginx configuration restricts, as far as its directives tell. */
import type { PathMatch } from "../../../model/route.js";
import { isHarmless } from "./directives.js";
import { type Directive, parseSnippet } from "./parse.js";

/** A restriction holds for the whole snippet, or only for these locations. */
export interface SnippetRestrictions {
  readonly isWhole: boolean;
  readonly locations: readonly PathMatch[];
}

/** All directives may decide who may pass that are not known to be harmless. */
export function snippetRestrictions(text: string): SnippetRestrictions {
  const locations: PathMatch[] = [];
  const whole = { restricts: false };
  const walk = (directives: readonly Directive[], around: { restricts: boolean }): void => {
    for (const directive of directives) {
      const { name, block = [] } = directive;
      const location = locationOf(directive);
      const inner = location === undefined ? around : { restricts: false };
      if (location === undefined && !isHarmless(name)) around.restricts = true;
      walk(block, inner);
      if (location === undefined || !inner.restricts) continue;
      if (directive.isOpen) whole.restricts = true;
      else locations.push(location);
    }
  };
  walk(parseSnippet(text).directives, whole);
  return { isWhole: whole.restricts, locations };
}

export function restricts({ isWhole, locations }: SnippetRestrictions): boolean {
  return isWhole || locations.length > 0;
}

/** Undefined: it is no location that a request can have. */
function locationOf({ name, args, block }: Directive): PathMatch | undefined {
  if (name !== "location" || block === undefined) return undefined;
  const [modifier = "", path = ""] = args.length === 1 ? ["", ...args] : args;
  if (modifier === "=") return ["exact", path];
  if (modifier === "~" || modifier === "~*") return ["regex", path, modifier === "~" ? "" : "i"];
  return path.startsWith("/") ? ["start", path] : undefined;
}
