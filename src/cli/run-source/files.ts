import { FileController } from "../../controller/file-controller.js";
import { readSources } from "../../input/files.js";
import { compileOptions } from "../settings.js";
import { watchPaths } from "../watch-paths.js";
import type { Apply, RunContext, RunSource } from "./run-source.js";
import { fixedFiles } from "./run-source.js";

/** Manifests below the paths, and what becomes of them. */
export async function fileSource(context: RunContext, apply: Apply): Promise<RunSource> {
  const { call, settings, log, observer, terminal } = context;
  // Standard input can be read once only.
  const text = call.paths.includes("-") ? await terminal.readInput() : "";
  const controller = new FileController({
    options: compileOptions(settings),
    log,
    observer,
    readSources: () =>
      readSources(call.paths, { readInput: () => Promise.resolve(text), missing: "report" }),
    fixedFiles: await fixedFiles(settings),
    apply,
  });
  const watcher = await watchPaths(
    call.paths.filter((path) => path !== "-"),
    () => {
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
