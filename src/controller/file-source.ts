/** Manifests in files: they are watched, and read again once they are written. What can't be read keeps its last good content. */
import { basename } from "node:path";
import type { FSWatcher } from "chokidar";
import { watch } from "chokidar";
import type { InputState } from "../input/last-good.js";
import { advance, initialInput } from "../input/last-good.js";
import type { Resources } from "../input/resources.js";
import type { Source } from "../input/source.js";
import type { CompileOptions } from "../options.js";
import { errorText } from "../support/error-text.js";
import type { Log } from "../support/log.js";
import type { CurrentObjects, ObjectSource } from "./controller.js";
import { untilWritten } from "./open-for-writing.js";

export interface FileSourceOptions {
  readonly options: CompileOptions;
  readonly log: Log;
  /** Files and folders that are watched. */
  readonly paths: readonly string[];
  readonly readSources: () => Promise<readonly Source[]>;
}

/** Milliseconds after which files are read although they go on changing. */
const LONGEST_WAIT = 2000;

export class FileSource implements ObjectSource {
  readonly #setup: FileSourceOptions;
  /** Since the files were read last. */
  readonly #changed = new Set<string>();
  #watcher: Promise<FSWatcher> | undefined;
  #input: InputState;
  #byOptions = true;

  constructor(setup: FileSourceOptions) {
    this.#setup = setup;
    this.#input = initialInput({ albGroup: setup.options.domains.group });
  }

  async start(notify: () => void): Promise<void> {
    const { paths, log } = this.#setup;
    this.#watcher = watchPaths(paths, {
      onChange: (path) => {
        this.#changed.add(path);
        notify();
      },
      onError: (reason) => {
        log.error({ reason }, "watching the files failed; changes may go unseen");
      },
    });
    await this.#watcher;
  }

  async read(): Promise<CurrentObjects> {
    await this.#untilSettled();
    const input = advance(this.#input, await this.#setup.readSources());
    this.#input = input.state;
    this.#reportLostAlbs(input.resources);
    return input;
  }

  async close(): Promise<void> {
    const watcher = await this.#watcher;
    await watcher?.close();
  }

  async #untilSettled(): Promise<void> {
    const end = performance.now() + LONGEST_WAIT;
    while (this.#changed.size > 0 && performance.now() < end) {
      const paths = [...this.#changed];
      this.#changed.clear();
      await untilWritten(paths);
    }
  }

  /** Whoever removes the last ALB2 takes its auth and its ports away from all Ingresses, perhaps by mistake. */
  #reportLostAlbs(resources: Resources): void {
    const { options, log } = this.#setup;
    const before = this.#byOptions;
    this.#byOptions = options.alb === "" && isWithoutAlb(resources);
    if (before || !this.#byOptions) return;
    const { httpPort, httpsPort } = options;
    log.warn(
      { httpPort, httpsPort },
      "the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth",
    );
  }
}

/** Nobody has written an ALB2, not even one that can't be read. */
function isWithoutAlb(resources: Resources): boolean {
  const isRefused = resources.refused.some(({ kind }) => kind === "ALB2");
  return resources.list("ALB2").length === 0 && !isRefused;
}

interface PathListener {
  /** Something at or below the paths was added, changed or removed. */
  readonly onChange: (path: string) => void;
  readonly onError: (reason: string) => void;
}

/**
 * Resolves once every change is seen. Hidden folders are ignored, except the `..data` links by which Kubernetes swaps mounted config
 * maps.
 */
async function watchPaths(
  paths: readonly string[],
  { onChange, onError }: PathListener,
): Promise<FSWatcher> {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path) => isHidden(basename(path)) && !paths.includes(path),
  });
  watcher.on("all", (_event, path) => {
    onChange(path);
  });
  watcher.on("error", (error) => {
    onError(errorText(error));
  });
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
  });
  return watcher;
}

function isHidden(name: string): boolean {
  return name.startsWith(".") && !name.startsWith("..") && name !== ".";
}
