import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RenderedFile } from "../render/rendered-file.js";
import { fileError } from "./file-error.js";

/** The same from src/ and from dist/: lua/ stands beside either. */
const FOLDER = fileURLToPath(new URL("../../lua/", import.meta.url));

/**
 * The shipped Lua code as files below lua/, sorted. It goes into every run folder, so that the folder is all that an
 * nginx in another container needs. Throws EnvironmentError when the package is not whole.
 */
export async function luaBundle(): Promise<readonly RenderedFile[]> {
  try {
    const names = await readdir(FOLDER, { recursive: true });
    const modules = names.filter((name) => name.endsWith(".lua")).sort();
    return await Promise.all(
      modules.map(async (name) => ({
        path: `lua/${name}`,
        contents: await readFile(join(FOLDER, name), "utf8"),
        mode: 0o644 as const,
      })),
    );
  } catch (error: unknown) {
    throw fileError("read the Lua code of albc in", FOLDER, error);
  }
}
