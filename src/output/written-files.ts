/** The files of the run folder, written again and again. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { type RenderedFile, RenderedPolicy, contentsOf } from "../render/rendered-file.js";
import { sameElements } from "../support/collections.js";
import { changedFiles, removeStale, writeChanged } from "./files.js";

/** Bytes of changes that may follow a policy.json of any size. */
const MOST_APPENDED = 1024 * 1024;
/** The same as a part of the file: a start of nginx reads all of them. */
const APPENDED_PART = 1 / 4;

/** What follows policy.json (docs/policy-format.md). The digest tells a change that was written in part, such as by a power failure. */
function changeRecord(change: string): string {
  return `${change}albc-end ${createHash("md5").update(change).digest("hex")}\n`;
}

/** False: the file is not `length` bytes long, so something else has written to it, and nginx might not read what follows. */
async function appendTo(path: string, length: number, text: string): Promise<boolean> {
  const handle = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    if ((await handle.stat()).size !== length) return false;
    await handle.appendFile(text);
    await handle.datasync();
    return true;
  } finally {
    await handle.close();
  }
}

/** The files of the run folder. Remembers what was written, which is as reliable as reading the disk, and faster. */
export class WrittenFiles {
  readonly #folder: string;
  readonly #group: number | undefined;
  /** By path; unknown paths are read from the disk. */
  readonly #known = new Map<string, RenderedFile>();
  /** Bytes of the document in policy.json and of the changes that follow it, if its contents are known. */
  #document = 0;
  #appended = 0;
  /** Paths at the last removal of stale files. */
  #paths: readonly string[] | undefined;

  /** `group`: see writeChanged. */
  constructor(folder: string, group: number | undefined) {
    this.#folder = folder;
    this.#group = group;
  }

  /** The files that differ from those on the disk. */
  async changed(files: readonly RenderedFile[]): Promise<readonly RenderedFile[]> {
    const changed: RenderedFile[] = [];
    for (const file of files) {
      const known = this.#known.get(file.path);
      const isThere =
        known === undefined
          ? (await changedFiles(this.#folder, [file])).length === 0
          : isEqual(known, file);
      if (!isThere) changed.push(file);
      else if (known === undefined) this.#know(file);
      else this.#known.set(file.path, file);
    }
    return changed;
  }

  /** Writes what differs, in this order, and syncs it. Throws EnvironmentError at the first file that can't be written. */
  async write(files: readonly RenderedFile[]): Promise<void> {
    const changed = await this.changed(files);
    for (const { path } of changed) this.#known.delete(path);
    await writeChanged(this.#folder, changed, { group: this.#group, sync: true });
    for (const file of changed) this.#know(file);
  }

  /**
   * The same for policy.json. If the file has the policy of the version `from`, `change`, the body of policyDelta from it, is appended: that
   * takes a few milliseconds, a whole file of thousands of routes hundreds. Long changes, and many, replace the file.
   */
  async writePolicy(file: RenderedFile, change: string, from: string): Promise<void> {
    const known = this.#known.get(file.path);
    if (known !== undefined && isEqual(known, file)) return;
    const record = changeRecord(change);
    const appended = this.#appended + Buffer.byteLength(record);
    if (known === undefined || !isPolicyOf(known, from) || appended > mostAppended(file)) {
      await this.write([file]);
      return;
    }
    // Until it succeeds the file may have a part of it, so that the next write replaces the file.
    this.#known.delete(file.path);
    const length = this.#document + this.#appended;
    const path = join(this.#folder, file.path);
    if (!(await appendTo(path, length, record).catch(() => false))) {
      await this.write([file]);
      return;
    }
    this.#appended = appended;
    this.#known.set(file.path, file);
  }

  /** The disk has exactly this file. */
  #know(file: RenderedFile): void {
    this.#known.set(file.path, file);
    if (file.contents instanceof RenderedPolicy) {
      this.#document = file.contents.size;
      this.#appended = 0;
    }
  }

  /** Removes our files that are not among these. */
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

function isPolicyOf({ contents }: RenderedFile, version: string): boolean {
  return contents instanceof RenderedPolicy && contents.version === version;
}

function mostAppended({ contents }: RenderedFile): number {
  const size = contents instanceof RenderedPolicy ? contents.size : 0;
  return Math.max(MOST_APPENDED, size * APPENDED_PART);
}

/** Policies are compared by version, because building their text is expensive. */
function isEqual(a: RenderedFile, b: RenderedFile): boolean {
  if (a.contents === b.contents) return a.mode === b.mode;
  if (a.contents instanceof RenderedPolicy && b.contents instanceof RenderedPolicy) {
    return a.contents.version === b.contents.version;
  }
  return a.mode === b.mode && contentsOf(a) === contentsOf(b);
}
