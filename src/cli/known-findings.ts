/** Findings that are known: a file with a line for each object and code, so that `validate` shows only new ones. */
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { subjectOf } from "../diagnostics/format.js";
import { readTextFile } from "../output/files.js";
import { EnvironmentError } from "../support/errors.js";

/** Without the line, so that edits elsewhere in a file do not make a finding new. */
function lineOf(diagnostic: Diagnostic): string {
  return `${diagnostic.code} ${subjectOf(diagnostic)}`;
}

/** The text of such a file. */
export function baselineOf(diagnostics: readonly Diagnostic[]): string {
  return [...new Set(diagnostics.map(lineOf))]
    .sort()
    .map((line) => `${line}\n`)
    .join("");
}

/** Those that neither the options nor the file name. Throws EnvironmentError if there is no such file, or another one. */
export function unknownFindings(
  diagnostics: readonly Diagnostic[],
  known: { readonly ignore: readonly string[]; readonly baseline: string | undefined },
): readonly Diagnostic[] {
  const lines = new Set(known.baseline === undefined ? [] : linesIn(known.baseline));
  const codes = new Set<string>(known.ignore);
  return diagnostics.filter((each) => !codes.has(each.code) && !lines.has(lineOf(each)));
}

/** Characters of a line that a message shows. */
const MOST_SHOWN = 60;

/** Codes are never renamed, so one that is unknown is a mistake. */
function isFinding(line: string): boolean {
  const [code = ""] = line.split(" ", 1);
  return line.includes(" ") && Object.hasOwn(DIAGNOSTIC_CATALOG, code);
}

function linesIn(path: string): readonly string[] {
  const text = readTextFile(path);
  if (text === undefined) {
    throw new EnvironmentError(`${path} does not exist; --write-baseline ${path} writes it`);
  }
  const lines = text.split(/\r?\n/);
  const wrong = lines.findIndex((line) => line !== "" && !isFinding(line));
  if (wrong < 0) return lines;
  const place = `${path}:${String(wrong + 1)}`;
  const shown = JSON.stringify((lines[wrong] ?? "").slice(0, MOST_SHOWN));
  throw new EnvironmentError(
    `${place}: ${shown} is not a code and an object; --write-baseline ${path} writes the file again`,
  );
}
