/**
 * How much of the policy one object may become. Where one is bound once for each of several hosts or listeners, a few kilobytes can
 * become megabytes; whoever writes it must not keep everybody else's from being served.
 */

/** Twice what the limits of Gateway API allow for a route on four listeners: 16 hostnames × 128 matches × 8. */
export const MOST_BINDINGS = 16_384;
/** Endpoints of one Service, counted once for each port that routes name; and how many ports need not be counted. */
export const MOST_ENDPOINTS = 16_384;
export const UNCOUNTED_PORTS = 8;
/** Characters of the paths and conditions of all bindings. */
export const MOST_BINDING_TEXT = 4 * 1024 * 1024;
/** Characters of settings that are written once and repeated in the route of every path: a list of addresses, for one. */
export const MOST_REPEATED_TEXT = 16 * 1024 * 1024;
