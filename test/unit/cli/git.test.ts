import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRevision } from "../../../src/cli/git.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const home = process.cwd();

beforeEach(() => {
  process.chdir(folder());
  mkdirSync("deploy/.hidden", { recursive: true });
  writeFileSync("deploy/b.yaml", "b: é\n");
  writeFileSync("deploy/a.json", "{}");
  writeFileSync("deploy/notes.txt", "");
  writeFileSync("deploy/binary.yaml", Buffer.from([0xff, 0xfe]));
  writeFileSync("deploy/.hidden/c.yaml", "");
  symlinkSync("b.yaml", "deploy/link.yaml");
  const git = (...words: string[]): void => void execFileSync("git", words, { stdio: "ignore" });
  git("init", "--initial-branch=main");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@a.example", "commit", "--message=a");
  writeFileSync(join("deploy", "b.yaml"), "b: changed\n");
});

afterEach(() => {
  process.chdir(home);
});

test("a folder has the manifests of the revision", async () => {
  expect(await readRevision("main:deploy")).toEqual([
    { path: "main:deploy/a.json", text: "{}" },
    { path: "main:deploy/b.yaml", text: "b: é\n" },
    { path: "main:deploy/binary.yaml", unreadable: "it is not UTF-8 text" },
    { path: "main:deploy/link.yaml", unreadable: "it is a link in a revision" },
  ]);
});

test("a file, and the whole tree", async () => {
  expect(await readRevision("HEAD:deploy/b.yaml")).toEqual([
    { path: "HEAD:deploy/b.yaml", text: "b: é\n" },
  ]);
  expect((await readRevision("HEAD:"))?.map(({ path }) => path)).toContain("HEAD:deploy/a.json");
});

test.each(["HEAD:missing", "nope:deploy", "--help:x", "deploy"])("%s is none", async (name) => {
  expect(await readRevision(name)).toBeUndefined();
});
