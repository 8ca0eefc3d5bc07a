import { dump } from "js-yaml";
import type { KindMap, KindName } from "../api/kinds.js";
import { KIND_NAMES } from "../api/kinds.js";
import type { Compilation } from "../compile.js";
import { compile } from "../compile.js";
import type { Resources } from "../input/resources.js";
import { differences } from "../output/check.js";
import { writeFiles } from "../output/file-writer.js";
import { luaBundle } from "../output/lua-bundle.js";
import { contentsOf } from "../render/rendered-file.js";
import { mergedStatus } from "../status/merge-status.js";
import type { ObjectStatus } from "../status/object-status.js";
import { compareStrings } from "../support/collections.js";
import type { Emit, RenderCall } from "./arguments.js";
import { hasErrors, loadInput, reportDiagnostics, summaryLine } from "./load-input.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { ExitStatus, Terminal } from "./terminal.js";
import { EXIT } from "./terminal.js";

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

/**
 * One stage of the pipeline as text: YAML, or the file itself. Contents of secrets are left out. Statuses are as `albc run` would
 * write them into those that the objects have, but for the lastTransitionTime of our conditions: nothing changes here.
 */
export function emitStage(
  stage: Emit,
  resources: Resources,
  compilation: Compilation,
  controllerName: string,
): string {
  switch (stage) {
    case "resources":
      return documents(
        KIND_NAMES.flatMap((kind) => resources.list(kind).map((object) => printable(kind, object))),
      );
    case "ir":
      return dump(withoutHashes(compilation), { noRefs: true, lineWidth: -1 });
    case "nginx":
      return fileContents(compilation, "nginx.conf");
    case "policy":
      return fileContents(compilation, "policy.json");
    case "status":
      return documents(
        compilation.statuses.map((computed) => ({
          ...computed,
          status: mergedStatus(givenStatus(computed, resources), computed, { controllerName }),
        })),
      );
  }
}

function givenStatus({ kind, metadata }: ObjectStatus, resources: Resources): unknown {
  const name = KIND_NAMES.find((known) => known === kind);
  const object = name && resources.get(name, metadata.namespace, metadata.name);
  return object !== undefined && "status" in object ? object.status : undefined;
}

function documents(values: readonly unknown[]): string {
  return values.map((value) => `---\n${dump(value, { noRefs: true, lineWidth: -1 })}`).join("");
}

// Keys stay, so that one sees what a secret holds; values do not. An annotation may repeat the whole object.
function printable(kind: KindName, object: KindMap[KindName]): unknown {
  if (kind !== "Secret" || !("data" in object)) return object;
  const { annotations: _annotations, ...metadata } = object.metadata;
  const data = Object.fromEntries(Object.keys(object.data ?? {}).map((key) => [key, "[redacted]"]));
  return { ...object, metadata, data };
}

function withoutHashes(compilation: Compilation): unknown {
  const { credentials, certificates, ...rest } = compilation.config;
  return {
    ...rest,
    credentials: credentials.map((set) => ({
      id: set.id,
      users: Object.keys(set.entries).sort(compareStrings),
    })),
    certificates: certificates.map((certificate) => ({ id: certificate.id })),
  };
}

function fileContents(compilation: Compilation, path: string): string {
  const file = compilation.files.find((each) => each.path === path);
  return file === undefined ? "" : contentsOf(file);
}
