/** `albc validate`, and what it shares with the other commands that compile once. */
import { type Compilation, compile } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { counted, formatCounts, formatJson, formatText } from "../diagnostics/format.js";
import { inOrder } from "../diagnostics/sink.js";
import { readSources } from "../input/files.js";
import { type LoadResult, loadResources } from "../input/load.js";
import type { CallOf } from "./arguments.js";
import { type Settings, compileOptions } from "./settings.js";
import { type ExitStatus, type Terminal, EXIT } from "./terminal.js";

/** `albc validate`: prints all problems of the manifests on standard output, and a summary on standard error. */
export async function runValidate(
  call: CallOf<"validate">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { input, diagnostics, summary, status } = await compileInput(call, settings, terminal);
  reportDiagnostics(diagnostics, call.format, terminal.write, terminal.colours);
  if (call.format === "text") {
    for (const { count, apiVersion, kind } of input.unknownKinds) {
      terminal.write(`not read: ${String(count)} × ${apiVersion} ${kind}\n`);
    }
  }
  terminal.writeError(summary);
  return status;
}

/**
 * Reads the manifests that `-f` names (`-` is standard input) and compiles them. `summary` names what was read, because no problem in no
 * file means nothing. `status`: whether there are errors.
 */
export async function compileInput(
  { paths }: { readonly paths: readonly string[] },
  settings: Settings,
  terminal: Terminal,
): Promise<{
  readonly input: LoadResult;
  readonly compilation: Compilation;
  readonly diagnostics: readonly Diagnostic[];
  readonly summary: string;
  readonly status: ExitStatus;
}> {
  const sources = await readSources(paths, {
    readInput: terminal.readInput,
    missing: "fail",
    followLinks: settings.switch("followLinks"),
  });
  const input = loadResources(sources, { albGroup: settings.text("albApiGroup") });
  const compilation = compile(input.resources, compileOptions(settings), Date.now());
  const diagnostics = [...input.diagnostics, ...compilation.diagnostics];
  const files = sources.filter((source) => "text" in source).length;
  const read = `${counted(files, "file")}, ${counted(input.objects, "object")}`;
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  return {
    ...{ input, compilation, diagnostics },
    summary: `${read}: ${formatCounts(diagnostics)}\n`,
    status: hasErrors ? EXIT.inputErrors : EXIT.fine,
  };
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
