import type { Closable } from "../harness/scene.js";

/** Something that is measured: a proxy that is up and configured. */
export interface Subject extends Closable {
  readonly name: string;
  /** Rules that it was configured with, and that the requests are spread over. */
  readonly rules: number;
  readonly port: number;
  /** The processes whose time counts. */
  readonly pids: readonly number[];
  /** Value of the Authorization header that its requests carry. */
  readonly authorization?: string;
}
