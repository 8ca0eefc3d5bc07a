/** Files that are renamed while they are read lose no object: what they protect would be open for as long. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeTempFolder, removeFolder } from "../../../e2e/harness/temp-folder.js";
import { waitFor } from "../../../e2e/harness/wait.js";
import { watchedFiles } from "../../support/watched-files.js";

const FILES = 8;
let folder: string;
let files: ReturnType<typeof watchedFiles>;
let removed: string[] = [];
/** Of the last reading. */
let served = { objects: 0, diagnostics: 0 };

beforeEach(async () => {
  folder = await makeTempFolder();
  removed = [];
  files = watchedFiles([folder], ({ changed, objects, diagnostics }) => {
    removed.push(...changed.flatMap((each) => (each.removed ? each.name : [])));
    served = { objects, diagnostics: diagnostics.length };
  });
});
afterEach(async () => {
  await files.close();
  await removeFolder(folder);
});

test.each([
  [0, 1200],
  [2, 600],
  [20, 120],
])(
  "renamed %d ms apart",
  async (gap, times) => {
    const at = Array.from({ length: FILES }, (_, i) => join(folder, `f${i}.yaml`));
    await mkdir(join(folder, "sub"));
    for (const [i, path] of at.entries()) {
      const metadata = { name: `s${i}`, namespace: "default" };
      const spec = { ports: [{ port: 80 }] };
      await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "Service", metadata, spec }));
    }
    await files.start();

    for (let n = 0; n < times; n += 1) {
      const i = n % FILES;
      const to = join(folder, n % 3 === 0 ? "sub" : "", `f${i}-${n % 7}.yaml`);
      await rename(at[i] ?? "", to);
      at[i] = to;
      await delay(gap * (0.5 + Math.random()));
    }

    await waitFor("all is read", () => served.objects === FILES && served.diagnostics === 0);
    expect(removed).toEqual([]);
  },
  20_000,
);
