#!/usr/bin/env node
/** The entry: parses the command line, variables and options file, runs the command, and sets the exit status. Only this file uses the process. */
import { basename } from "node:path";
import { YAMLException, loadAll } from "js-yaml";
import { explainYamlError } from "../input/yaml-errors.js";
import { readTextFile } from "../output/files.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import { HelpShown, parseArguments } from "./arguments.js";
import type { CommandCall } from "./command-call.js";
import { type Settings, resolveSettings } from "./settings.js";
import {
  type ExitStatus,
  type Terminal,
  EXIT,
  UsageError,
  checkNode,
  readVersion,
} from "./terminal.js";

/** ECMA-48: carriage return, and "erase in line" to its end. */
const ERASED_LINE = "\r\u001b[K";
let isProgressShown = false;

const terminal: Terminal = {
  write: (text) => {
    clearProgress();
    process.stdout.write(text);
  },
  writeError: (text) => {
    clearProgress();
    process.stderr.write(text);
  },
  progress: (what) => {
    if (!process.stderr.isTTY || process.env["TERM"] === "dumb") return;
    process.stderr.write(`${ERASED_LINE}${what} …`);
    isProgressShown = true;
  },
  colours: process.stderr.isTTY && process.stdout.isTTY && process.env["NO_COLOR"] === undefined,
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  variables: process.env,
  readInput,
};

/** Bytes of standard input, and of an options file. */
const LARGEST_INPUT = 256 * 1024 * 1024;
const LARGEST_FILE = 1024 * 1024;

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin) {
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- without an encoding, parts are bytes
    const bytes = part as Buffer;
    parts.push(bytes);
    size += bytes.length;
    if (size > LARGEST_INPUT) throw new EnvironmentError("standard input has more than 256 MiB");
  }
  return Buffer.concat(parts).toString("utf8");
}

// A reader that closes the pipe, such as `head`, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await main(process.argv.slice(2));
clearProgress();

async function main(words: readonly string[]): Promise<ExitStatus> {
  try {
    checkNode();
    // kubectl starts `kubectl-albc` from the PATH as its plugin (kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins).
    const isPlugin = basename(process.argv[1] ?? "") === "kubectl-albc";
    const name = isPlugin ? "kubectl albc" : "albc";
    const call = parseArguments(words, { name, version: readVersion(), ...terminal });
    return await runCommand(call, readSettings(call));
  } catch (error: unknown) {
    return explainFailure(error);
  }
}

function clearProgress(): void {
  if (isProgressShown) process.stderr.write(ERASED_LINE);
  isProgressShown = false;
}

/** Loads only the modules that the command needs, so that `albc validate` of a small file is fast. */
async function runCommand(call: CommandCall, settings: Settings): Promise<ExitStatus> {
  switch (call.command) {
    case "render":
      return (await import("./render.js")).runRender(call, settings, terminal);
    case "validate":
      return (await import("./validate.js")).runValidate(call, settings, terminal);
    case "explain":
      return (await import("./explain.js")).runExplain(call, settings, terminal);
    case "diff":
      return (await import("./diff.js")).runDiff(call, settings, terminal);
    case "status":
      return (await import("./status.js")).runStatus(call, terminal);
    case "run":
      return (await import("./run.js")).runRun(call, settings, terminal);
  }
}

function readSettings(call: CommandCall): Settings {
  const name = call.config ?? process.env["ALBC_CONFIG"];
  const sources = { flags: call.flags, variables: process.env };
  if (name === undefined || name === "") return resolveSettings(sources);
  return resolveSettings({ ...sources, file: { name, ...readOptionsFile(name) } });
}

function explainFailure(error: unknown): ExitStatus {
  if (error instanceof HelpShown) return EXIT.fine;
  if (error instanceof UsageError) {
    terminal.writeError(`albc: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof EnvironmentError) {
    terminal.writeError(`albc: ${error.message}\n`);
    return EXIT.environment;
  }
  throw error;
}

/** The value in the options file, and the lines of its keys; an empty file has no keys. Throws UsageError. */
export function readOptionsFile(name: string): {
  readonly contents: unknown;
  readonly lineOf: (key: string) => number | undefined;
} {
  const text = readText(name);
  const documents = parse(text, name);
  if (documents.length > 1) {
    throw new UsageError(`the options file ${name} holds several documents; it must be one`);
  }
  const lines = text.split("\n");
  const lineOf = (key: string): number | undefined => {
    const index = lines.findIndex((line) => new RegExp(`^["']?${key}["']? *:`).test(line));
    return index < 0 ? undefined : index + 1;
  };
  return { contents: documents[0] ?? {}, lineOf };
}

function readText(name: string): string {
  let text: string | undefined;
  try {
    text = readTextFile(name, LARGEST_FILE);
  } catch (error: unknown) {
    throw new UsageError(`the options file: ${errorText(error)}`);
  }
  if (text !== undefined) return text;
  throw new UsageError(
    `the options file ${name} does not exist; it is named by --config or the variable ALBC_CONFIG`,
  );
}

function parse(text: string, name: string): readonly unknown[] {
  try {
    return loadAll(text);
  } catch (error: unknown) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    const { message, hint } = explainYamlError(error.reason, true);
    throw new UsageError(
      `the options file can't be read: ${name}:${String(line + 1)}:${String(column + 1)}: ${message}; ${hint}`,
    );
  }
}
