import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, fileError } from "./file-error.js";

/** Where nginx.conf has sockets of ours. */
const FOLDERS = ["control", "tmp"];

/**
 * Removes sockets that nginx left when it was killed, or when a reload failed after it had opened them: it could not listen there
 * again. `live`: text of the nginx.conf whose sockets are in use. Throws EnvironmentError.
 */
export async function removeSockets(folder: string, live = ""): Promise<void> {
  for (const name of FOLDERS) {
    const path = join(folder, name);
    try {
      const sockets = (await readdir(path)).filter((file) => file.endsWith(".sock"));
      const left = sockets.filter((socket) => !live.includes(`unix:${name}/${socket}`));
      for (const socket of left) await rm(join(path, socket), { force: true });
    } catch (error: unknown) {
      if (errorCode(error) === "ENOENT") continue;
      throw fileError("remove sockets of", path, error);
    }
  }
}
