import { compile } from "../compile.js";
import type { ValidateCall } from "./arguments.js";
import { hasErrors, loadInput, reportDiagnostics, summaryLine } from "./load-input.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { ExitStatus, Terminal } from "./terminal.js";
import { EXIT } from "./terminal.js";

/** `albc validate`: everything that is wrong with the manifests on standard output, how much it was on standard error. */
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
