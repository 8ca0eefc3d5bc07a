import { load } from "js-yaml";
import { resolveSettings } from "../../src/cli/settings.js";
import {
  SETTINGS,
  SETTING_TASKS,
  type SettingRow,
  flagOf,
  variableOf,
} from "../../src/cli/settings-table.js";
import { expectGenerated } from "../support/generated-file.js";

const EXAMPLE = `
httpPort: 8080
httpsPort: 8443
ingressClass: edge
defaultCertificate: default/wildcard-example # namespace/name of a secret
trustedProxies: [10.0.0.0/8, "fd00::/8"]
authTimeout: 3s
bodyLimit: 20m
accessLog: stdout
`;

const INTRODUCTION = `# Options

Every option can stand in the options file (\`--config albc.yaml\`), in a variable, or on the command line; a flag wins over
a variable, a variable over the file. An unknown key or \`ALBC_*\` variable is a usage error (exit status 2).
This page is generated from \`src/cli/settings-table.ts\`.

The options file is named by \`--config\` or the variable \`ALBC_CONFIG\`; without either there is none. It is YAML, with any of the
keys below, and may be empty:

\`\`\`yaml
${EXAMPLE.trim()}
\`\`\`
`;

test("the example can be used", () => {
  const file = { name: "albc.yaml", contents: load(EXAMPLE) };
  const settings = resolveSettings({ flags: {}, variables: {}, file });
  expect(settings.list("trustedProxies")).toEqual(["10.0.0.0/8", "fd00::/8"]);
  expect(settings.number("authTimeout")).toBe(3000);
});

test("docs/options.md lists every option", () => {
  expectGenerated("docs/options.md", INTRODUCTION + SETTING_TASKS.map(section).join(""));
});

function section(task: SettingRow["task"]): string {
  const rows = SETTINGS.filter((row) => row.task === task);
  return `
## ${task}

| key | flag | variable | default | what it does |
|---|---|---|---|---|
${rows.map(line).join("")}`;
}

function line(row: SettingRow): string {
  const value = Array.isArray(row.default) ? row.default.join(",") : String(row.default);
  const shown = value === "" ? "" : `\`${value}\``;
  const choices =
    row.choices === undefined || row.kind === "list" ? "" : ` (${row.choices.join(", ")})`;
  return `| \`${row.key}\` | \`${flagOf(row.key)}\` | \`${variableOf(row.key)}\` | ${shown} | ${row.description}${choices} |\n`;
}
