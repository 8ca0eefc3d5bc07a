/**
 * The machine, not the input, is at fault: no nginx, port taken, disk full, unreadable path. The message is one line that
 * says what to do; the edges end with exit status 3.
 */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}
