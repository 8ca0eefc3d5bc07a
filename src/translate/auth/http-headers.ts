import type { Result } from "../../support/result.js";
import { ok, problem } from "../../support/result.js";

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_NAME = 256;
const MAX_VALUE = 4096;

/**
 * Headers that say how one message travels on one connection (RFC 9110, 7.6.1 and 6.4.1): no setting may take them from
 * elsewhere, or the message would end where it doesn't.
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-albc-turns",
]);

/** Checks a header name that a setting adds or copies; a problem completes the sentence "<setting> …". */
export function parseHeaderName(text: string): Result<string> {
  if (!TOKEN.test(text) || text.length > MAX_NAME) return problem("has an invalid header name");
  return CONNECTION_HEADERS.has(text.toLowerCase())
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
