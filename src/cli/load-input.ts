import { counted, formatCounts, formatJson, formatText } from "../diagnostics/format.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { inOrder } from "../diagnostics/sink.js";
import { readSources } from "../input/files.js";
import { loadResources } from "../input/load.js";
import type { LoadResult } from "../input/load.js";
import type { Settings } from "./settings.js";
import type { Terminal } from "./terminal.js";

export interface LoadedInput extends LoadResult {
  /** How many files there were, standard input included. */
  readonly files: number;
}

/** Reads the manifests that `-f` names, `-` being standard input. */
export async function loadInput(
  paths: readonly string[],
  settings: Settings,
  terminal: Terminal,
): Promise<LoadedInput> {
  const sources = await readSources(paths, {
    readInput: terminal.readInput,
    missing: "fail",
    followLinks: settings.switch("followLinks"),
  });
  const files = sources.filter((source) => "text" in source).length;
  return { ...loadResources(sources, { albGroup: settings.text("albApiGroup") }), files };
}

/** What was read and found, as one line: nothing found says something only where something was read. */
export function summaryLine(
  { files, objects }: Pick<LoadedInput, "files" | "objects">,
  diagnostics: readonly Diagnostic[],
): string {
  const read = `${counted(files, "file")}, ${counted(objects, "object")}`;
  return `${read}: ${formatCounts(diagnostics)}\n`;
}

/** Prints diagnostics in the order of their places. */
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
