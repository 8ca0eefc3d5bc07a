import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { dump } from "js-yaml";
import type { KindMap, KindName } from "../api/kinds.js";
import { KIND_NAMES } from "../api/kinds.js";
import type { Compilation } from "../compile.js";
import { compile } from "../compile.js";
import type { Resources } from "../input/resources.js";
import { luaBundle } from "../output/environment.js";
import { readIfThere } from "../output/file-error.js";
import { ownFiles, writeFiles } from "../output/file-writer.js";
import type { RenderedFile } from "../render/rendered-file.js";
import { contentsOf } from "../render/rendered-file.js";
import { mergedStatus } from "../status/merge-status.js";
import type { ObjectStatus } from "../status/object-status.js";
import { SecretText } from "../support/secret-text.js";
import { compareStrings } from "../support/collections.js";
import type { Emit, RenderCall } from "./arguments.js";
import { hasErrors, loadInput, reportDiagnostics, summaryLine } from "./validate.js";
import type { Settings } from "./settings.js";
import { compileOptions } from "./settings.js";
import type { ExitStatus, Terminal } from "./terminal.js";
import { EXIT } from "./terminal.js";

/** `albc render`: writes everything valid. The exit status says whether there were errors. */
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

/** True if `--check` found a difference. */
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
 * What would change if the files were written to `folder`: a unified diff for each file, or one line for a stale file and for a secret,
 * whose contents are never shown. Modes are not compared, because version control does not keep them.
 */
export async function differences(
  folder: string,
  files: readonly RenderedFile[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const difference = await compare(folder, file);
    if (difference !== undefined) found.push(difference);
  }
  const expected = new Set(files.map((file) => file.path));
  for (const path of await ownFiles(folder)) {
    if (!expected.has(path)) found.push(`${path}: stale, would be removed\n`);
  }
  return found;
}

async function compare(folder: string, file: RenderedFile): Promise<string | undefined> {
  const actual = await readIfThere(join(folder, file.path));
  if (actual === undefined) return missing(file);
  if (actual === contentsOf(file)) return undefined;
  if (file.contents instanceof SecretText) return `${file.path}: differs (contents not shown)\n`;
  return patch(file.path, actual, contentsOf(file));
}

function missing(file: RenderedFile): string {
  if (file.contents instanceof SecretText) return `${file.path}: missing (contents not shown)\n`;
  return patch(file.path, undefined, contentsOf(file));
}

function patch(path: string, before: string | undefined, after: string): string {
  const old = before === undefined ? "/dev/null" : `a/${path}`;
  return createTwoFilesPatch(old, `b/${path}`, before ?? "", after, undefined, undefined, {
    context: 3,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
}

/**
 * One stage of the pipeline as text: YAML, or the file itself, without secrets. Statuses are what `albc run` would write into the given
 * statuses, but without lastTransitionTime in our conditions, because nothing changes here.
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

// Keys are shown, values are not. Annotations are dropped, because one may repeat the whole object.
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
