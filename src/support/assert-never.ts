/** Fails on a union member that no branch handled: a bug of ours, never a user's mistake. */
export function assertNever(value: never, what: string): never {
  throw new Error(`unhandled ${what}: ${JSON.stringify(value)}`);
}
