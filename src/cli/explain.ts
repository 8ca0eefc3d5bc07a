import { compile } from "../compile.js";
import { explain, readPolicy } from "../explain/explain.js";
import { formatExplanation } from "../explain/format.js";
import { parseRequest } from "../explain/request.js";
import { contentsOf } from "../render/rendered-file.js";
import type { ExplainCall } from "./arguments.js";
import { hasErrors, loadInput, reportDiagnostics, summaryLine } from "./validate.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { ExitStatus, Terminal } from "./terminal.js";
import { EXIT, UsageError } from "./terminal.js";

/** `albc explain`: which route serves a request, and why, according to the policy of the manifests. */
export async function runExplain(
  call: ExplainCall,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const request = parseRequest(call);
  if (!request.ok) throw new UsageError(request.problem);
  const input = await loadInput(call.paths, settings, terminal);
  const { files, diagnostics } = compile(input.resources, compileOptions(settings), Date.now());
  const all = [...input.diagnostics, ...diagnostics];
  reportDiagnostics(all, call.format, terminal.writeError, terminal.colours);
  if (all.length > 0 && call.format === "text") terminal.writeError(summaryLine(input, all));
  const file = files.find(({ path }) => path === "policy.json");
  const policy = readPolicy(file === undefined ? "{}" : contentsOf(file));
  const explanation = explain(policy, request.value);
  terminal.write(
    call.format === "json"
      ? `${JSON.stringify(explanation, null, 2)}\n`
      : formatExplanation(explanation),
  );
  return hasErrors(all) ? EXIT.inputErrors : EXIT.fine;
}
