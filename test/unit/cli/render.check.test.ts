import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../../../src/cli/render.js";
import { writeFiles } from "../../../src/output/files.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";
import { SecretText } from "../../../src/support/secret-text.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

const conf = (contents: string): RenderedFile => ({ path: "nginx.conf", contents, mode: 0o644 });
const credentials = (contents: string): RenderedFile => ({
  path: "credentials/a.json",
  contents: new SecretText(contents),
  mode: 0o600,
});

test("there are none after writing", async () => {
  const files = [conf("a\n"), credentials("old-secret")];
  await writeFiles(folder(), files);
  expect(await differences(folder(), files)).toEqual([]);
});

test("a text that differs is a unified diff", async () => {
  await writeFiles(folder(), [conf("one\ntwo\nthree\n")]);
  expect(await differences(folder(), [conf("one\n2\nthree\n")])).toEqual([
    "--- a/nginx.conf\n+++ b/nginx.conf\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
  ]);
});

test("a text that is missing is a diff from nothing", async () => {
  expect(await differences(folder(), [conf("one\n")])).toEqual([
    "--- /dev/null\n+++ b/nginx.conf\n@@ -0,0 +1,1 @@\n+one\n",
  ]);
});

test("a secret is never shown, neither the old nor the new", async () => {
  await writeFiles(folder(), [credentials("old-secret")]);
  const differs = await differences(folder(), [credentials("new-secret")]);
  rmSync(join(folder(), "credentials/a.json"));
  const missing = await differences(folder(), [credentials("new-secret")]);
  expect(differs).toEqual(["credentials/a.json: differs (contents not shown)\n"]);
  expect(missing).toEqual(["credentials/a.json: missing (contents not shown)\n"]);
});

test("a stale file is a difference, a mode that version control lost is none", async () => {
  await writeFiles(folder(), [conf("a\n"), credentials("x")]);
  chmodSync(join(folder(), "credentials/a.json"), 0o640);
  mkdirSync(join(folder(), "certificates"));
  writeFileSync(join(folder(), `certificates/${"0".repeat(32)}.pem`), "");
  expect(await differences(folder(), [conf("a\n"), credentials("x")])).toEqual([
    `certificates/${"0".repeat(32)}.pem: stale, would be removed\n`,
  ]);
});
