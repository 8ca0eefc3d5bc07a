import type { Severity } from "./catalog.js";
import {
  type Diagnostic,
  type ResourceRef,
  type SourceLocation,
  formatFieldPath,
} from "./diagnostic.js";
import { OBEYED, visible, visibleJson } from "../support/text.js";

const COLOURS: Readonly<Record<Severity, string>> = { error: "31", warning: "33", info: "36" };
const BOLD = "1";
const DIM = "2";

/** Diagnostics as text, in the given order. Each starts with its place, as in compilers, so that editors and terminals link to it. */
export function formatText(
  diagnostics: readonly Diagnostic[],
  { colours }: { readonly colours: boolean } = { colours: false },
): string {
  return diagnostics.map((diagnostic) => `${block(diagnostic, colours).join("\n")}\n`).join("");
}

/** `2 errors, 1 warning`. */
export function formatCounts(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Severity): string =>
    counted(diagnostics.filter((diagnostic) => diagnostic.severity === severity).length, severity);
  return `${count("error")}, ${count("warning")}`;
}

/** `1 file`, `2 files`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function block(diagnostic: Diagnostic, colours: boolean): readonly string[] {
  const { code, severity, message, location, hint, related } = diagnostic;
  const paint = painter(colours);
  const place = location === undefined ? "" : `${paint(BOLD, formatPlace(location))}: `;
  const head = `${place}${paint(COLOURS[severity], severity)} ${code}: ${paint(BOLD, visible(message))}`;
  return [
    head,
    ...subject(diagnostic),
    ...(location === undefined ? [] : excerptLines(location)).map((line) => paint(DIM, line)),
    ...(hint === undefined ? [] : [`  hint: ${visible(hint)}`]),
    ...(related ?? []).map(
      (other) => `  ${visible(other.message)}: ${formatPlace(other.location)}`,
    ),
  ];
}

function subject({ resource, field }: Diagnostic): readonly string[] {
  const parts = [
    ...(resource === undefined ? [] : [formatResource(resource)]),
    ...(field === undefined || field.length === 0 ? [] : [visible(formatFieldPath(field))]),
  ];
  return parts.length === 0 ? [] : [`  ${parts.join(", ")}`];
}

export function formatResource({ kind, namespace, name }: ResourceRef): string {
  const shownName = name === "" ? "(no name)" : name;
  return visible(`${kind} ${namespace === "" ? "" : `${namespace}/`}${shownName}`);
}

/** The object that a diagnostic is about, else its file. */
export function subjectOf({ resource, location }: Diagnostic): string {
  return resource === undefined ? visible(location?.file ?? "") : formatResource(resource);
}

function formatPlace({ file, line, column }: SourceLocation): string {
  return `${visible(file)}:${line}:${column}`;
}

function painter(colours: boolean): (colour: string, text: string) => string {
  return (colour, text) => (colours && text !== "" ? `\u001b[${colour}m${text}\u001b[0m` : text);
}

/** Characters of a line that are shown; a JSON file may be one line. */
const WIDTH = 100;
/** Characters before the caret when the line is cut. */
const BEFORE = 60;

/** Two columns wide in a terminal (East Asian Width W and F, emoji). */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

/** The line of a diagnostic with a caret below its column; nothing if the line may not be shown. */
function excerptLines({ line, column, excerpt }: SourceLocation): readonly string[] {
  if (excerpt === undefined) return [];
  const characters = Array.from(printableInPlace(excerpt));
  const start = characters.length <= WIDTH ? 0 : Math.max(0, column - 1 - BEFORE);
  const shown = characters.slice(start, start + WIDTH);
  const left = start > 0 ? "…" : "";
  const right = start + shown.length < characters.length ? "…" : "";
  const number = String(line);
  const indent = shown
    .slice(0, column - 1 - start)
    .map(blankFor)
    .join("");
  return [
    `  ${number} | ${left}${shown.join("")}${right}`,
    `  ${" ".repeat(number.length)} | ${left === "" ? "" : " "}${indent}^`,
  ];
}

function blankFor(character: string): string {
  if (character === "\t") return "\t";
  return WIDE.test(character) ? "  " : " ";
}

/** The text with each character that a terminal obeys as one `�`, tabs kept, so that columns stay. */
function printableInPlace(text: string): string {
  return text.replace(OBEYED, (char) => (char === "\t" ? char : "\ufffd"));
}

/**
 * One JSON object per line. Its keys, always in this order and absent if empty: `code`, `severity`, `message`, `resource`
 * (`apiVersion`, `kind`, `namespace`, `name`), `field` (as `spec.rules[0].host`), `location` (`file`, `line`, `column`,
 * `excerpt`), `hint`, `related` (`message`, `location`).
 */
export function formatJson(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${visibleJson(plain(diagnostic))}\n`).join("");
}

function plain({ code, severity, message, resource, field, ...rest }: Diagnostic): object {
  const { location, hint, related } = rest;
  const path = field === undefined ? undefined : formatFieldPath(field);
  return { code, severity, message, resource, field: path, location, hint, related };
}
