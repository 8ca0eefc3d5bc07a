/** What albc's exit status says. */
export const EXIT = {
  fine: 0,
  /** The input has errors, or `--check` found differences. */
  inputErrors: 1,
  usage: 2,
  /** No nginx, port taken, disk full, unreadable path. */
  environment: 3,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];
