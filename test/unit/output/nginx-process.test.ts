import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NginxProcess } from "../../../src/output/nginx-process.js";
import { makeRunFolder } from "../../../src/output/run-folder.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { useTempFolder } from "../../support/temp-folder.js";

const folder = useTempFolder();

/** A program in the place of nginx, which may not be there. */
async function processOf(path: string, endsAt?: string): Promise<NginxProcess> {
  const nginx = new NginxProcess({
    binary: { path, version: "0", directives: "", stream: false, variables: {} },
    folder: await makeRunFolder(join(folder(), "run")),
    drainTimeout: 100,
    onLine: (line) => {
      if (line === endsAt) void nginx.stop(0);
    },
    onDeath: () => undefined,
    onRestart: () => undefined,
  });
  return nginx;
}

/** What albc says when it starts a program that does this instead of serving. */
async function failureOf(script: string, endsAt?: string): Promise<unknown> {
  const bin = join(folder(), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "nginx"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const nginx = await processOf(join(bin, "nginx"), endsAt);
  const failure: unknown = await nginx.start().catch((error: unknown) => error);
  await nginx.stop(0);
  return failure;
}

test.each([
  ["kill -KILL $$", "another process ended it by SIGKILL before it served"],
  [
    "echo hello >&2; kill -TERM $$",
    "another process ended it by SIGTERM before it served; it said: hello",
  ],
  ["exit 1", "it ended without a word"],
])("an nginx that does `%s` at its start is explained", async (script, words) => {
  expect(await failureOf(script)).toEqual(new EnvironmentError(`nginx could not start: ${words}`));
});

test("what an nginx said that does not serve in time is told with why it was ended", async () => {
  const words = "albc was told to end before it served; it said: nearly there";
  expect(await failureOf("echo nearly there >&2; exec sleep 60", "nearly there")).toEqual(
    new EnvironmentError(`nginx could not start: ${words}`),
  );
});

test("an nginx that is gone refuses a configuration, and no object is to blame", async () => {
  const nginx = await processOf(join(folder(), "gone"));
  await expect(nginx.test(folder())).rejects.toMatchObject({
    name: "NginxRefused",
    message: expect.stringContaining("ENOENT") as string,
    unavailablePorts: [],
  });
});
