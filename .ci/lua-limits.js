// Holds Lua code to the limits that ESLint holds TypeScript to: lines of code of a file and of a
// function (luacheck knows only complexity). Blank lines and comments are free.
//
//   node .ci/lua-limits.js FOLDER…
import { readFileSync, readdirSync } from "node:fs";

const MAX_FILE = 250;
const MAX_FUNCTION = 50;

const isCode = (line) => !/^\s*(--.*)?$/.test(line);

/** Functions at the outer level; StyLua, checked before, puts their `end` in the first column. */
function* functionsOf(lines) {
  let start = -1;
  for (const [index, line] of lines.entries()) {
    if (start < 0 && /^(local\s+)?function\b|^[\w.]+\s*=\s*function\b/.test(line)) start = index;
    if (start >= 0 && /(^|\s)end\)?$/.test(line) && /^(\S.*\s)?end/.test(line)) {
      yield { line: start + 1, length: lines.slice(start, index + 1).filter(isCode).length };
      start = -1;
    }
  }
}

let problems = 0;
function report(place, what, length, limit) {
  if (length <= limit) return;
  problems += 1;
  console.error(`${place}: ${what} of ${length} lines, at most ${limit}`);
}

for (const folder of process.argv.slice(2)) {
  for (const file of readdirSync(folder, { recursive: true }).filter((f) => f.endsWith(".lua"))) {
    const path = `${folder}/${file}`;
    const lines = readFileSync(path, "utf8").split("\n");
    report(path, "file", lines.filter(isCode).length, MAX_FILE);
    for (const { line, length } of functionsOf(lines)) {
      report(`${path}:${line}`, "function", length, MAX_FUNCTION);
    }
  }
}
process.exitCode = problems === 0 ? 0 : 1;
