import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectGenerated } from "../support/generated-file.js";

const CATALOG = join(import.meta.dirname, "../../lua/alb/reasons.lua");
const ENTRY = /^ {4}(\w+) = \{ (\d{3}), ("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*") \},$/;
const SECTION = /^ {4}-- (.+)$/;

const INTRODUCTION = `# Error reasons

Every answer of status 400 or above that the gateway makes itself carries \`X-ALB-ERR-REASON: <Class> : <message>\` and nginx's
stock body for the status; gRPC clients get HTTP 200 with a \`grpc-status\`. The access log has the same text in \`reason\`.
A backend's own errors pass through without it. The error log is nginx's standard error: \`albc run\` writes its lines into
its own log, with \`"from":"nginx"\`; beside \`--reload\` it is where that nginx was told to write. Over HTTP/2
a header beyond the limits gets no answer: nginx ends the connection. \`<…>\` stands for a value. This page is generated from \`lua/alb/reasons.lua\`.
`;

test("docs/errors.md lists every reason", () => {
  expectGenerated("docs/errors.md", INTRODUCTION + sections(readFileSync(CATALOG, "utf8")));
});

function sections(lua: string): string {
  const start = lua.indexOf("_M.catalog = {");
  const lines = lua.slice(start, lua.indexOf("\n}", start)).split("\n").slice(1);
  return lines.map(row).join("");
}

function row(line: string): string {
  const section = SECTION.exec(line);
  if (section !== null)
    return `\n## ${section[1] ?? ""}\n\n| status | reason | when |\n|---|---|---|\n`;
  const entry = ENTRY.exec(line);
  if (entry === null) throw new Error(`lua/alb/reasons.lua: not an entry: ${line}`);
  const [, , status, reason, when] = entry;
  return `| ${status ?? ""} | \`${text(reason)}\` | ${text(when)} |\n`;
}

function text(quoted: string | undefined): string {
  return String(JSON.parse(quoted ?? '""')).replaceAll("|", "\\|");
}
