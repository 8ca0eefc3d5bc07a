import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import type { Refusal } from "../model/upstream.js";
import type { CompileOptions } from "../model/options.js";
import { own } from "../support/json-object.js";
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

/** Reports an unsupported restriction. If it closes, `namingPlaces` adds what. */
export function restrictionProblem(
  what: string,
  { unsupportedRestrictions }: Pick<CompileOptions, "unsupportedRestrictions">,
): Report {
  const isClosed = unsupportedRestrictions === "close";
  const message = isClosed ? what : `${what} The paths are served without it`;
  return { code: "RESTRICTION_UNSUPPORTED", message };
}

/** Says what a setting closes that other objects inherit, or that routes name. Objects with routes of their own name these (namingPlaces). */
export function inheritedClosing(
  message: string,
  { kind, namespace, name }: Omit<ResourceRef, "apiVersion">,
): string {
  const covered = own(COVERED, kind);
  if (covered === undefined) return message;
  return `${message.replace(/\.$/, "")}; this answers 503: ${covered} ${kind} ${namespace}/${name}`;
}

const INHERITED = "all paths without a setting of their own that belong to";
const COVERED: Partial<Record<string, string>> = {
  ALB2: INHERITED,
  Frontend: INHERITED,
  AuthPolicy: "all requests that are protected by",
};

/** The reference can't be a backend. */
export function invalidBackend(what: string): Refusal {
  return [500, `InvalidBackend : invalid cfg ${what}`];
}

/** No rule matches the request. */
export const NO_RULE: Refusal = [404, "InvalidUpstream : no rule match"];
