import { readFile } from "node:fs/promises";
import { EnvironmentError } from "../support/environment-error.js";
import { errorText } from "../support/error-text.js";
import { own } from "../support/own.js";

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

/** What the operating system said about a path, as one sentence: `can't write out/policy.json: the disk is full`. */
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

/** The text of a file; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error: unknown) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw fileError("read", path, error);
  }
}
