/** The files of the run folder, with a memory of what was written: it is as good as the disk, and quicker. */
import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RenderedFile } from "../render/rendered-file.js";
import { RenderedPolicy, contentsOf } from "../render/rendered-file.js";
import { sameElements } from "../support/collections.js";
import { fileError } from "./file-error.js";
import type { Owner } from "./file-writer.js";
import { changedFiles, removeStale, writeChanged } from "./file-writer.js";

export class WrittenFiles {
  readonly #folder: string;
  readonly #owner: Owner | undefined;
  /** By path; of a path that is not here the disk must be asked. */
  readonly #known = new Map<string, RenderedFile>();
  /** Of the last removal of what is stale. */
  #paths: readonly string[] | undefined;

  constructor(folder: string, owner: Owner | undefined) {
    this.#folder = folder;
    this.#owner = owner;
  }

  /** Those that are not on the disk as they should be. */
  async changed(files: readonly RenderedFile[]): Promise<readonly RenderedFile[]> {
    const changed: RenderedFile[] = [];
    for (const file of files) {
      const known = this.#known.get(file.path);
      const isThere =
        known === undefined
          ? (await changedFiles(this.#folder, [file])).length === 0
          : isEqual(known, file);
      if (isThere) this.#known.set(file.path, file);
      else changed.push(file);
    }
    return changed;
  }

  /** Makes the disk hold these files, synced, in this order. Throws EnvironmentError at the first that can't be written. */
  async write(files: readonly RenderedFile[]): Promise<void> {
    const changed = await this.changed(files);
    for (const { path } of changed) this.#known.delete(path);
    await writeChanged(this.#folder, changed, { owner: this.#owner, sync: true });
    for (const file of changed) this.#known.set(file.path, file);
  }

  /** Removes files of ours that are not among these. */
  async keepOnly(files: readonly RenderedFile[]): Promise<void> {
    const paths = files.map(({ path }) => path);
    if (this.#paths !== undefined && sameElements(this.#paths, paths)) return;
    this.#paths = undefined;
    const kept = new Set(paths);
    for (const path of this.#known.keys()) if (!kept.has(path)) this.#known.delete(path);
    await removeStale(this.#folder, files);
    this.#paths = paths;
  }
}

/** The text of a policy is not made to compare it: its version says as much. */
function isEqual(a: RenderedFile, b: RenderedFile): boolean {
  if (a.contents === b.contents) return a.mode === b.mode;
  if (a.contents instanceof RenderedPolicy && b.contents instanceof RenderedPolicy) {
    return a.contents.version === b.contents.version;
  }
  return a.mode === b.mode && contentsOf(a) === contentsOf(b);
}

/**
 * Remembers on the disk, for an albc that follows one that was killed, that nginx has loaded what lies there of the files that it reads
 * at a reload only. Without the mark nobody knows, and one reload more makes sure.
 */

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
