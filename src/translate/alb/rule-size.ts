/** How much one Rule may become: its path and its conditions are bound once for each host. */
import { MOST_BINDING_TEXT } from "../size-limits.js";
import type { RuleMatch } from "./dslx.js";

/** Why the match can't be bound as written; undefined: it can. Hosts alone are as many as are written. */
export function sizeProblem({ hosts, path, when }: RuleMatch): string | undefined {
  const each = textOf(path) + textOf(when);
  const text = each * hosts.length;
  if (text <= MOST_BINDING_TEXT || hosts.length === 1) return undefined;
  return `${String(hosts.length)} hosts with ${String(each)} characters of path and conditions make ${String(text)}; a Rule may have ${String(MOST_BINDING_TEXT)}`;
}

/** What is bound of it all the same: every request that it was for, and perhaps others of its hosts. */
export function widened({ hosts, path }: RuleMatch): RuleMatch {
  const fits = textOf(path) * hosts.length <= MOST_BINDING_TEXT;
  return { hosts, path: fits ? path : undefined, when: [] };
}

function textOf(part: RuleMatch["path"] | RuleMatch["when"]): number {
  return part === undefined ? 0 : JSON.stringify(part).length;
}
