import { visible } from "./text.js";

/**
 * The machine, not the input, is at fault: no nginx, a used port, a full disk, an unreadable path. The message is one line that says what
 * to do. Commands end with exit status 3.
 */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";

  constructor(message: string, options?: ErrorOptions) {
    super(visible(message), options);
  }
}

/** All objects together are more than can be served. The message says how much that is, and which objects take most of it. */
export class PolicyTooLarge extends EnvironmentError {}

/** Because of bugs in albc, more objects fail than can be closed one by one (translate/faulty-objects.ts). */
export class TooManyFaults extends Error {}
