/** `albc validate`, and what it shares with the other commands that compile once. */
import { writeFile } from "node:fs/promises";
import { type Compilation, compile } from "../compile.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { formatGithub, formatSarif } from "../diagnostics/ci-formats.js";
import { counted, formatCounts, formatJson, formatText } from "../diagnostics/format.js";
import { KUSTOMIZE_HINT } from "../diagnostics/unrendered.js";
import { inOrder } from "../diagnostics/sink.js";
import { type IsAssumed, assuming, promisedIn } from "../input/assumed.js";
import type { Source } from "../input/documents.js";
import { readSources } from "../input/files.js";
import { type LoadResult, loadResources } from "../input/load.js";
import { review } from "../translate/review.js";
import { fileError } from "../output/files.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "../model/options.js";
import { visible } from "../support/text.js";
import type { CallOf } from "./command-call.js";
import { readCluster } from "./cluster.js";
import { baselineOf, unknownFindings } from "./known-findings.js";
import { type Settings, compileOptions } from "./settings.js";
import { type ExitStatus, type Terminal, EXIT, readVersion } from "./terminal.js";

/** `albc validate`: prints all problems of the manifests on standard output, and a summary on standard error. */
export async function runValidate(
  call: CallOf<"validate">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const {
    input,
    diagnostics: all,
    what,
  } = await compileInput(call, settings, terminal, {
    checksUnattached: true,
    assumes: (input) =>
      call.assumeReferences ? () => true : promisedIn(input.resources, input.promised),
  });
  const diagnostics = unknownFindings(all, call);
  const failing = ["error", call.failOn];
  reportDiagnostics(diagnostics, call.format, terminal.write, terminal.colours);
  if (call.format === "text") {
    for (const { count, apiVersion, kind } of input.unknownKinds) {
      const hint = kind === "Kustomization" ? `; ${KUSTOMIZE_HINT}` : "";
      terminal.write(`not read: ${String(count)} × ${visible(`${apiVersion} ${kind}`)}${hint}\n`);
    }
  }
  const left = all.length - diagnostics.length;
  const known = left === 0 ? "" : `, ${String(left)} left out`;
  terminal.writeError(`${what}: ${formatCounts(diagnostics)}${known}\n`);
  const isEmpty = warnOfNothing(input, call, terminal);
  if (call.writeBaseline !== undefined) {
    await writeBaseline(call.writeBaseline, baselineOf(all));
    return EXIT.fine;
  }
  const fails = diagnostics.some(({ severity }) => failing.includes(severity));
  return fails || isEmpty ? EXIT.inputErrors : EXIT.fine;
}

async function writeBaseline(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: unknown) => {
    throw fileError("write", path, error);
  });
}

/** Nothing to check is rarely what was meant: a wrong folder, or a chart that rendered nothing. Whether it makes the command fail. */
export function warnOfNothing(
  { objects }: Pick<LoadResult, "objects">,
  { requireObjects }: { readonly requireObjects: boolean },
  { writeError }: Pick<Terminal, "writeError">,
): boolean {
  if (objects > 0) return false;
  writeError("albc: no object that albc reads was found; check the paths after -f\n");
  return requireObjects;
}

/** What a command compiles: files of `-f`, or the objects of a cluster. */
export interface CompiledCall {
  readonly paths: readonly string[];
  readonly kubernetes: boolean;
}

interface Further extends Pick<CompileOptions, "checksUnattached"> {
  /** Which objects are assumed if they are missing; absent: none. */
  readonly assumes?: (input: LoadResult) => IsAssumed;
}

/**
 * Reads the manifests that `-f` names (`-` is standard input), or the cluster, and compiles them. `summary` names what was read, because
 * no problem in no file means nothing. `status`: whether there are errors.
 */
export async function compileInput(
  call: CompiledCall,
  settings: Settings,
  terminal: Terminal,
  further: Further = DEFAULT_OPTIONS,
): Promise<{
  readonly input: LoadResult;
  readonly compilation: Compilation;
  readonly diagnostics: readonly Diagnostic[];
  /** What was read, such as `3 files, 14 objects`. */
  readonly what: string;
  readonly summary: string;
  readonly status: ExitStatus;
}> {
  terminal.progress(call.kubernetes ? "reading the cluster" : "reading files");
  const { sources, options, what: read } = await readCallSources(call, settings, terminal);
  terminal.progress(`parsing ${read}`);
  const input = loadResources(sources, { albGroup: settings.text("albApiGroup") });
  terminal.progress(`compiling ${counted(input.objects, "object")}`);
  const { checksUnattached, assumes } = further;
  const isAssumed = assumes?.(input);
  const resources = isAssumed ? assuming(input.resources, isAssumed) : input.resources;
  const compilation = compile(resources, { ...options, checksUnattached }, Date.now());
  const found = [...input.diagnostics, ...compilation.diagnostics];
  const diagnostics = review(found, input.resources, compilation.config);
  const hasErrors = diagnostics.some(({ severity }) => severity === "error");
  const what = `${read}, ${counted(input.objects, "object")}`;
  return {
    ...{ input, compilation, diagnostics, what },
    summary: `${what}: ${formatCounts(diagnostics)}\n`,
    status: hasErrors ? EXIT.inputErrors : EXIT.fine,
  };
}

async function readCallSources(
  { paths, kubernetes }: CompiledCall,
  settings: Settings,
  { readInput, variables }: Terminal,
): Promise<{
  readonly sources: readonly Source[];
  readonly options: CompileOptions;
  readonly what: string;
}> {
  if (kubernetes) {
    const { objects, options } = await readCluster(settings, variables);
    return { sources: [{ path: "", objects }], options, what: "the cluster" };
  }
  const followLinks = settings.switch("followLinks");
  const sources = await readSources(paths, { readInput, missing: "fail", followLinks });
  const files = sources.filter((source) => "text" in source).length;
  return { sources, options: compileOptions(settings), what: counted(files, "file") };
}

/** Prints diagnostics, sorted by place. */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: CallOf<"validate">["format"],
  write: (text: string) => void,
  colours: boolean,
): void {
  const text = formatAs(format, inOrder(diagnostics), colours);
  if (text !== "") write(text);
}

function formatAs(
  format: CallOf<"validate">["format"],
  diagnostics: readonly Diagnostic[],
  colours: boolean,
): string {
  switch (format) {
    case "text":
      return formatText(diagnostics, { colours });
    case "json":
      return formatJson(diagnostics);
    case "github":
      return formatGithub(diagnostics);
    case "sarif":
      return formatSarif(diagnostics, readVersion());
  }
}
