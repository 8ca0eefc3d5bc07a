import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { lockRunFolder, makeRunFolder } from "../../../src/output/run-folder.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("the folder is made, for its owner alone, with what nginx needs", async () => {
  const made = await makeRunFolder(join(folder(), "a/run"));
  expect(made).toBe(join(folder(), "a/run"));
  expect(modeOf(made)).toBe("700");
  expect(["control", "logs", "tmp"].map((name) => modeOf(join(made, name)))).toEqual([
    "700",
    "755",
    "700",
  ]);
});

test("the control folder is closed to others even if it was open", async () => {
  mkdirSync(join(folder(), "control"), { mode: 0o777 });
  await makeRunFolder(folder());
  expect(modeOf(join(folder(), "control"))).toBe("700");
});

test("workers of another user get through the folder, but can't list it", async () => {
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  expect(modeOf(await makeRunFolder(join(folder(), "run"), owner))).toBe("711");
});

test("what an earlier albc gave to the workers' user is taken back, with its contents", async () => {
  // Only root can give it away.
  if (process.getuid?.() !== 0) return;
  const user = { uid: 12_345, gid: 12_346 };
  const run = await makeRunFolder(join(folder(), "run"), user);
  for (const name of ["certificates", "tmp/proxy"]) mkdirSync(join(run, name), { mode: 0o700 });
  const files = ["nginx.conf", "certificates/a.pem", "environment/session.key"];
  for (const file of files) writeFileSync(join(run, file), file, { mode: 0o600 });
  const all = [...files, "certificates", "tmp", "tmp/proxy"];
  for (const name of all) chownSync(join(run, name), user.uid, user.gid);
  const opened = openSync(join(run, "nginx.conf"), "r+");
  await makeRunFolder(run, user);
  writeSync(opened, "changed by a worker");
  closeSync(opened);
  for (const file of files) expect(readFileSync(join(run, file), "utf8")).toBe(file);
  const owners = all.map((name) => [name, statSync(join(run, name)).uid]);
  expect(owners).toEqual(all.map((name) => [name, name === "tmp/proxy" ? user.uid : 0]));
  expect(modeOf(join(run, "certificates"))).toBe("750");
});

test("a file in its place is an error with one message", async () => {
  const path = join(folder(), "file");
  writeFileSync(path, "");
  await expect(makeRunFolder(path)).rejects.toThrow(EnvironmentError);
  await expect(makeRunFolder(path)).rejects.toThrow(`can't make the run folder ${path}: `);
});

test.each(["/proc/albc", "/proc/albc/a/b", "/sys/albc/run"])(
  "a folder in %s, where none can be made, is an error at once",
  async (path) => {
    await expect(makeRunFolder(path)).rejects.toThrow(EnvironmentError);
    await expect(makeRunFolder(path)).rejects.toThrow(`can't make the run folder ${path}: `);
  },
);

describe("the lock", () => {
  test("keeps a second albc out until it is released", async () => {
    const lock = await lockRunFolder(folder());
    const message = `${folder()} is in use by albc with process id ${String(process.pid)}; choose another --dir`;
    await expect(lockRunFolder(folder())).rejects.toThrow(new EnvironmentError(message));
    await lock.release();
    expect(existsSync(join(folder(), "albc.pid"))).toBe(false);
    await (await lockRunFolder(folder())).release();
  });

  test.each([
    ["of a process that has ended", "4194304 1"],
    ["of a process whose number is another's now", `${String(process.pid)} 1`],
    ["that is torn", ""],
  ])("%s counts for nothing", async (_what, left) => {
    writeFileSync(join(folder(), "albc.pid"), `${left}\n`);
    const lock = await lockRunFolder(folder());
    expect(readFileSync(join(folder(), "albc.pid"), "utf8")).toMatch(
      new RegExp(`^${String(process.pid)} \\d+\n$`),
    );
    await lock.release();
  });
});

describe("a folder that is not safe is refused", () => {
  const prepared = async (): Promise<string> => makeRunFolder(join(folder(), "run"));

  test.each(["nginx.pid", "logs/access.log", "credentials/a", "tmp"])("a link %s", async (name) => {
    const run = await prepared();
    rmSync(join(run, name), { recursive: true, force: true });
    mkdirSync(join(run, name, ".."), { recursive: true });
    symlinkSync("/etc/passwd", join(run, name));
    await expect(makeRunFolder(run)).rejects.toThrow(`${join(run, name)} is a link`);
  });

  test.each([".", "control", "logs"])("%s can be written by others", async (name) => {
    const run = await prepared();
    chmodSync(join(run, name), 0o777);
    await expect(makeRunFolder(run)).rejects.toThrow("can be written by other users");
  });

  test("it belongs to another user", async () => {
    const run = await prepared();
    // Only root can give it away.
    if (process.getuid?.() !== 0) return;
    chownSync(run, 12_345, 12_345);
    await expect(makeRunFolder(run)).rejects.toThrow("belongs to the user with id 12345");
  });
});
