import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, fileError } from "./file-error.js";

/** Where nginx.conf has sockets of ours. */
const FOLDERS = ["control", "tmp"];

/** Removes sockets that a killed nginx has left: the next one could not listen there. Throws EnvironmentError. */
export async function removeSockets(folder: string): Promise<void> {
  for (const name of FOLDERS) {
    const path = join(folder, name);
    try {
      const sockets = (await readdir(path)).filter((file) => file.endsWith(".sock"));
      for (const socket of sockets) await rm(join(path, socket), { force: true });
    } catch (error: unknown) {
      if (errorCode(error) === "ENOENT") continue;
      throw fileError("remove sockets of", path, error);
    }
  }
}
