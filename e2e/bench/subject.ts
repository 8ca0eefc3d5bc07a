import type { Closable } from "../harness/scene.js";

/** A proxy that is up and configured. */
export interface Subject extends Closable {
  readonly port: number;
  /** The processes whose time counts. */
  readonly pids: readonly number[];
  /** Others of it that do something by themselves. */
  readonly helpers?: readonly number[];
  /** Value of the Authorization header that its requests carry. */
  readonly authorization?: string | undefined;
}

/** Stops everything that it does: even idle workers wake many times a second. */
export function pause(subject: Subject): void {
  signal(subject, "SIGSTOP");
}

export function resume(subject: Subject): void {
  signal(subject, "SIGCONT");
}

function signal({ pids, helpers = [] }: Subject, name: NodeJS.Signals): void {
  for (const pid of [...pids, ...helpers]) process.kill(pid, name);
}
