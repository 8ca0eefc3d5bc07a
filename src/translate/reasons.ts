import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import type { Refusal } from "../model/upstream.js";
import type { CompileOptions } from "../model/options.js";
import { errorText } from "../support/text.js";

/** The rule can't be done as written; its requests must not fall to a wider rule. */
export function invalidRule(what: string): Refusal {
  return [500, `InvalidRule : invalid cfg ${what}`];
}

/** A restriction of access can't be honoured, so no request passes. */
export function closedRule(what: string): Refusal {
  return [503, `AuthFail : invalid cfg ${what}`];
}

/** A bug of ours; `what` failed. */
export function internalError(resource: ResourceRef, what: string, error: unknown): Report {
  return { code: "INTERNAL_ERROR", message: `${what} failed: ${errorText(error)}`, resource };
}

/** How a restriction that is not supported is reported, with what becomes of its paths. */
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

/** The backend can't be one. */
export function invalidBackend(what: string): Refusal {
  return [500, `InvalidBackend : invalid cfg ${what}`];
}

/** No rule is for the request. */
export const NO_RULE: Refusal = [404, "InvalidUpstream : no rule match"];
