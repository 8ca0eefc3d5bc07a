import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { MissingPathError, readSources } from "../../../src/input/files.js";
import type { Source } from "../../../src/input/documents.js";
import { EnvironmentError } from "../../../src/support/errors.js";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "albc-files-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, contents: string | Buffer = name): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, contents);
  return path;
}

async function read(
  ...words: readonly (string | { readonly followLinks: boolean })[]
): Promise<readonly Source[]> {
  const paths = words.filter((word) => typeof word === "string");
  const { followLinks } = words.find((word) => typeof word === "object") ?? { followLinks: false };
  return readSources(paths, {
    readInput: async () => "from input",
    missing: "report",
    followLinks,
  });
}

/** Paths below the folder. */
async function names(...paths: readonly string[]): Promise<readonly string[]> {
  return (await read(...paths)).map((source) => source.path.replace(`${folder}/`, ""));
}

it("reads a file of any name", async () => {
  const path = write("manifest", "a: é");
  expect(await read(path)).toEqual([{ path, text: "a: é" }]);
});

it("reads folders recursively, sorted, without what is hidden or no manifest", async () => {
  for (const name of ["b.yaml", "a/z.json", "a/y.yml", "c.YAML", "notes.txt", ".hidden.yaml"]) {
    write(name);
  }
  write(".git/x.yaml");
  write("a-b.yaml");
  expect(await names(folder)).toEqual(["a/y.yml", "a/z.json", "a-b.yaml", "b.yaml", "c.YAML"]);
});

it("keeps the order of the paths and reads each file once", async () => {
  const b = write("b.yaml");
  write("a.yaml");
  symlinkSync("b.yaml", join(folder, "c.yaml"));
  expect(await names(b, folder, b, join(folder, "c.yaml"))).toEqual(["b.yaml", "a.yaml"]);
});

it("reads standard input once", async () => {
  expect(await read("-", "-")).toEqual([{ path: "<stdin>", text: "from input" }]);
});

it("follows links, as Kubernetes mounts config maps", async () => {
  write("..2026/a.yaml");
  symlinkSync("..2026", join(folder, "..data"));
  symlinkSync("..data/a.yaml", join(folder, "a.yaml"));
  expect(await names(folder)).toEqual(["a.yaml"]);
});

it("reads no device, pipe or file of the kernel, which might never end", async () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
  symlinkSync("pipe", join(folder, "linked.yaml"));
  write("z.yaml", "z");
  const unreadable = "it is no regular file";
  expect(await read(folder)).toEqual([
    { path: join(folder, "linked.yaml"), unreadable },
    { path: join(folder, "pipe.yaml"), unreadable },
    { path: join(folder, "z.yaml"), text: "z" },
  ]);
  for (const path of [join(folder, "pipe"), "/dev/zero", "/proc/kmsg"]) {
    expect(await read(path)).toEqual([{ path, unreadable }]);
  }
}, 5000);

it("follows no link out of a folder, unless it is told to", async () => {
  const outside = mkdtempSync(join(tmpdir(), "albc-outside-"));
  writeFileSync(join(outside, "secret.yaml"), "password");
  mkdirSync(join(folder, "in"));
  symlinkSync(join(outside, "secret.yaml"), join(folder, "in/file.yaml"));
  symlinkSync(outside, join(folder, "in/folder"));
  symlinkSync("/proc/kmsg", join(folder, "in/kernel.yaml"));
  const sources = await read(join(folder, "in"));
  expect(sources.map((source) => "unreadable" in source && source.unreadable)).toEqual(
    Array(3).fill(expect.stringContaining("leaves the folder")),
  );
  // A named path may be a link.
  expect(await names(join(folder, "in/file.yaml"), join(folder, "in/folder"))).toEqual([
    "in/file.yaml",
  ]);
  const followed = await read({ followLinks: true }, join(folder, "in"));
  expect(followed).toContainEqual({ path: join(folder, "in/file.yaml"), text: "password" });
  rmSync(outside, { recursive: true });
});

