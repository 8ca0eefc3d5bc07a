/** Compiles src/ into dist/ once for all end-to-end tests, unless that has been done since the last change. */
import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));

async function build(): Promise<void> {
  if (await isFresh()) return;
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  try {
    await run(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: repository });
  } catch (error: unknown) {
    const { stdout } = error as { stdout?: string };
    throw new Error(`src/ does not compile:\n${stdout ?? ""}`, { cause: error });
  }
}

async function isFresh(): Promise<boolean> {
  const built = await stat(join(repository, "dist/cli/main.js")).catch(() => undefined);
  if (!built) return false;
  const files = await readdir(join(repository, "src"), { recursive: true, withFileTypes: true });
  const times = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).mtimeMs),
  );
  return times.every((time) => time < built.mtimeMs);
}

// jest takes the default export.
export { build as default };
