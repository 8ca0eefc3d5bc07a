import type { Interpolation } from "../../ir/interpolation.js";
import type { PolicyInterpolation } from "./policy-document.js";

/** Segments in the policy's short form. */
export function policyInterpolation(segments: Interpolation): PolicyInterpolation {
  return segments.map((segment) =>
    "literal" in segment ? segment.literal : ([segment.variable, segment.encoding] as const),
  );
}
