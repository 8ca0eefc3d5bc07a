import { readFileSync } from "node:fs";
import { EnvironmentError } from "../support/errors.js";
import { fieldsOf } from "../support/json-object.js";
import { visible } from "../support/text.js";

/** What commands use of the process; tests pass their own. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Says what is being done, such as `compiling 8,000 objects`, on a terminal alone and until something is written. */
  readonly progress: (what: string) => void;
  /** Whether standard output and standard error are terminals that show colours. */
  readonly colours: boolean;
  /** Of the terminal that standard output is; undefined: it is none. */
  readonly columns?: number | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<string>;
}

/** Exit statuses of albc. */
export const EXIT = {
  fine: 0,
  /** The input has errors, or `--check` found differences. */
  inputErrors: 1,
  usage: 2,
  /** No nginx, disk full, unreadable path. */
  environment: 3,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** The command line, a variable or the options file is invalid: exit status 2. The message is one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: string) {
    super(visible(message));
  }
}

/** package.json, which is two folders above this file both in the sources and in the package. */
function readManifest(): Readonly<Record<string, unknown>> {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return fieldsOf(JSON.parse(text));
}

export function readVersion(): string {
  return String(readManifest()["version"]);
}

/** Throws EnvironmentError if Node.js is older than package.json allows (`>=22.12`): it would fail somewhere, with a stack trace. */
export function checkNode(running = process.versions.node): void {
  const least = String(fieldsOf(readManifest()["engines"])["node"]).replace(">=", "");
  const [major = 0, minor = 0] = running.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new EnvironmentError(`this is Node.js ${running}; ${least} or newer is needed`);
}
