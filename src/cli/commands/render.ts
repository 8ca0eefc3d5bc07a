import { compile } from "../../compile.js";
import type { Compilation } from "../../compile.js";
import { differences } from "../../output/check.js";
import { writeFiles } from "../../output/file-writer.js";
import { luaBundle } from "../../output/lua-bundle.js";
import type { RenderCall } from "../arguments.js";
import { emitStage } from "../emit-stage.js";
import type { ExitStatus } from "../exit-status.js";
import { EXIT } from "../exit-status.js";
import { hasErrors, loadInput, reportDiagnostics, summaryLine } from "../load-input.js";
import type { Settings } from "../settings.js";
import { compileOptions } from "../settings.js";
import type { Terminal } from "../terminal.js";

/** `albc render`: writes all that is valid, then says with its exit status whether there were errors. */
export async function runRender(
  call: RenderCall,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const input = await loadInput(call.paths, settings, terminal);
  const options = compileOptions(settings);
  const compilation = compile(input.resources, options, Date.now());
  const diagnostics = [...input.diagnostics, ...compilation.diagnostics];
  reportDiagnostics(diagnostics, "text", terminal.writeError, terminal.colours);
  terminal.writeError(summaryLine(input, diagnostics));
  if (call.emit !== undefined) {
    const { controllerName } = options;
    terminal.write(emitStage(call.emit, input.resources, compilation, controllerName));
  }
  const differs =
    call.output !== undefined && (await writeOrCheck(call, call.output, compilation, terminal));
  return hasErrors(diagnostics) || differs ? EXIT.inputErrors : EXIT.fine;
}

/** True when `--check` found a difference. */
async function writeOrCheck(
  call: RenderCall,
  folder: string,
  compilation: Compilation,
  terminal: Terminal,
): Promise<boolean> {
  const files = [...compilation.files, ...(await luaBundle())];
  if (!call.check) {
    await writeFiles(folder, files);
    return false;
  }
  const found = await differences(folder, files);
  for (const difference of found) terminal.write(difference);
  return found.length > 0;
}
