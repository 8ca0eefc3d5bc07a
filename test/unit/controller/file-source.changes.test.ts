/** Every change of a file is read, however soon it follows another one. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FileSource } from "../../../src/controller/file-source.js";
import { DEFAULT_OPTIONS } from "../../../src/model/options.js";
import { makeTempFolder, removeFolder } from "../../../e2e/harness/temp-folder.js";
import { waitFor } from "../../../e2e/harness/wait.js";

/** Milliseconds between a change that is heard and the reading: what the controller waits for more. */
const QUIET = 40;
const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let source: FileSource;
let read: string | undefined;

/** As most programs replace a file: the new one is moved over the old one. */
async function replace(text: string): Promise<void> {
  await writeFile(join(folder, ".new"), text);
  await rename(join(folder, ".new"), join(folder, "a.yaml"));
}

beforeEach(async () => {
  folder = await makeTempFolder();
  await replace("");
  source = new FileSource({
    options: DEFAULT_OPTIONS,
    log,
    paths: [folder],
    readSources: async () => {
      read = await readFile(join(folder, "a.yaml"), "utf8");
      return [];
    },
  });
  await source.start(() => {
    setTimeout(() => void source.read(), QUIET);
  });
});
afterEach(async () => {
  await source.close();
  await removeFolder(folder);
});

test.each([
  ["replaced", replace],
  ["written", async (text: string) => writeFile(join(folder, "a.yaml"), text)],
])("when a file is %s twice", async (_, change) => {
  for (let between = QUIET; between < QUIET + 12; between++) {
    await change(`# first, ${between} ms\n`);
    await delay(between);
    const last = `# second, ${between} ms\n`;
    await change(last);
    await waitFor(`it is read, ${between} ms after the first`, () => read === last, {
      deadline: 2000,
    });
    await delay(60);
  }
});
