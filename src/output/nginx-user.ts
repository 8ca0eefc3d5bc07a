import { readFile } from "node:fs/promises";
import { EnvironmentError } from "../support/environment-error.js";
import type { Owner } from "./file-writer.js";

/** Ids of the user whom nginx's workers run as; undefined when that is albc's own user. Throws EnvironmentError. */
export async function workerOwner(user: string): Promise<Owner | undefined> {
  if (user === "" || process.getuid?.() !== 0) return undefined;
  const accounts = await readFile("/etc/passwd", "utf8").catch(() => "");
  for (const line of accounts.split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name === user && uid !== undefined && gid !== undefined) {
      return { uid: Number(uid), gid: Number(gid) };
    }
  }
  throw new EnvironmentError(`the user ${user} of --nginx-user does not exist`);
}
