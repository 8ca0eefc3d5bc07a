import { explain, readPolicy } from "../explain/explain.js";
import { formatExplanation } from "../explain/format.js";
import { parseRequest } from "../explain/request.js";
import { contentsOf } from "../render/rendered-file.js";
import type { CallOf } from "./arguments.js";
import type { Settings } from "./settings.js";
import { type ExitStatus, type Terminal, UsageError } from "./terminal.js";
import { compileInput, reportDiagnostics } from "./validate.js";

/** `albc explain`: which route serves a request, and why, according to the policy of the manifests. */
export async function runExplain(
  call: CallOf<"explain">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const request = parseRequest(call);
  if (!request.ok) throw new UsageError(request.problem);
  if (request.value.host === "") {
    throw new UsageError("the URL has no host: write http://<host>/path, or add -H 'Host: <host>'");
  }
  const compiled = await compileInput(call, settings, terminal);
  const { compilation, diagnostics, summary, status } = compiled;
  reportDiagnostics(diagnostics, call.format, terminal.writeError, terminal.colours);
  if (diagnostics.length > 0 && call.format === "text") terminal.writeError(summary);
  const file = compilation.files.find(({ path }) => path === "policy.json");
  const policy = readPolicy(file === undefined ? "{}" : contentsOf(file));
  const explanation = explain(policy, request.value);
  const json = `${JSON.stringify(explanation, null, 2)}\n`;
  terminal.write(call.format === "json" ? json : formatExplanation(explanation));
  return status;
}
