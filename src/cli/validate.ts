import { compile } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { counted, formatCounts, formatJson, formatText } from "../diagnostics/format.js";
import { inOrder } from "../diagnostics/sink.js";
import { readSources } from "../input/files.js";
import { loadResources } from "../input/load.js";
import type { LoadResult } from "../input/load.js";
import type { ValidateCall } from "./arguments.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { ExitStatus, Terminal } from "./terminal.js";
import { EXIT } from "./terminal.js";

/** `albc validate`: prints all problems of the manifests on standard output, and a summary on standard error. */
export async function runValidate(
  call: ValidateCall,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const input = await loadInput(call.paths, settings, terminal);
  const { diagnostics } = compile(input.resources, compileOptions(settings), Date.now());
  const all = [...input.diagnostics, ...diagnostics];
  reportDiagnostics(all, call.format, terminal.write, terminal.colours);
  if (call.format === "text") {
    for (const unknown of input.unknownKinds) {
      terminal.write(
        `not read: ${String(unknown.count)} × ${unknown.apiVersion} ${unknown.kind}\n`,
      );
    }
  }
  terminal.writeError(summaryLine(input, all));
  return hasErrors(all) ? EXIT.inputErrors : EXIT.fine;
}

/** Reads the manifests that `-f` names; `-` is standard input. `files`: their number, including standard input. */
export async function loadInput(
  paths: readonly string[],
  settings: Settings,
  terminal: Terminal,
): Promise<LoadResult & { readonly files: number }> {
  const sources = await readSources(paths, {
    readInput: terminal.readInput,
    missing: "fail",
    followLinks: settings.switch("followLinks"),
  });
  const files = sources.filter((source) => "text" in source).length;
  return { ...loadResources(sources, { albGroup: settings.text("albApiGroup") }), files };
}

/** What was read and found, in one line. It names what was read, because no problem in no file means nothing. */
export function summaryLine(
  { files, objects }: { readonly files: number; readonly objects: number },
  diagnostics: readonly Diagnostic[],
): string {
  const read = `${counted(files, "file")}, ${counted(objects, "object")}`;
  return `${read}: ${formatCounts(diagnostics)}\n`;
}

/** Prints diagnostics, sorted by place. */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: "text" | "json",
  write: (text: string) => void,
  colours: boolean,
): void {
  const sorted = inOrder(diagnostics);
  const text = format === "json" ? formatJson(sorted) : formatText(sorted, { colours });
  if (text !== "") write(text);
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}
