import type { Report } from "../diagnostics/sink.js";
import type { Refusal } from "../model/upstream.js";
import type { CompileOptions } from "../model/options.js";
import { errorText } from "../support/text.js";

/** The rule can't work as written, and no wider rule may serve its requests. */
export function invalidRule(what: string): Refusal {
  return [500, `InvalidRule : invalid cfg ${what}`];
}

/** What closes an object without a share of the policy (policy-budget.ts). */
export const NO_SHARE = "no share of the policy";

/** A restriction of access can't be enforced, or the object can't be served, so no request passes. */
export function closedRule(what: string): Refusal {
  return [503, what === NO_SHARE ? `InvalidRule : ${what}` : `AuthFail : invalid cfg ${what}`];
}

/** A bug in albc made `what` fail. */
export function internalError(what: string, error: unknown): Pick<Report, "code" | "message"> {
  return { code: "INTERNAL_ERROR", message: `${what} failed: ${errorText(error)}` };
}

/** Reports an unsupported restriction, and what its paths answer. */
export function unsupportedRestriction(
  what: string,
  { unsupportedRestrictions }: Pick<CompileOptions, "unsupportedRestrictions">,
): Report {
  const outcome =
    unsupportedRestrictions === "close"
      ? "The paths answer 503"
      : "The paths are served without it";
  return { code: "RESTRICTION_UNSUPPORTED", message: `${what} ${outcome}` };
}

/** The same where the report of what is closed names the places. */
export function restrictionProblem(
  what: string,
  options: Pick<CompileOptions, "unsupportedRestrictions">,
): Report {
  return options.unsupportedRestrictions === "close"
    ? { code: "RESTRICTION_UNSUPPORTED", message: what }
    : unsupportedRestriction(what, options);
}

/** The reference can't be a backend. */
export function invalidBackend(what: string): Refusal {
  return [500, `InvalidBackend : invalid cfg ${what}`];
}

/** No rule matches the request. */
export const NO_RULE: Refusal = [404, "InvalidUpstream : no rule match"];
