#!/usr/bin/env node
/** The entry: words, variables and files in; a command's work; an exit status out. The only place that knows the process. */
import { text as readStream } from "node:stream/consumers";
import { EnvironmentError } from "../support/environment-error.js";
import { HelpShown, parseArguments } from "./arguments.js";
import type { Call } from "./arguments.js";
import type { ExitStatus } from "./exit-status.js";
import { EXIT } from "./exit-status.js";
import { readOptionsFile } from "./options-file.js";
import type { Settings } from "./settings.js";
import { resolveSettings } from "./settings.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import { readVersion } from "./version.js";

const terminal: Terminal = {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  colours: process.stderr.isTTY && process.stdout.isTTY && process.env["NO_COLOR"] === undefined,
  variables: process.env,
  readInput: () => readStream(process.stdin),
};

// A reader that went away, such as `head`, is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<ExitStatus> {
  try {
    const call = parseArguments(words, { version: readVersion(), ...terminal });
    return await runCommand(call, readSettings(call));
  } catch (error: unknown) {
    return explainFailure(error);
  }
}

/** Loads no more than the command needs: a check of a small file must not wait for what only `albc run` uses. */
async function runCommand(call: Call, settings: Settings): Promise<ExitStatus> {
  switch (call.command) {
    case "render":
      return (await import("./commands/render.js")).runRender(call, settings, terminal);
    case "validate":
      return (await import("./commands/validate.js")).runValidate(call, settings, terminal);
    case "explain":
      return (await import("./commands/explain.js")).runExplain(call, settings, terminal);
    case "run":
      return (await import("./commands/run.js")).runRun(call, settings, terminal);
  }
}

function readSettings(call: Call): Settings {
  const name = call.config ?? process.env["ALBC_CONFIG"];
  const sources = { flags: call.flags, variables: process.env };
  if (name === undefined || name === "") return resolveSettings(sources);
  return resolveSettings({ ...sources, file: { name, contents: readOptionsFile(name) } });
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
