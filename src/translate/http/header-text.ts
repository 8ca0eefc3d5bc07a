/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 5.5, without leading and trailing blanks: no control characters but TAB. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const FIELD_VALUE = /^(?:[^\x00-\x20\x7f](?:[^\x00-\x08\x0a-\x1f\x7f]*[^\x00-\x20\x7f])?)?$/;
/** What a Host header may hold: a name or address, and a port. */
const AUTHORITY = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Why nothing can depend on a client's header of this name: nginx drops those with other characters (ignore_invalid_headers), though
 * some of them are legal, because backends read them in more than one way. Undefined: nginx keeps them.
 */
export function droppedHeaderProblem(name: string): string | undefined {
  return /^[0-9A-Za-z_-]+$/.test(name)
    ? undefined
    : `headers named ${JSON.stringify(name)} are dropped by nginx, which keeps letters, digits, "-" and "_"`;
}

/** Whether the text can stand as it is after the colon of a header line. */
export function isHeaderValue(text: string): boolean {
  return FIELD_VALUE.test(text);
}

export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}
