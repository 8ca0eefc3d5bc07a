import type { ValueMatch } from "../../../api/gateway.js";
import type { Predicate, ValueTest } from "../../../model/match.js";
import { droppedHeaderProblem } from "../../http/header-text.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import { regexProblem } from "../../regex.js";
import type { Findings } from "./findings.js";

const TYPES = ["Exact", "RegularExpression"] as const;

/** Conditions on headers, whose names have no case; of entries with one name the first counts. */
export function headerConditions(
  matches: readonly ValueMatch[],
  place: Place,
  findings: Findings,
): readonly Predicate[] {
  const lower = matches.map((match) => ({ ...match, name: match.name.toLowerCase() }));
  return conditions("header", lower, place, findings);
}

/** Conditions on query parameters, whose names have case. */
export function queryConditions(
  matches: readonly ValueMatch[],
  place: Place,
  findings: Findings,
): readonly Predicate[] {
  return conditions("query", matches, place, findings);
}

/** What can't be done is left out, which makes the match wider; the rule is refused. */
function conditions(
  of: "header" | "query",
  matches: readonly ValueMatch[],
  place: Place,
  findings: Findings,
): readonly Predicate[] {
  const predicates = new Map<string, Predicate>();
  for (const [index, match] of matches.entries()) {
    if (predicates.has(match.name)) continue;
    const dropped = of === "header" ? droppedHeaderProblem(match.name) : undefined;
    if (dropped !== undefined) {
      findings.unsupported(dropped, within(place, index, "name"));
      continue;
    }
    const test = valueTest(match, within(place, index), findings);
    if (test !== undefined) predicates.set(match.name, { of, key: match.name, any: [test] });
  }
  return [...predicates.values()];
}

function valueTest(
  { type = "Exact", value }: ValueMatch,
  place: Place,
  findings: Findings,
): ValueTest | undefined {
  const chosen = findings.choice(type, TYPES, within(place, "type"));
  if (chosen === undefined) return undefined;
  if (chosen === "Exact") return ["eq", value];
  const problem = regexProblem(value);
  if (problem === undefined) return ["regex", value];
  findings.unsupported(problem, within(place, "value"));
  return undefined;
}
