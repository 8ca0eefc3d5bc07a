/** Diagnostics as a person reads them: the place first, as compilers write it, so that editors and terminals link to it. */
import type { Diagnostic, ResourceRef, Severity, SourceLocation } from "./diagnostic.js";
import { excerptLines } from "./excerpt.js";
import { formatFieldPath } from "./field-path.js";
import { printable } from "./printable.js";

export interface TextStyle {
  /** Use ANSI colours. */
  readonly colours: boolean;
}

const COLOURS: Readonly<Record<Severity, string>> = { error: "31", warning: "33", info: "36" };
const BOLD = "1";
const DIM = "2";

/** Every diagnostic in the order given; nothing at all for none. */
export function formatText(diagnostics: readonly Diagnostic[], style: TextStyle): string {
  return diagnostics.map((diagnostic) => `${block(diagnostic, style).join("\n")}\n`).join("");
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

function block(diagnostic: Diagnostic, style: TextStyle): readonly string[] {
  const { code, severity, message, location, hint, related } = diagnostic;
  const paint = painter(style);
  const place = location === undefined ? "" : `${paint(BOLD, formatPlace(location))}: `;
  const head = `${place}${paint(COLOURS[severity], severity)} ${code}: ${paint(BOLD, printable(message))}`;
  return [
    head,
    ...subject(diagnostic),
    ...(location === undefined ? [] : excerptLines(location)).map((line) => paint(DIM, line)),
    ...(hint === undefined ? [] : [`  hint: ${printable(hint)}`]),
    ...(related ?? []).map(
      (other) => `  ${printable(other.message)}: ${formatPlace(other.location)}`,
    ),
  ];
}

function subject({ resource, field }: Diagnostic): readonly string[] {
  const parts = [
    ...(resource === undefined ? [] : [formatResource(resource)]),
    ...(field === undefined || field.length === 0 ? [] : [printable(formatFieldPath(field))]),
  ];
  return parts.length === 0 ? [] : [`  ${parts.join(", ")}`];
}

function formatResource({ kind, namespace, name }: ResourceRef): string {
  const shownName = name === "" ? "(no name)" : name;
  return printable(`${kind} ${namespace === "" ? "" : `${namespace}/`}${shownName}`);
}

function formatPlace({ file, line, column }: SourceLocation): string {
  return `${printable(file)}:${line}:${column}`;
}

function painter({ colours }: TextStyle): (colour: string, text: string) => string {
  return (colour, text) => (colours && text !== "" ? `\u001b[${colour}m${text}\u001b[0m` : text);
}
