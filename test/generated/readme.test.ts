/** What commands print in README.md is what they print for the examples. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArguments } from "../../src/cli/arguments.js";
import type { CommandCall } from "../../src/cli/command-call.js";
import { runDiff } from "../../src/cli/diff.js";
import { runExplain } from "../../src/cli/explain.js";
import { resolveSettings } from "../../src/cli/settings.js";
import { expectGenerated } from "../support/generated-file.js";
import { useTempFolder } from "../support/temp-folder.js";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples");
const folder = useTempFolder();

function callOf(...words: readonly string[]): CommandCall {
  return parseArguments(words, { version: "1", write: () => undefined });
}

test("README.md has the output of explain and diff", async () => {
  let output = "";
  const settings = resolveSettings({ flags: {}, variables: {} });
  const terminal = {
    ...{ write: (text: string) => (output += text), writeError: () => undefined },
    ...{ progress: () => undefined, colours: false, variables: {} },
    readInput: () => Promise.resolve(""),
  };
  const changed = join(folder(), "examples");
  cpSync(EXAMPLES, changed, { recursive: true });
  const path = join(changed, "manifests/3-basic-auth.yaml");
  writeFileSync(path, readFileSync(path, "utf8").replace(/^.*auth-type: basic\n/m, ""));

  let page = readFileSync(join(ROOT, "README.md"), "utf8");
  for (const words of [
    ["explain", "-f", EXAMPLES, "GET", "http://admin.localhost:8080/"],
    ["diff", EXAMPLES, changed],
  ]) {
    output = "";
    const call = callOf(...words);
    if (call.command === "explain") await runExplain(call, settings, terminal);
    if (call.command === "diff") await runDiff(call, settings, terminal);
    const [first = ""] = output.split("\n", 1);
    const start = page.indexOf(`\`\`\`text\n${first}\n`);
    expect(`${first}: ${String(start > 0)}`).toBe(`${first}: true`);
    const end = page.indexOf("```", start + 3);
    page = `${page.slice(0, start)}\`\`\`text\n${output.trimEnd()}\n${page.slice(end)}`;
  }
  expectGenerated("README.md", page);
});
