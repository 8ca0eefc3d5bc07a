/**
 * The machine, not the input, is at fault: no nginx, port taken, disk full, unreadable path. The message is one line that
 * says what to do; the edges end with exit status 3.
 */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** All objects together give more than can be served. The message says how much that is, and what has most of it. */
export class PolicyTooLarge extends EnvironmentError {}

/** Bugs of albc make more objects fail than can be closed one by one; see translate/faulty-objects.ts. */
export class TooManyFaults extends Error {}
