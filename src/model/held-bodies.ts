/**
 * Bytes of the longest request body that is held: nginx takes as much memory for an upload to a slow backend, so holding costs no more, and
 * nothing goes to the run folder (docs/adr/held-bodies.md). lua/alb/body.lua has it, too.
 */
export const MOST_HELD = 128 * 1024;
