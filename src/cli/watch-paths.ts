import { basename } from "node:path";
import { watch } from "chokidar";
import type { FSWatcher } from "chokidar";

/** Watching has failed; changes may go unseen. */
export type WatchProblem = (error: Error) => void;

/**
 * Calls `changed` with its path whenever something at or below the paths was added, changed or removed, and resolves once every change is
 * seen. Hidden folders are passed over, but for the `..data` links by which Kubernetes swaps mounted config maps.
 */
export async function watchPaths(
  paths: readonly string[],
  changed: (path: string) => void,
  problem: WatchProblem,
): Promise<FSWatcher> {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path) => isHidden(basename(path)) && !paths.includes(path),
  });
  watcher.on("all", (_event, path) => {
    changed(path);
  });
  watcher.on("error", (error) => {
    problem(error instanceof Error ? error : new Error(String(error)));
  });
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
  });
  return watcher;
}

function isHidden(name: string): boolean {
  return name.startsWith(".") && !name.startsWith("..") && name !== ".";
}
