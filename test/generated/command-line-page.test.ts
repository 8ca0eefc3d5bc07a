import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HelpShown, parseArguments } from "../../src/cli/arguments.js";
import { expectGenerated } from "../support/generated-file.js";

const PAGE = "docs/cli.md";

/** What `albc COMMAND --help` prints, without the settings, which docs/options.md lists. */
function helpOf(...command: string[]): string {
  let help = "";
  const context = { version: "1", write: (text: string) => (help += text) };
  expect(() => parseArguments([...command, "--help"], context)).toThrow(HelpShown);
  return help.split("\nSettings: ", 1).join("").trimEnd();
}

test("docs/cli.md has the help of every command", () => {
  const overview = helpOf();
  const commands = [...overview.matchAll(/^ {2}([a-z]+) .*\[options\]/gm)].map(
    ([, name = ""]) => name,
  );
  expect(commands).toContain("run");

  let page = readFileSync(join(import.meta.dirname, "../..", PAGE), "utf8");
  for (const help of [overview, ...commands.map((command) => helpOf(command))]) {
    const [usage = ""] = help.split(" [", 1);
    const start = page.indexOf(`\`\`\`text\n${usage} [`);
    expect(`${usage}: ${String(start > 0)}`).toBe(`${usage}: true`);
    const end = page.indexOf("\n```", start);
    page = `${page.slice(0, start)}\`\`\`text\n${help}${page.slice(end)}`;
  }
  expectGenerated(PAGE, page);
});
