import type { PathMatch, Predicate } from "../../../model/match.js";
import type { MatchRank } from "../../route-precedence.js";

/** One match of a rule: which requests, and as how narrow it counts. */
export interface RuleMatch {
  /** In the rule. */
  readonly index: number;
  /** Undefined: any path. */
  readonly path: PathMatch | undefined;
  readonly when: readonly Predicate[];
  readonly rank: MatchRank;
  /** Of a prefix match. */
  readonly prefix?: string;
}
