import { FileController } from "../../controller/file-controller.js";
import { readSources } from "../../input/files.js";
import { untilWritten } from "../open-for-writing.js";
import { watchPaths } from "../watch-paths.js";
import type { Apply, RunContext, RunSource } from "./run-source.js";
import { fixedFiles, runOptions } from "./run-source.js";

/** Milliseconds after which files are read although they go on changing. */
const LONGEST_WAIT = 2000;

/** Manifests below the paths, and what becomes of them. */
export async function fileSource(context: RunContext, apply: Apply): Promise<RunSource> {
  const { call, settings, log, observer, terminal } = context;
  // Standard input can be read once only.
  const text = call.paths.includes("-") ? await terminal.readInput() : "";
  /** Since they were read last. */
  const changed = new Set<string>();
  const controller = new FileController({
    options: runOptions(context),
    log,
    observer,
    readSources: async () => {
      await untilSettled(changed);
      return readSources(call.paths, {
        readInput: () => Promise.resolve(text),
        missing: "report",
        followLinks: settings.switch("followLinks"),
      });
    },
    fixedFiles: await fixedFiles(context),
    apply,
  });
  const watcher = await watchPaths(
    call.paths.filter((path) => path !== "-"),
    (path) => {
      changed.add(path);
      controller.notify();
    },
    (error) => {
      log.error({ reason: error.message }, "watching the files failed; changes may go unseen");
    },
  );
  return {
    controller,
    start: () => Promise.resolve(),
    close: async () => {
      await watcher.close();
      await controller.close();
    },
  };
}

/** Empties the set; others add to it meanwhile. */
async function untilSettled(changed: Set<string>): Promise<void> {
  const end = performance.now() + LONGEST_WAIT;
  while (changed.size > 0 && performance.now() < end) {
    const paths = [...changed];
    changed.clear();
    await untilWritten(paths);
  }
}
