import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Applier } from "../../../src/output/apply.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import { NginxRefused } from "../../../src/output/reloader.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";
import { SecretText } from "../../../src/support/secret-text.js";
import { policyFrom } from "../../support/rendered-policy.js";
import { useTempFolder } from "../../support/temp-folder.js";

const temp = useTempFolder();

const A = `credentials/${"a".repeat(32)}.json`;
const B = `credentials/${"b".repeat(32)}.json`;

function files(conf: string, secret = A): readonly RenderedFile[] {
  return [
    { path: "nginx.conf", contents: conf, mode: 0o644 },
    { path: "policy.json", contents: policyFrom({ hosts: {} }), mode: 0o600 },
    { path: secret, contents: new SecretText("{}"), mode: 0o600 },
  ];
}

/** Without an nginx. `nginx -t` refuses configurations that contain `bad`. */
async function create(nginxFolder?: string) {
  const folder = await makeRunFolder(join(temp(), "run"));
  const tested: string[] = [];
  const applier = new Applier({
    folder,
    nginxFolder,
    reloader: {
      test: (stage) => {
        const conf = readFileSync(join(stage, "nginx.conf"), "utf8");
        tested.push(conf);
        return conf.includes("bad") ? Promise.reject(new NginxRefused("bad")) : Promise.resolve();
      },
      reload: () => Promise.reject(new Error("reloaded")),
    },
  });
  return {
    applier,
    tested,
    read: (path: string) => readFileSync(join(folder, path), "utf8"),
    folder,
  };
}

test("prepare tests the files in a stage that it removes, and writes them", async () => {
  const { applier, tested, read, folder } = await create();
  expect(await applier.prepare(files("# one"))).toMatchObject({ kind: "written" });
  expect(tested).toEqual(["# one"]);
  expect(read("nginx.conf")).toBe("# one");
  expect(readdirSync(folder)).not.toContain("stage");
});

test("a refused nginx.conf leaves the files as they are", async () => {
  const { applier, read } = await create();
  await expect(applier.prepare(files("bad"))).rejects.toThrow(NginxRefused);
  expect(() => read("nginx.conf")).toThrow("ENOENT");
});

test("without an nginx, changes are written, and removed files are gone", async () => {
  const { applier, read } = await create();
  await applier.prepare(files("# one"));
  const applied = await applier.apply(files("    listen 0.0.0.0:80;", B));
  expect(applied).toMatchObject({ kind: "written", listens: ["80"] });
  expect(read(B)).toBe("{}");
  expect(() => read(A)).toThrow("ENOENT");
});

test("a refused change keeps the last good nginx.conf, but not the old secrets", async () => {
  const { applier, read } = await create();
  await applier.prepare(files("# one"));
  const applied = await applier.apply(files("bad", B));
  expect(applied).toMatchObject({ refused: "bad" });
  expect(read("nginx.conf")).toBe("# one");
  expect(read(B)).toBe("{}");
});