it("follows links to folders, and comes back from circles", async () => {
  write("d/a.yaml");
  symlinkSync("..", join(folder, "d/up"));
  symlinkSync("d", join(folder, "e"));
  expect(await names(folder)).toEqual(["d/a.yaml"]);
});

it("says what can't be read and why", async () => {
  write("utf16.yaml", Buffer.from("\ufeffa: 1", "utf16le"));
  write("latin1.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xe9]));
  symlinkSync("nowhere", join(folder, "link.yaml"));
  symlinkSync("circle.yaml", join(folder, "circle.yaml"));
  write("good.yaml");
  const sources = await read(folder);
  const reasons = sources.map((source) => ("unreadable" in source ? source.unreadable : "read"));
  expect(reasons).toEqual([
    "its links lead in a circle",
    "read",
    "it is not UTF-8 text",
    "it is a link to a file that does not exist",
    "it is UTF-16; save it as UTF-8",
  ]);
});

it("says what it may not read", async () => {
  const path = write("secret.yaml");
  chmodSync(path, 0);
  const [source] = await read(path);
  // The superuser may read everything.
  const expected =
    process.getuid?.() === 0 ? { text: "secret.yaml" } : { unreadable: "permission denied" };
  expect(source).toEqual({ path, ...expected });
});

it("leaves out the byte order mark", async () => {
  const path = write("a.yaml", "\ufeffa: 1");
  expect(await read(path)).toEqual([{ path, text: "a: 1" }]);
});

it("ends with an error when a named path does not exist, or reports it", async () => {
  const path = join(folder, "none");
  const options = { readInput: async () => "", missing: "fail", followLinks: false } as const;
  await expect(readSources([path], options)).rejects.toThrow(MissingPathError);
  await expect(readSources([path], options)).rejects.toThrow(EnvironmentError);
  await expect(readSources([path], options)).rejects.toThrow(`${path} does not exist`);
  expect(await read(path)).toEqual([{ path, absent: true }]);
});

it("reads an empty folder as nothing", async () => {
  expect(await read(folder)).toEqual([]);
});

describe("while files are renamed", () => {
  const FILES = 6;

  /** Renames them in turn, within the folder and to its subfolder and back, so many milliseconds apart. */
  function renaming(gap: number): Worker {
    const work = `
      const { renameSync } = require("node:fs");
      const { workerData: { folder, files, gap } } = require("node:worker_threads");
      const cell = new Int32Array(new SharedArrayBuffer(4));
      const at = Array.from({ length: files }, (_, i) => folder + "/f" + i + ".yaml");
      for (let n = 0; ; n++) {
        const i = n % files;
        const to = folder + (n % 3 === 0 ? "/sub/" : "/") + "f" + i + "-" + (n % 7) + ".yaml";
        renameSync(at[i], to);
        at[i] = to;
        Atomics.wait(cell, 0, 0, gap * (0.5 + Math.random()));
      }`;
    return new Worker(work, { eval: true, workerData: { folder, files: FILES, gap } });
  }

  it.each([
    [1, 2],
    [30, 40],
  ])("%d ms apart: none is missed without a word", async (gap, rounds) => {
    for (let i = 0; i < FILES; i++) write(`f${i}.yaml`, `text ${i}`);
    mkdirSync(join(folder, "sub"));
    const worker = renaming(gap);
    let whole = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        const sources = await read(folder);
        const texts = new Set(sources.flatMap((source) => ("text" in source ? source.text : [])));
        if (sources.some((source) => "unreadable" in source)) continue;
        expect(texts.size).toBe(FILES);
        whole++;
        await delay(Math.random() * gap);
      }
    } finally {
      await worker.terminate();
    }
    // Slower renames leave time to read; of others it may only be said that files were moved.
    if (gap > 1) expect(whole).toBeGreaterThan(0);
  });
});
