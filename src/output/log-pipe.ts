/** Standard output for nginx's access log: nginx opens it by name (/dev/stdout), which no socket allows. */
import { constants, fstatSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { fileError } from "./file-error.js";

const STDOUT = 1;
const PIPE = "tmp/stdout";

export interface LogPipe {
  /** For the standard output of nginx. */
  readonly stdout: number | "inherit";
  close(): void;
}

/**
 * nginx gets albc's own standard output if that is a file, a terminal or a pipe. Where it is a socket, as under systemd,
 * nginx gets a named pipe in the run folder, and albc passes on by `write` what comes through it.
 */
export async function openLogPipe(
  folder: string,
  write: (bytes: Uint8Array) => void,
): Promise<LogPipe> {
  if (!fstatSync(STDOUT).isSocket()) return { stdout: "inherit", close: () => undefined };
  return makeLogPipe(folder, write);
}

/** The named pipe, whatever standard output is. */
export async function makeLogPipe(
  folder: string,
  write: (bytes: Uint8Array) => void,
): Promise<LogPipe> {
  const path = join(folder, PIPE);
  try {
    await rm(path, { force: true });
    await execa("mkfifo", ["-m", "600", path]);
    // Open for writing too: then it does not end when an nginx does.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const socket = new Socket({ fd, readable: true, writable: false });
    socket.on("data", write);
    return { stdout: fd, close: () => void socket.destroy() };
  } catch (error: unknown) {
    throw fileError("make a pipe for the access log at", path, error);
  }
}
