/**
 * How much of the policy one object may take. An object is bound once for each of its hosts and listeners, so a few kilobytes of it can
 * become megabytes, and must not prevent other objects from being served.
 */

/** Twice what the limits of Gateway API allow for a route on four listeners: 16 hostnames × 128 matches × 8. */
export const MOST_BINDINGS = 16_384;
/** Characters of the paths and conditions of all bindings. */
export const MOST_BINDING_TEXT = 4 * 1024 * 1024;
/** Characters of settings that are repeated in the route of every path, such as a list of addresses. */
export const MOST_REPEATED_TEXT = 16 * 1024 * 1024;

/** Variables, or references to captures, of one text: each may stand for as much as a client sends. */
export const MOST_VARIABLES = 32;
/** Variables of all headers of a ConfigMap or a snippet together. */
export const MOST_HEADER_VARIABLES = 128;

/**
 * Headers that one setting changes or copies. Each is searched for in a whole message, for every request, and a route may have several
 * such settings.
 */
export const MOST_HEADERS = 256;
/** Of those of a snippet, names that end with `*`: each is compared with every header of a message. */
export const MOST_OPEN_HEADERS = 16;
/** Characters of names and values of the headers of a ConfigMap or a snippet, as Lua keeps them for each worker. */
export const MOST_HEADER_TEXT = 64 * 1024;

/** Completes a sentence about a text with too many of `what`; undefined if there are not too many. */
export function tooMany(count: number, most: number, what: string): string | undefined {
  return count > most
    ? `has ${String(count)} ${what}, and ${String(most)} are the most`
    : undefined;
}

export function tooManyHeaders(count: number): string | undefined {
  return tooMany(count, MOST_HEADERS, "headers");
}

/** The same for the `$1` of a rewritten path. */
export function capturesProblem(replacement: string): string | undefined {
  const count = replacement.match(/\$\d/g)?.length ?? 0;
  return tooMany(count, MOST_VARIABLES, "references to captures");
}
