import type { SecretText } from "../support/secret-text.js";

/** One file of the output, in memory. */
export interface RenderedFile {
  /** Relative to the output folder, `/` between parts; made of our own names and digests only. */
  readonly path: string;
  readonly contents: string | SecretText;
  /** 0o600 for what holds a secret, else 0o644. */
  readonly mode: 0o600 | 0o644;
}
