import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { dump } from "js-yaml";
import { type KindMap, type KindName, KIND_NAMES } from "../api/kinds.js";
import type { Compilation } from "../compile.js";
import type { Resources } from "../input/resources.js";
import { luaBundle } from "../output/environment.js";
import { ownFiles, readIfThere, writeFiles } from "../output/files.js";
import { type RenderedFile, contentsOf } from "../render/rendered-file.js";
import { mergedStatus } from "../status/merge-status.js";
import type { ObjectStatus } from "../status/object-status.js";
import { compareStrings } from "../support/collections.js";
import { SecretText } from "../support/secret-text.js";
import { visibleLines } from "../support/text.js";
import type { CallOf } from "./command-call.js";
import type { Settings } from "./settings.js";
import { type ExitStatus, type Terminal, EXIT } from "./terminal.js";
import { compileInput, reportDiagnostics, warnOfNothing } from "./validate.js";

/** `albc render`: writes everything valid. The exit status says whether there were errors. */
export async function runRender(
  call: CallOf<"render">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const compiled = await compileInput(call, settings, terminal);
  const { input, compilation, diagnostics, summary, status } = compiled;
  reportDiagnostics(diagnostics, "text", terminal.writeError, terminal.colours);
  terminal.writeError(summary);
  const isEmpty = warnOfNothing(input, call, terminal);
  if (call.emit !== undefined) {
    const controllerName = settings.text("controllerName");
    const text = emitStage(call.emit, input.resources, compilation, controllerName);
    terminal.write(visibleLines(text));
  }
  const differs =
    call.output !== undefined && (await writeOrCheck(call, call.output, compilation, terminal));
  return differs || isEmpty ? EXIT.inputErrors : status;
}

/** True if `--check` found a difference. */
async function writeOrCheck(
  call: CallOf<"render">,
  folder: string,
  compilation: Compilation,
  terminal: Terminal,
): Promise<boolean> {
  const files = [...compilation.files, ...(await luaBundle())];
  terminal.progress(`${call.check ? "comparing with" : "writing"} ${folder}`);
  if (!call.check) {
    await writeFiles(folder, files);
    return false;
  }
  const found = await differences(folder, files);
  for (const difference of found) terminal.write(visibleLines(difference));
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
  const { path, contents } = file;
  const before = await readIfThere(join(folder, path));
  const after = contentsOf(file);
  if (before === after) return undefined;
  if (contents instanceof SecretText) {
    return `${path}: ${before === undefined ? "missing" : "differs"} (contents not shown)\n`;
  }
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
  stage: NonNullable<CallOf<"render">["emit"]>,
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
