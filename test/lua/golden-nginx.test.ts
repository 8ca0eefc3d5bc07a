import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "../../src/compile.js";
import { resourcesFromObjects } from "../../src/input/load.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { findNginx } from "../../src/output/nginx-binary.js";
import { NginxProcess } from "../../src/output/nginx-process.js";
import { NOBODY_CERTIFICATE } from "../../src/output/environment.js";
import type { RenderedFile } from "../../src/render/rendered-file.js";
import { compileCase, goldenCases } from "../support/golden-case.js";
import { HOSTILE, inputs, replacedEverywhere } from "../support/hostile-input.js";

const LUA = fileURLToPath(new URL("../../lua", import.meta.url));

test.each(goldenCases().map((golden) => [golden.name, golden] as const))(
  "nginx takes what %s gives",
  async (_name, golden) => {
    await tryFiles(compileCase(golden).files);
  },
);

test.each(HOSTILE.map((text) => [JSON.stringify(text.slice(0, 40)), text]))(
  "nginx takes what %s in every field gives",
  async (_name, text) => {
    const objects = inputs.map((each) => replacedEverywhere(each, text));
    const largest = objects.reduce((a, b) => (b.length > a.length ? b : a));
    const { resources } = resourcesFromObjects(largest);
    await tryFiles(compile(resources, DEFAULT_OPTIONS).files);
  },
);

async function tryFiles(files: readonly RenderedFile[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "albc-golden-"));
  try {
    for (const name of ["logs", "tmp", "control", "environment"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "environment/ca.pem"), NOBODY_CERTIFICATE);
    cpSync(LUA, join(folder, "lua"), { recursive: true });
    for (const { path, contents, mode } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      const text = typeof contents === "string" ? contents : contents.reveal();
      writeFileSync(join(folder, path), onThisMachine(path, text), { mode });
    }
    await testConfiguration(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** nginx tries to bind, so addresses of a Gateway become those of the loopback interface. */
function onThisMachine(path: string, text: string): string {
  if (path !== "nginx.conf") return text;
  return text
    .replace(/(listen )10\.(\d+\.\d+\.\d+:)/g, "$1127.$2")
    .replace(/(listen )\[fd00::\d+\]:/g, "$1[::1]:");
}

/** Rejects with what nginx has against the configuration. */
async function testConfiguration(folder: string): Promise<void> {
  const binary = await findNginx({ given: process.env["ALBC_TEST_NGINX"], path: "" });
  const nginx = new NginxProcess({
    binary,
    folder,
    drainTimeout: 0,
    onLine: () => undefined,
    onDeath: () => undefined,
    onRestart: () => undefined,
  });
  await nginx.test(folder);
}
