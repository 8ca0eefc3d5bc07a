import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNginx } from "../../src/output/nginx-binary.js";
import { NginxProcess } from "../../src/output/nginx-process.js";
import { compileCase, goldenCases } from "../support/golden-case.js";

const LUA = fileURLToPath(new URL("../../lua", import.meta.url));

test.each(goldenCases().map((golden) => [golden.name, golden] as const))(
  "nginx takes what %s gives",
  async (_name, golden) => {
    const folder = mkdtempSync(join(tmpdir(), "albc-golden-"));
    try {
      for (const name of ["logs", "tmp", "control"]) mkdirSync(join(folder, name));
      cpSync(LUA, join(folder, "lua"), { recursive: true });
      for (const { path, contents, mode } of compileCase(golden).files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        const text = typeof contents === "string" ? contents : contents.reveal();
        writeFileSync(join(folder, path), text, { mode });
      }
      await testConfiguration(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Rejects with what nginx has against the configuration. */
async function testConfiguration(folder: string): Promise<void> {
  const binary = await findNginx({ given: process.env["ALBC_TEST_NGINX"], path: "" });
  const nginx = new NginxProcess({
    binary,
    folder,
    user: "",
    drainTimeout: 0,
    onLine: () => undefined,
    onDeath: () => undefined,
    onRestart: () => undefined,
  });
  await nginx.test(folder);
}
