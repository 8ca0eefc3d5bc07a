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
