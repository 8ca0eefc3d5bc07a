/** The command line, a variable or the options file can't be understood: exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
