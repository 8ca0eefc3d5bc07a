import type { SecretText } from "../support/secret-text.js";
import type { RenderedPolicy } from "./rendered-policy.js";

/** One file of the output, in memory. */
export interface RenderedFile {
  /** Relative to the output folder, `/` between parts; made of our own names and digests only. */
  readonly path: string;
  /** Text, or what makes it when it is asked to `reveal` it. */
  readonly contents: string | SecretText | RenderedPolicy;
  /** 0o600 for what holds a secret (0o640 where nginx is in our group), else 0o644. */
  readonly mode: 0o600 | 0o640 | 0o644;
  /** Of what nginx reads at a reload: a change of it alone may wait for one. */
  readonly patient?: true;
}

/** The text of a file in pieces, for those who write it. */
export function chunksOf({ contents }: RenderedFile): Iterable<string> {
  if (typeof contents === "string") return [contents];
  return "chunks" in contents ? contents.chunks() : [contents.reveal()];
}

/** The text of a file; it is asked for by those who have to write or compare it. */
export function contentsOf({ contents }: RenderedFile): string {
  return typeof contents === "string" ? contents : contents.reveal();
}
