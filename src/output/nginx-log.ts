/** What nginx writes: the access log on standard output, and messages on standard error. */
import { constants, fstatSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { EnvironmentError } from "../support/errors.js";
import { own } from "../support/json-object.js";
import type { Log } from "../support/log.js";
import { fileError } from "./files.js";
import { withoutWildcard } from "./listens.js";

const STDOUT = 1;
/** In a folder that no worker of another user can enter: the master opens it as root. */
const PIPE = "control/stdout";

export interface LogPipe {
  /** To be passed to nginx as its standard output. */
  readonly stdout: number | "inherit";
  close(): void;
}

/**
 * nginx inherits albc's standard output if that is a file, a terminal or a pipe. A socket, as under systemd, can't be opened by name
 * (/dev/stdout), so nginx gets a named pipe in the run folder, and albc copies it by `write`.
 */
export async function openLogPipe(
  folder: string,
  write: (bytes: Uint8Array) => void,
): Promise<LogPipe> {
  if (!fstatSync(STDOUT).isSocket()) return { stdout: "inherit", close: () => undefined };
  return makeLogPipe(folder, write);
}

/** Makes the named pipe, whatever standard output is. */
export async function makeLogPipe(
  folder: string,
  write: (bytes: Uint8Array) => void,
): Promise<LogPipe> {
  const path = join(folder, PIPE);
  try {
    await rm(path, { force: true });
    await execa("mkfifo", ["-m", "600", path]);
    // It is also opened for writing, so that it does not end when an nginx ends.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const socket = new Socket({ fd, readable: true, writable: false });
    socket.on("data", write);
    return { stdout: fd, close: () => void socket.destroy() };
  } catch (error: unknown) {
    throw fileError("make a pipe for the access log at", path, error);
  }
}

// 2026/01/02 03:04:05 [error] 12#12: *7 message, client: …
const LOG_LINE = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[(\w+)\] \d+#\d+: (?:\*\d+ )?(.*)$/s;

const LEVELS: Readonly<Record<string, keyof Log>> = {
  ...{ emerg: "error", alert: "error", crit: "error" },
  ...{ error: "warn", warn: "warn", notice: "info", info: "info" },
};

/** Writes a line of nginx's error log to the log of albc. An error of nginx concerns one request, so it is a warning. */
export function logNginxLine(line: string, log: Log): void {
  const [, level = "warn", message = line] = LOG_LINE.exec(line) ?? [];
  const fields = { from: "nginx" };
  if (isBindAttempt(message) || isOfClosedShare(message)) {
    log.debug(fields, message);
    return;
  }
  log[own(LEVELS, level) ?? "debug"](fields, message);
}

/** The first failure in one or more lines of nginx's standard error, translated into one line that says what to do. */
export function nginxFailure(said: string): string {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const [message = lines.at(-1)] = lines.flatMap(failureOf);
  if (message === undefined) return "it ended without a word";
  return translateBind(message) ?? message;
}

/** Whether nginx gives up a reload with this line. It tries a port that is in use five times before it does. */
export function isFinalFailure(line: string): boolean {
  return failureOf(line).some((message) => !message.includes("failed (98:"));
}

/** Whether this line is one of many about a port that is in use: the failure that follows reports it once. */
export function isBindAttempt(message: string): boolean {
  return /^bind\(\) to \S+ failed \(98:|^still could not bind\(\)/.test(message);
}

/** The places that nginx could not listen on, for TCP or for UDP: `80`, `10.0.0.1:80`. */
export function unavailablePorts(said: string): readonly string[] {
  const places = said.split("\n").flatMap((line) => {
    const [message = ""] = failureOf(line);
    const [, place] = /^bind\(\) to (\S+) failed \((?:98|13|99):/.exec(message) ?? [];
    return place === undefined ? [] : withoutWildcard(place);
  });
  return [...new Set(places.filter((place) => /^\d+$|:\d+$/.test(place)))].sort();
}

/** Whether this line is about a connection to a backend that can't be used: nginx logs each, but a condition reports it once. */
export function isOfClosedShare(message: string): boolean {
  return message.includes('upstream: "unix:tmp/closed');
}

const LINE = /^(?:\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d|nginx:) \[(\w+)\] (?:\d+#\d+: )?(.*)$/;

/** A failure of our Lua in the master is as final as an invalid directive. */
function failureOf(line: string): readonly string[] {
  const [, level, message = ""] = LINE.exec(line) ?? [];
  return level === "emerg" || message.startsWith("init_by_lua error:") ? [message] : [];
}

function translateBind(message: string): string | undefined {
  const [, place = "", number = ""] =
    /^(?:bind|socket|listen)\(\) (?:to )?(\S+) failed \((\d+):/.exec(message) ?? [];
  switch (number) {
    case "98":
      return `${place} is in use by another process; end that, or choose another port`;
    case "13":
      return `${place} needs root, CAP_NET_BIND_SERVICE or the sysctl net.ipv4.ip_unprivileged_port_start; ports above 1023 do not (--http-port, --https-port)`;
    case "97":
      return `${place}: this machine has no IPv6; switch it off by --ipv6=false`;
    case "99":
      return `${place} is no address of this machine`;
    default:
      return undefined;
  }
}

/** nginx ended while it started. */
export class NginxNotStarted extends EnvironmentError {
  /** The ports that it could not listen on, for CompileOptions. */
  readonly unavailablePorts: readonly string[];

  constructor(message: string, unavailablePorts: readonly string[]) {
    super(message);
    this.unavailablePorts = unavailablePorts;
  }
}
