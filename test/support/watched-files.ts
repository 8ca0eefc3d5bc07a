import { Batcher } from "../../src/controller/batcher.js";
import { FileSource } from "../../src/controller/file-source.js";
import { SourceFiles } from "../../src/input/files.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Paths as `albc run` reads and watches them, but nothing is compiled: `onRead` gets each reading. */
export function watchedFiles(
  paths: readonly string[],
  onRead: (reading: Awaited<ReturnType<FileSource["read"]>>) => void,
) {
  const files = new SourceFiles(paths, {
    readInput: () => Promise.resolve(""),
    missing: "report",
    followLinks: false,
  });
  const source = new FileSource({
    options: DEFAULT_OPTIONS,
    log,
    paths,
    readSources: (changed, canEdit) => files.read(changed, canEdit),
  });
  const read = async (): Promise<void> => {
    onRead(await source.read());
  };
  const batcher = new Batcher({
    ...{ quietDelay: 20, maximumDelay: 100, firstDelay: 5 },
    handle: read,
  });
  return {
    /** Reads them, then watches them. */
    async start(): Promise<void> {
      await read();
      await source.start(() => {
        batcher.notify();
      });
    },
    async close(): Promise<void> {
      await batcher.close();
      await source.close();
    },
  };
}
