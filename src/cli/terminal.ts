import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { pino } from "pino";

/** The process as the commands see it, so that they can be tried without one. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Standard error is a terminal that shows colours. */
  readonly colours: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Everything that comes on standard input. */
  readonly readInput: () => Promise<string>;
}

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

/** The command line, a variable or the options file can't be understood: exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The version in package.json, which lies two folders above this file in the sources and in the package. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  const version =
    typeof manifest === "object" && manifest !== null && "version" in manifest
      ? manifest.version
      : "";
  return String(version);
}

/** One JSON line an event on standard error, so that standard output stays free for what was asked for. */
export function createLogger(level: string): Logger {
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(settings, pino.destination({ dest: 2, sync: true }));
}
