import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import { own } from "../support/json-object.js";

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the path is too long",
  EMFILE: "too many open files",
  ENFILE: "too many open files on this machine",
  EIO: "the disk reports an error",
};

/** An error of the operating system about a path, in one line: `can't write out/policy.json: the disk is full`. */
export function fileError(action: string, path: string, cause: unknown): EnvironmentError {
  const code = errorCode(cause);
  return new EnvironmentError(
    `can't ${action} ${path}: ${own(REASONS, code) ?? errorText(cause)}`,
    { cause },
  );
}

/** The `code` of a system error, such as ENOENT; empty for any other value. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileError("read", path, error);
  }
}

/**
 * Makes a folder and its parents; returns the topmost one that it made. Node's recursive mkdir never ends if the kernel reports a missing
 * parent that exists, as below /proc.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  const folder = resolve(path);
  const outcome = await makeOne(folder, mode);
  if (outcome !== "no parent") return outcome === "made" ? folder : undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : await makeFolders(parent, mode);
  switch (await makeOne(folder, mode)) {
    case "made":
      return first ?? folder;
    case "there":
      return first;
    case "no parent":
      throw new Error(`${parent} takes no new folders`);
  }
}

async function makeOne(folder: string, mode: number): Promise<"made" | "there" | "no parent"> {
  try {
    await mkdir(folder, mode);
    return "made";
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return "no parent";
    if (errorCode(error) === "EEXIST" && (await stat(folder)).isDirectory()) return "there";
    throw error;
  }
}
