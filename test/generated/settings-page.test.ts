import type { SettingRow } from "../../src/cli/settings-table.js";
import { SETTINGS, flagOf, variableOf } from "../../src/cli/settings-table.js";
import { expectGenerated } from "../support/generated-file.js";

const INTRODUCTION = `# Options

Every option can stand in the options file (\`--config albc.yaml\`), in a variable, or on the command line; a flag wins over
a variable, a variable over the file. An unknown key or \`ALBC_*\` variable is a usage error (exit status 2).
This page is generated from \`src/cli/settings-table.ts\`.

| key | flag | variable | default | what it does |
|---|---|---|---|---|
`;

test("docs/options.md lists every option", () => {
  expectGenerated("docs/options.md", INTRODUCTION + SETTINGS.map(line).join(""));
});

function line(row: SettingRow): string {
  const value = Array.isArray(row.default) ? row.default.join(",") : String(row.default);
  const shown = value === "" ? "" : `\`${value}\``;
  const choices = row.choices === undefined ? "" : ` (${row.choices.join(", ")})`;
  return `| \`${row.key}\` | \`${flagOf(row.key)}\` | \`${variableOf(row.key)}\` | ${shown} | ${row.description}${choices} |\n`;
}
