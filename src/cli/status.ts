import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { visible } from "../explain/format.js";
import { readPolicyFile } from "../explain/read-policy.js";
import { type PolicySummary, summaryOf } from "../explain/summary.js";
import { type DataPlaneStatus, ControlClient } from "../output/control-client.js";
import { readIfThere } from "../output/files.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import type { CallOf } from "./arguments.js";
import { type ExitStatus, type Terminal, EXIT } from "./terminal.js";

/** Milliseconds between two looks of `--watch`. */
const INTERVAL = 2000;
/** Columns of the table. */
const WIDTH = 80;
/** Lines of each list. */
const MOST_SHOWN = 10;

interface Status extends PolicySummary {
  readonly version: string;
  readonly workers?: DataPlaneStatus["workers"];
  readonly expected?: number;
  /** Why nginx can't be asked. */
  readonly problem?: string;
}

/** `albc status`: what the nginx of a folder serves. The exit status is 1 if something is broken, or if not every worker serves the policy. */
export async function runStatus(call: CallOf<"status">, terminal: Terminal): Promise<ExitStatus> {
  for (;;) {
    const status = await readStatus(call.folder);
    const text =
      call.format === "json" ? `${JSON.stringify(status, null, 2)}\n` : formatStatus(status);
    terminal.write(call.watch ? `\u001b[H\u001b[2J${text}` : text);
    if (!call.watch) return isHealthy(status) ? EXIT.fine : EXIT.inputErrors;
    await pause(INTERVAL);
  }
}

async function readStatus(folder: string): Promise<Status> {
  const path = join(folder, "policy.json");
  const text = await readIfThere(path);
  if (text === undefined) throw new EnvironmentError(`${path} does not exist; name a run folder`);
  const policy = readPolicyFile(text);
  if (!policy.ok) throw new EnvironmentError(`${path} can't be used: ${policy.problem}`);
  const known = { ...summaryOf(policy.value), version: policy.value.version };
  try {
    const { workers, expected } = await new ControlClient(folder).status();
    return { ...known, workers, expected };
  } catch (error: unknown) {
    return { ...known, problem: errorText(error) };
  }
}

function isHealthy({ broken, workers = [], expected, version }: Status): boolean {
  const current = workers.filter((worker) => worker.version === version).length;
  return broken.length === 0 && current === expected;
}

export function formatStatus(status: Status): string {
  const { listeners, routes, protectedRoutes, upstreams, endpoints, empty, broken } = status;
  const lines = [
    `policy     ${status.version}`,
    ...workerLines(status),
    `routes     ${String(routes)}, ${String(protectedRoutes)} with auth of their own`,
    `upstreams  ${String(upstreams)} with ${String(endpoints)} endpoints`,
    "",
    "PORT   SCHEME  NAMES    BINDINGS  LISTENERS",
    ...listeners.map(({ port, tls, names, bindings, hosts }) => {
      const scheme = tls ? "https" : "http";
      const shown = hosts.map((host) => (host === "" ? "any" : host)).join(" ");
      return `${String(port).padEnd(6)} ${scheme.padEnd(7)} ${String(names).padEnd(8)} ${String(bindings).padEnd(9)} ${shown}`;
    }),
    ...list(
      "BROKEN",
      broken.map(({ object, reason }) => `${object}: ${reason}`),
    ),
    ...list("WITHOUT ENDPOINTS", empty),
  ];
  return lines.map((line) => `${fitted(visible(line))}\n`).join("");
}

function workerLines({ workers = [], expected = 0, version, problem }: Status): readonly string[] {
  if (problem !== undefined) return [`workers    unknown: ${problem}`];
  const old = workers.filter((worker) => worker.version !== version);
  return [
    `workers    ${String(workers.length - old.length)} of ${String(expected)} serve it`,
    ...old.map(({ pid, version: other }) => `           pid ${String(pid)} serves ${other}`),
  ];
}

function list(title: string, entries: readonly string[]): readonly string[] {
  if (entries.length === 0) return [];
  const more = entries.length - MOST_SHOWN;
  return [
    "",
    `${title} (${String(entries.length)})`,
    ...entries.slice(0, MOST_SHOWN).map((entry) => `  ${entry}`),
    ...(more > 0 ? [`  and ${String(more)} more`] : []),
  ];
}

function fitted(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
