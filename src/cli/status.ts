import { setTimeout as pause } from "node:timers/promises";
import {
  type RunStatus,
  type StatusTable,
  factRows,
  policyFacts,
  statusOfRun,
  statusTables,
  troubleOf,
} from "../health/run-status.js";
import { visible, visibleJson } from "../support/text.js";
import type { CallOf } from "./command-call.js";
import { type ExitStatus, type Terminal, EXIT } from "./terminal.js";

/** Milliseconds between two looks of `--watch`. */
const INTERVAL = 2000;
/** The part of a line that a cell may have, except the last one of its row. */
const CELL_SHARE = 0.45;
/** Rows of each table. */
const MOST_SHOWN = 10;

/** `albc status`: what the nginx of a folder serves. The exit status is 1 if something is broken, or if not every worker serves the policy. */
export async function runStatus(call: CallOf<"status">, terminal: Terminal): Promise<ExitStatus> {
  for (;;) {
    const status = await statusOfRun(await policyFacts(call.folder), call.folder);
    const text =
      call.format === "json"
        ? `${visibleJson(status, 2)}\n`
        : formatStatus(status, terminal.columns);
    terminal.write(call.watch ? `\u001b[H\u001b[2J${text}` : text);
    if (!call.watch) return troubleOf(status) === undefined ? EXIT.fine : EXIT.inputErrors;
    await pause(INTERVAL);
  }
}

/** `width`: columns of the terminal; texts that go elsewhere are whole. */
export function formatStatus(status: RunStatus, width = Infinity): string {
  const lines = [
    ...factRows(status).map(([label, text]) => `${label.padEnd(10)} ${text}`),
    ...statusTables(status).flatMap((table) => tableLines(table, width * CELL_SHARE)),
  ];
  return lines.map((line) => `${fitted(visible(line), width)}\n`).join("");
}

function tableLines({ title, columns, rows }: StatusTable, most: number): readonly string[] {
  const more = rows.length - MOST_SHOWN;
  const head = columns.map((column) => column.toUpperCase());
  const shown = [head, ...rows.slice(0, MOST_SHOWN)];
  const widths = columns.map((_, at) =>
    Math.min(Math.floor(most), Math.max(...shown.map((row) => row[at]?.length ?? 0))),
  );
  const lines = shown.map((row) =>
    row
      .map((cell, at) => {
        const width = at === row.length - 1 ? cell.length : (widths[at] ?? 0);
        return fitted(cell, width).padEnd(width);
      })
      .join("  "),
  );
  return [
    "",
    `${title.toUpperCase()} (${String(rows.length)})`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${String(more)} more`] : []),
  ];
}

function fitted(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
