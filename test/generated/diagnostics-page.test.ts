import { DIAGNOSTIC_CATALOG } from "../../src/diagnostics/catalog.js";
import { expectGenerated } from "../support/generated-file.js";

type Entry = (typeof DIAGNOSTIC_CATALOG)[keyof typeof DIAGNOSTIC_CATALOG];

const INTRODUCTION = `# Diagnostics

\`albc validate\` and \`albc render\` print diagnostics, \`albc run\` logs them. An *error* means that something is not served as
written, a *warning* that it may not be what was meant, an *info* that it has no effect here. Each affects only its own object
or path. Codes are stable. This page is generated from \`src/diagnostics\`; each code has a case in \`test/golden\`.
`;

test("docs/diagnostics.md lists every code", () => {
  const entries = Object.entries(DIAGNOSTIC_CATALOG).sort(([a], [b]) => (a < b ? -1 : 1));
  expectGenerated("docs/diagnostics.md", INTRODUCTION + entries.map(section).join(""));
});

function section([code, { severity, title, explanation, hint }]: [string, Entry]): string {
  return `\n## ${code}\n\n*${severity}*: ${title}.\n\n${explanation}\n\nWhat to do: ${hint}.\n`;
}
