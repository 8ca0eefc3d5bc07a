import { EnvironmentError } from "../support/environment-error.js";

/** nginx ended at its start. */
export class NginxNotStarted extends EnvironmentError {
  /** What it could not listen on, as CompileOptions has it. */
  readonly unavailablePorts: readonly string[];

  constructor(message: string, unavailablePorts: readonly string[]) {
    super(message);
    this.unavailablePorts = unavailablePorts;
  }
}
