import { filled } from "../../../support/fields.js";
import type { HttpRouteRetry } from "../../../api/gateway.js";
import type { Retry } from "../../../model/route.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { Findings } from "./findings.js";

const CODES = [500, 502, 503, 504] as const;
const DEFAULT_ATTEMPTS = 1;

/** Tries follow each other at once, so a backoff can't be kept; codes are those that nginx can try again. */
export function ruleRetry(spec: HttpRouteRetry, place: Place, findings: Findings): Retry {
  if (spec.backoff !== undefined) {
    findings.unsupported("there can be no pause between tries", within(place, "backoff"));
  }
  const codes = new Set<(typeof CODES)[number]>();
  for (const [index, code] of (spec.codes ?? []).entries()) {
    const known = CODES.find((candidate) => candidate === code);
    if (known !== undefined) codes.add(known);
    else {
      const message = `${String(code)} is none of ${CODES.join(", ")}`;
      findings.unsupported(message, within(place, "codes", index));
    }
  }
  return {
    ...filled(
      "codes",
      [...codes].sort((a, b) => a - b),
    ),
    attempts: spec.attempts ?? DEFAULT_ATTEMPTS,
  };
}
