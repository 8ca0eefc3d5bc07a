import type { KeyPair } from "../harness/certificates.js";
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

/** What a proxy does besides its rules. */
export interface ProxyOptions {
  /** Listens for TLS, HTTP/1.1 and HTTP/2, with a certificate for every host. */
  readonly tls?: KeyPair | undefined;
  /** Workers or threads, on all processors if there are several; default one, on the processor of what is measured. */
  readonly workers?: number | undefined;
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
