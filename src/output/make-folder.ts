import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorCode } from "./file-error.js";

/**
 * Makes a folder and those that lead to it; gives the first that was not there, undefined when all were. Node's recursive mkdir
 * never ends where the kernel says that the parent is missing though it is not, as below /proc.
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
