/**
 * Remembers on the disk, for an albc that follows one that was killed, that nginx has loaded what lies there of the files that it reads
 * at a reload only. Without the mark nobody knows, and one reload more makes sure.
 */
import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "./file-error.js";

const MARK = "control/loaded";

export class LoadedMark {
  readonly #path: string;
  #isSet: boolean | undefined;

  /** `folder`: the run folder. */
  constructor(folder: string) {
    this.#path = join(folder, MARK);
  }

  async isSet(): Promise<boolean> {
    this.#isSet ??= await access(this.#path).then(
      () => true,
      () => false,
    );
    return this.#isSet;
  }

  /** A mark that can't be written costs a reload at the next start. */
  async set(): Promise<void> {
    this.#isSet = true;
    await writeFile(this.#path, "", { mode: 0o600 }).catch(() => undefined);
  }

  /** Before the files are touched. Throws EnvironmentError. */
  async clear(): Promise<void> {
    this.#isSet = false;
    await rm(this.#path, { force: true }).catch((error: unknown) => {
      throw fileError("remove", this.#path, error);
    });
  }
}
