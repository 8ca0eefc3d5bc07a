import type { Interpolation, Segment } from "../../model/interpolation.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";
import type { Position } from "./variables.js";
import { encodingOf, isVariable, shownName, unknownVariable } from "./variables.js";

/** `$name`, `${name}`, or `${name` without its end; a `$` before anything else is a dollar. */
const VARIABLE = /\$(?:([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)(\})?)/g;

/**
 * Splits text at its variables. A name ends at the first character that is no letter, digit or `_`. Unknown variables and
 * a `${name` without `}` are problems: sent as text they would make another request than the one that was meant.
 */
export function parseTemplate(text: string, position: Position): Result<Interpolation> {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(VARIABLE)) {
    const [whole, plain, braced, close] = match;
    const name = plain ?? braced ?? "";
    if (braced !== undefined && close === undefined) {
      return problem(`has \${${shownName(name)} without a closing }`);
    }
    if (!isVariable(name)) return problem(unknownVariable(name));
    if (match.index > end) segments.push(text.slice(end, match.index));
    segments.push([name, encodingOf(name, position)]);
    end = match.index + whole.length;
  }
  if (end < text.length) segments.push(text.slice(end));
  return ok(segments);
}

/** The text of an interpolation without variables; undefined when it has some. */
export function literalText(interpolation: Interpolation): string | undefined {
  return interpolation.every((segment) => typeof segment === "string")
    ? interpolation.join("")
    : undefined;
}

/** Joins interpolations and texts; neighbouring literals become one, so equal results are equal values. */
export function concatenate(...parts: readonly (Interpolation | string)[]): Interpolation {
  const joined: Segment[] = [];
  for (const segment of parts.flat()) {
    const last = joined.at(-1);
    if (typeof segment === "string" && typeof last === "string") {
      joined[joined.length - 1] = last + segment;
    } else if (segment !== "") joined.push(segment);
  }
  return joined;
}
