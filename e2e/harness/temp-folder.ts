import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new empty folder; short, because the path of a unix socket may have 107 bytes only. */
export async function makeTempFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "albc-e2e-"));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
