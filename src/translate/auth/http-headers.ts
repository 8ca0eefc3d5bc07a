import { isHeaderName, isOfHop } from "../http/special-headers.js";
import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";

const MAX_NAME = 256;
const MAX_VALUE = 4096;

/** Checks a header name that a setting adds or copies; a problem completes the sentence "<setting> …". */
export function parseHeaderName(text: string): Result<string> {
  if (!isHeaderName(text) || text.length > MAX_NAME) return problem("has an invalid header name");
  return isOfHop(text)
    ? problem(`must not name the header ${text}, which belongs to the connection`)
    : ok(text);
}

/**
 * Checks a header's value or a part of it (RFC 9110, 5.5): a line break in it would begin another header, and a longer one
 * fits in no message head. A problem completes the sentence "<setting> …".
 */
export function parseHeaderText(text: string): Result<string> {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) {
    return problem("must not hold line breaks or control characters");
  }
  return text.length > MAX_VALUE ? problem(`is longer than ${MAX_VALUE} characters`) : ok(text);
}
