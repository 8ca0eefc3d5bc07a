/** The line that a diagnostic is about, with a caret below its column. */
import type { SourceLocation } from "./diagnostic.js";
import { printableInPlace } from "./printable.js";

/** Characters of a line that are shown; a JSON file may be one line. */
const WIDTH = 100;
/** Characters before the caret when the line is cut. */
const BEFORE = 60;

/** Two columns wide in a terminal (East Asian Width W and F, emoji). */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

/** Nothing when the line may not be shown. */
export function excerptLines({ line, column, excerpt }: SourceLocation): readonly string[] {
  if (excerpt === undefined) return [];
  const characters = Array.from(printableInPlace(excerpt));
  const start = characters.length <= WIDTH ? 0 : Math.max(0, column - 1 - BEFORE);
  const visible = characters.slice(start, start + WIDTH);
  const left = start > 0 ? "…" : "";
  const right = start + visible.length < characters.length ? "…" : "";
  const number = String(line);
  const indent = visible
    .slice(0, column - 1 - start)
    .map(blankFor)
    .join("");
  return [
    `  ${number} | ${left}${visible.join("")}${right}`,
    `  ${" ".repeat(number.length)} | ${left === "" ? "" : " "}${indent}^`,
  ];
}

function blankFor(character: string): string {
  if (character === "\t") return "\t";
  return WIDE.test(character) ? "  " : " ";
}
