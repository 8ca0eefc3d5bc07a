import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { changedFiles, removeStale, writeChanged, writeFiles } from "../../../src/output/files.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";
import { WrittenFiles } from "../../../src/output/written-files.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { SecretText } from "../../../src/support/secret-text.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

const file = (path: string, contents = "text\n"): RenderedFile => ({ path, contents, mode: 0o644 });
const secret = (path: string, contents = "secret\n"): RenderedFile => ({
  path,
  contents: new SecretText(contents),
  mode: 0o600,
});
const at = (path: string) => join(folder(), path);
const modeOf = (path: string) => (statSync(at(path)).mode & 0o777).toString(8);

function put(path: string, text = ""): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

test("files are written with their contents and modes, in folders that are made", async () => {
  await writeFiles(folder(), [
    file("nginx.conf"),
    secret("credentials/a.json"),
    file("lua/a/b.lua"),
  ]);
  expect(readFileSync(at("nginx.conf"), "utf8")).toBe("text\n");
  expect(readFileSync(at("credentials/a.json"), "utf8")).toBe("secret\n");
  expect(["nginx.conf", "credentials/a.json", "credentials", "lua/a/b.lua"].map(modeOf)).toEqual([
    "644",
    "600",
    "700",
    "644",
  ]);
  expect(readdirSync(folder(), { recursive: true }).sort()).toEqual(
    ["credentials", "credentials/a.json", "lua", "lua/a", "lua/a/b.lua", "nginx.conf"].sort(),
  );
});

test("the mode does not depend on the umask", async () => {
  const before = process.umask(0o077);
  try {
    await writeFiles(folder(), [file("nginx.conf")]);
  } finally {
    process.umask(before);
  }
  expect(modeOf("nginx.conf")).toBe("644");
});

test("only what differs is written", async () => {
  await writeFiles(folder(), [file("a", "1"), file("b", "1")]);
  const untouched = statSync(at("a")).ino;
  const replaced = statSync(at("b")).ino;
  await writeFiles(folder(), [file("a", "1"), file("b", "2")]);
  expect(statSync(at("a")).ino).toBe(untouched);
  expect(statSync(at("b")).ino).not.toBe(replaced);
  expect(readFileSync(at("b"), "utf8")).toBe("2");
});

test("a file whose mode was changed counts as changed, and is mended", async () => {
  const files = [secret("credentials/a.json")];
  await writeFiles(folder(), files);
  expect(await changedFiles(folder(), files)).toEqual([]);
  chmodSync(at("credentials/a.json"), 0o644);
  expect(await changedFiles(folder(), files)).toEqual(files);
  await writeFiles(folder(), files);
  expect(modeOf("credentials/a.json")).toBe("600");
});

test("a file is replaced, so who has the old one open keeps it whole", async () => {
  await writeFiles(folder(), [file("a", "old")]);
  const link = at("kept");
  linkSync(at("a"), link);
  await writeFiles(folder(), [file("a", "new")]);
  expect(readFileSync(link, "utf8")).toBe("old");
});

test("what an interrupted run left beside is replaced, and never followed", async () => {
  put("elsewhere", "untouched");
  symlinkSync(at("elsewhere"), at("nginx.conf.albc-new"));
  await writeFiles(folder(), [file("nginx.conf", "new")]);
  expect(readFileSync(at("elsewhere"), "utf8")).toBe("untouched");
  expect(readFileSync(at("nginx.conf"), "utf8")).toBe("new");
  expect(existsSync(at("nginx.conf.albc-new"))).toBe(false);
});

test("stale files are removed from our own folders alone", async () => {
  const digest = "0".repeat(32);
  for (const path of [
    `certificates/${digest}.pem`,
    "lua/alb/old/x.lua",
    "lua/alb/old.lua.albc-new",
  ])
    put(path);
  const others = ["README", "certificates/ca.pem", "credentials/x.json", "lua/app.lua"];
  for (const path of [...others, "notes/credentials/mine", "logs/access.log"]) put(path);
  await writeFiles(folder(), [secret("certificates/new.pem"), file("lua/alb/new.lua")]);
  const left = readdirSync(folder(), { recursive: true, encoding: "utf8" });
  expect(left.filter((path) => statSync(at(path)).isFile()).sort()).toEqual(
    [
      ...others,
      "certificates/new.pem",
      "logs/access.log",
      "lua/alb/new.lua",
      "notes/credentials/mine",
    ].sort(),
  );
  expect(left).not.toContain("lua/alb/old");
});

test.each(["nginx.conf", "policy.json"])("a %s of others is not replaced", async (name) => {
  put(name, "theirs");
  const files = [file("lua/alb/x.lua"), file(name, "ours")];
  await expect(writeFiles(folder(), files)).rejects.toThrow(
    `${at(name)} is not from albc and is not replaced; choose another folder`,
  );
  await expect(new WrittenFiles(folder(), undefined).write(files)).rejects.toThrow(
    EnvironmentError,
  );
  expect(readFileSync(at(name), "utf8")).toBe("theirs");
  expect(existsSync(at("lua"))).toBe(false);
});

test("nothing to remove is no error", async () => {
  await removeStale(join(folder(), "nowhere"), []);
});

test.each<[string, () => void, string]>([
  ["a file stands where a folder should be", () => put("credentials", "x"), "credentials/a.json"],
  [
    "a folder stands where the file should be",
    () => void mkdirSync(at("a/b"), { recursive: true }),
    "a",
  ],
  ["the name is too long", () => undefined, "x".repeat(300)],
])("when %s, one message names path and reason", async (_what, prepare, path) => {
  prepare();
  const writing = writeChanged(folder(), [secret(path)]);
  await expect(writing).rejects.toThrow(EnvironmentError);
  await expect(writing).rejects.toThrow(`can't write ${at(path)}: `);
  await expect(writing).rejects.not.toThrow("secret");
});

test("a file that could not be written leaves nothing beside", async () => {
  mkdirSync(at("a/b"), { recursive: true });
  await expect(writeChanged(folder(), [file("a")])).rejects.toThrow(EnvironmentError);
  expect(readdirSync(folder())).toEqual(["a"]);
});
