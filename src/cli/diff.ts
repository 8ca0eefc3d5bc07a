import { KIND_NAMES } from "../api/kinds.js";
import { type Compilation, compile } from "../compile.js";
import { type Diagnostic, refKey } from "../diagnostics/diagnostic.js";
import { counted, formatCounts, subjectOf } from "../diagnostics/format.js";
import { diff } from "../diff/diff.js";
import { type Described, formatDifferences, formatMarkdown } from "../diff/format.js";
import type { DiffInput } from "../diff/side.js";
import { readPolicy } from "../explain/explain.js";
import { type IsAssumed, assuming } from "../input/assumed.js";
import type { Source } from "../input/documents.js";
import { MissingPathError, readSources } from "../input/files.js";
import { type LoadResult, loadResources } from "../input/load.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import type { CompileOptions } from "../model/options.js";
import { contentsOf } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import { compareStrings } from "../support/collections.js";
import { visibleJson } from "../support/text.js";
import type { CallOf } from "./command-call.js";
import { certificateText } from "./certificate-text.js";
import { readCluster } from "./cluster.js";
import { readRevision } from "./git.js";
import { type Settings, compileOptions } from "./settings.js";
import { type ExitStatus, type Terminal, EXIT } from "./terminal.js";
import { reportDiagnostics } from "./validate.js";

/** `albc diff`: what a change of manifests does to requests. The exit status is 1 for the changes of --fail-on, and for new errors. */
export async function runDiff(
  call: CallOf<"diff">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  terminal.progress("reading both sides");
  const { old, current, options } = await readSides(call, settings, terminal);
  const input = { albGroup: settings.text("albApiGroup") };
  const [oldInput, newInput] = [loadResources(old, input), loadResources(current, input)];
  // A cluster has all that there is.
  const isAssumed: IsAssumed = (...of) =>
    call.before !== undefined &&
    [oldInput, newInput].every(({ resources }) => resources.get(...of) === undefined);
  terminal.progress("compiling the manifests before the change");
  const before = compiledSide(oldInput, options, isAssumed);
  terminal.progress("compiling the manifests after the change");
  const now = compiledSide(newInput, options, isAssumed);
  const known = new Set(before.diagnostics.map(keyOf));
  const errors = now.diagnostics.filter(({ severity }) => severity === "error");
  const added = errors.filter((diagnostic) => !known.has(keyOf(diagnostic)));
  terminal.progress("comparing what happens to requests");
  const { notCompared } = now;
  const differences = { ...diff(before.input, now.input), notCompared };
  reportDiagnostics(added, "text", terminal.writeError, terminal.colours);
  terminal.writeError(`before: ${before.summary}\nnow:    ${now.summary}\n`);
  terminal.write(shown(call.format, { differences, before, now }));
  const fails = differences.changes.some(({ effects }) =>
    effects.some((effect) => call.failOn.includes(effect)),
  );
  return fails || added.length + notCompared.length > 0 ? EXIT.inputErrors : EXIT.fine;
}

async function readSides(
  { before, now }: CallOf<"diff">,
  settings: Settings,
  terminal: Terminal,
): Promise<{
  readonly old: readonly Source[];
  readonly current: readonly Source[];
  readonly options: CompileOptions;
}> {
  const current = await readSide(now, settings, terminal);
  if (before !== undefined) {
    const old = await readSide(before, settings, terminal);
    return { old, current, options: compileOptions(settings) };
  }
  const { objects, options } = await readCluster(settings, terminal.variables);
  const rest = withoutNamed(objects, current, settings);
  return {
    old: [{ path: "", objects }],
    current: [...current, { path: "", objects: rest }],
    options,
  };
}

/** The objects of the cluster that manifests do not replace. */
function withoutNamed(
  objects: readonly RawObject[],
  sources: readonly Source[],
  settings: Settings,
): readonly RawObject[] {
  const { resources } = loadResources(sources, { albGroup: settings.text("albApiGroup") });
  const read = KIND_NAMES.flatMap((kind) =>
    resources.list(kind).map(({ metadata }) => ({ kind, ...metadata })),
  );
  const named = new Set([...read, ...resources.refused].map(nameOf));
  return objects.filter(({ kind = "", metadata }) => !named.has(nameOf({ kind, ...metadata })));
}

function nameOf({
  kind,
  namespace = "",
  name,
}: Readonly<{ kind: string; namespace?: string | undefined; name: string }>): string {
  return `${kind} ${namespace} ${name}`;
}

/** A file, a folder, `-`, or `REVISION:PATH` of git. A path that exists is not looked for in git. */
async function readSide(
  path: string,
  settings: Settings,
  { readInput }: Terminal,
): Promise<readonly Source[]> {
  try {
    const followLinks = settings.switch("followLinks");
    return await readSources([path], { readInput, missing: "fail", followLinks });
  } catch (error: unknown) {
    const sources = error instanceof MissingPathError ? await readRevision(path) : undefined;
    if (sources !== undefined) return sources;
    if (!(error instanceof MissingPathError)) throw error;
    throw new EnvironmentError(
      `${path} is no file or folder, and no REVISION:PATH that git knows here`,
      { cause: error },
    );
  }
}

interface CompiledSide {
  readonly input: DiffInput;
  readonly files: Compilation["files"];
  readonly diagnostics: readonly Diagnostic[];
  readonly notCompared: readonly string[];
  readonly summary: string;
}

function compiledSide(
  loaded: LoadResult,
  options: CompileOptions,
  isAssumed: IsAssumed,
): CompiledSide {
  const { files, config, ...compilation } = compile(assuming(loaded.resources, isAssumed), options);
  const diagnostics = [...loaded.diagnostics, ...compilation.diagnostics];
  const policy = files.find(({ path }) => path === "policy.json");
  return {
    input: { policy: readPolicy(policy === undefined ? "{}" : contentsOf(policy)), config },
    files,
    diagnostics,
    notCompared: notCompared(loaded.diagnostics, compilation.diagnostics),
    summary: `${counted(loaded.objects, "object")}, ${formatCounts(diagnostics)}`,
  };
}

/** Objects and files that are refused, and routes whose Gateway is not among the manifests. */
function notCompared(
  loaded: readonly Diagnostic[],
  compiled: readonly Diagnostic[],
): readonly string[] {
  const found = [
    ...loaded.filter(({ severity }) => severity === "error"),
    ...compiled.filter(({ code }) => code === "ROUTE_PARENT_NOT_FOUND"),
  ];
  return [...new Set(found.map(subjectOf))].sort(compareStrings);
}

function keyOf({ code, message, resource, field }: Diagnostic): string {
  return JSON.stringify([code, message, resource && refKey(resource), field]);
}

function shown(
  format: CallOf<"diff">["format"],
  {
    differences,
    before,
    now,
  }: {
    readonly differences: Omit<Described, "certificateText">;
    readonly before: CompiledSide;
    readonly now: CompiledSide;
  },
): string {
  const files = new Map([...before.files, ...now.files].map((file) => [file.path, file]));
  const describe = (path: string | undefined): string => {
    const file = path === undefined ? undefined : files.get(path);
    return file === undefined ? "none" : certificateText(contentsOf(file));
  };
  switch (format) {
    case "text":
      return formatDifferences({ ...differences, certificateText: describe });
    case "markdown":
      return formatMarkdown({ ...differences, certificateText: describe });
    case "json": {
      const certificates = differences.certificates.map(
        ({ before: old, now: current, ...rest }) => ({
          ...rest,
          before: describe(old),
          now: describe(current),
        }),
      );
      return `${visibleJson({ ...differences, certificates }, 2)}\n`;
    }
  }
}
