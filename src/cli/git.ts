/** Reads manifests from git's objects, without a work tree. */
import { execa } from "execa";
import type { Source } from "../input/documents.js";
import { isManifest } from "../input/files.js";
import { compareStrings } from "../support/collections.js";
import { EnvironmentError } from "../support/errors.js";

/**
 * The manifests of `REVISION:PATH` (gitrevisions(7)), a file or a folder, which are chosen as those of a folder on disk are. Undefined:
 * git knows no such revision or path. Throws EnvironmentError if git can't be run.
 */
export async function readRevision(name: string): Promise<readonly Source[] | undefined> {
  if (!/^[^-:][^:]*:/.test(name)) return undefined;
  const kind = await git(["cat-file", "-t", name]);
  if (kind === undefined) return undefined;
  if (kind.toString().trim() === "blob")
    return [sourceOf(name, await git(["cat-file", "blob", name]))];
  const list = (await git(["ls-tree", "-r", "-z", "--full-tree", name])) ?? Buffer.alloc(0);
  const entries = list.toString().split("\0").flatMap(manifestEntry);
  entries.sort((a, b) => compareStrings(a.path, b.path));
  const base = name.endsWith(":") ? name : `${name.replace(/\/+$/, "")}/`;
  const files = entries.filter(({ isLink }) => !isLink);
  const contents = await readBlobs(files.map(({ id }) => id));
  return [
    ...files.map(({ path }, i) => sourceOf(base + path, contents[i])),
    ...entries
      .filter(({ isLink }) => isLink)
      .map(({ path }) => ({ path: base + path, unreadable: "it is a link in a revision" })),
  ];
}

function manifestEntry(
  line: string,
): readonly { readonly id: string; readonly path: string; readonly isLink: boolean }[] {
  const [, mode = "", id = "", path = ""] = /^(\d+) blob (\w+)\t(.*)$/s.exec(line) ?? [];
  const isHidden = path.split("/").some((part) => part.startsWith("."));
  return path === "" || isHidden || !isManifest(path)
    ? []
    : [{ id, path, isLink: mode === "120000" }];
}

function sourceOf(path: string, contents: Buffer | undefined): Source {
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true }).decode(contents) };
  } catch {
    return { path, unreadable: "it is not UTF-8 text" };
  }
}

/** In the order of the ids. A blob follows a line with its id, type and size (git-cat-file(1), batch output). */
async function readBlobs(ids: readonly string[]): Promise<readonly Buffer[]> {
  if (ids.length === 0) return [];
  const output = (await git(["cat-file", "--batch"], ids.join("\n"))) ?? Buffer.alloc(0);
  const blobs: Buffer[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf("\n", at);
    const size = Number(output.subarray(at, end).toString().split(" ")[2]);
    blobs.push(output.subarray(end + 1, end + 1 + size));
    at = end + size + 2;
  }
  return blobs;
}

/** Undefined: git answers with an error. */
async function git(words: readonly string[], input = ""): Promise<Buffer | undefined> {
  const result = await execa("git", words, {
    input,
    encoding: "buffer",
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 2 ** 30,
  });
  if (result.exitCode === undefined) {
    throw new EnvironmentError(`git can't be run: ${result.shortMessage ?? "it ended"}`);
  }
  return result.exitCode === 0 ? Buffer.from(result.stdout) : undefined;
}
