import type { Refusal } from "../ir/upstream.js";

/** The rule can't be done as written; its requests must not fall to a wider rule. */
export function invalidRule(what: string): Refusal {
  return { status: 500, reason: `InvalidRule : invalid cfg ${what}` };
}

/** A restriction of access can't be honoured, so nobody passes. */
export function closedRule(what: string): Refusal {
  return { status: 503, reason: `InvalidRule : invalid cfg ${what}` };
}

/** The backend can't be one. */
export function invalidBackend(what: string): Refusal {
  return { status: 500, reason: `InvalidBackend : invalid cfg ${what}` };
}

/** No rule is for the request. */
export const NO_RULE: Refusal = { status: 404, reason: "InvalidUpstream : no rule match" };
