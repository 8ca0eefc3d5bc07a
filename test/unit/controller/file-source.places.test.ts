/** Changes are read whatever happens to the named paths themselves, and however they are spelt. */
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeTempFolder, removeFolder } from "../../../e2e/harness/temp-folder.js";
import { waitFor } from "../../../e2e/harness/wait.js";
import { watchedFiles } from "../../support/watched-files.js";

let folder: string;
let files: ReturnType<typeof watchedFiles>;
/** Names of the ConfigMaps that were read last. */
let names = "";

function configMap(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
}

async function write(path: string, name: string): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), configMap(name));
}

async function start(...paths: readonly string[]): Promise<void> {
  const named = paths.map((path) => (path.startsWith("./") ? path : join(folder, path)));
  files = watchedFiles(named, ({ resources }) => {
    names = resources
      .list("ConfigMap")
      .map(({ metadata }) => metadata.name)
      .join();
  });
  await files.start();
}

async function untilRead(wanted: string): Promise<void> {
  await waitFor(`${wanted} is read`, () => names === wanted, { deadline: 5000 });
}

beforeEach(async () => {
  names = "";
  folder = await makeTempFolder();
});
afterEach(async () => {
  await files.close();
  await removeFolder(folder);
});

test("a folder that is replaced by another one, and files in that", async () => {
  await write("m/a.yaml", "one");
  await write("new/a.yaml", "two");
  await start("m");
  await untilRead("one");
  await rename(join(folder, "m"), join(folder, "old"));
  await rename(join(folder, "new"), join(folder, "m"));
  await untilRead("two");
  await delay(500);
  await write("m/a.yaml", "three");
  await untilRead("three");
});

test("a folder that is removed and made again", async () => {
  await write("m/a.yaml", "one");
  await start("m");
  await untilRead("one");
  await rm(join(folder, "m"), { recursive: true });
  await untilRead("");
  await write("m/a.yaml", "two");
  await untilRead("two");
  await delay(500);
  await write("m/a.yaml", "three");
  await untilRead("three");
});

test.each(["folder", "file"])("a link that leads to another %s", async (what) => {
  const target = (name: string): string => (what === "folder" ? name : `${name}/a.yaml`);
  await write("1/a.yaml", "one");
  await write("2/a.yaml", "two");
  await symlink(target("1"), join(folder, "current"));
  await start("current");
  await untilRead("one");
  await symlink(target("2"), join(folder, "next"));
  await rename(join(folder, "next"), join(folder, "current"));
  await untilRead("two");
  await delay(500);
  await write("2/a.yaml", "three");
  await untilRead("three");
});

test("a file that is removed and written again, beside a folder", async () => {
  await write("a.yaml", "one");
  await write("m/b.yaml", "two");
  await start("a.yaml", "m");
  await untilRead("one,two");
  await rm(join(folder, "a.yaml"));
  await untilRead("two");
  await delay(500);
  await write("a.yaml", "three");
  await untilRead("three,two");
  await write("a.yaml", "four");
  await untilRead("four,two");
});

test.each(["routes.conf", ".site.yaml", "a.yaml"])("a file that is named ./%s", async (name) => {
  await write(name, "one");
  await start(`./${relative(process.cwd(), join(folder, name))}`);
  await untilRead("one");
  for (const next of ["two", "three", "four"]) {
    await write(name, next);
    await untilRead(next);
  }
});

test("a folder whose files kept being moved is read again once they rest", async () => {
  await write("m/a.yaml", "one");
  await write("m/b.yaml", "two");
  await start("m");
  await untilRead("one,two");
  const rest = new AbortController();
  const moves = (async () => {
    for (let i = 0; !rest.signal.aborted; i++) {
      await write(`m/.hidden-${i % 2}`, "x");
      await rename(join(folder, `m/.hidden-${i % 2}`), join(folder, "m/.hidden"));
    }
  })();
  await write("m/c.yaml", "three");
  await delay(3000);
  rest.abort();
  await moves;
  // What is not known to be gone would stay.
  await write("m/a.yaml", "four");
  await untilRead("four,three,two");
});
