import { KIND_NAMES } from "../api/kinds.js";
import { type Compilation, compile } from "../compile.js";
import { type Diagnostic, refKey } from "../diagnostics/diagnostic.js";
import { counted, formatCounts, formatResource, subjectOf } from "../diagnostics/format.js";
import { diff } from "../diff/diff.js";
import { type Described, formatDifferences, formatMarkdown } from "../diff/format.js";
import type { DiffInput } from "../diff/side.js";
import { readPolicy } from "../explain/explain.js";
import { summaryOf } from "../explain/summary.js";
import { assumedGateways } from "../input/assumed-gateways.js";
import { type IsAssumed, assuming } from "../input/assumed.js";
import type { Source } from "../input/documents.js";
import { MissingPathError, readSources } from "../input/files.js";
import { type LoadResult, loadResources } from "../input/load.js";
import type { RawObject } from "../kubernetes/raw-object.js";
import type { CompileOptions } from "../model/options.js";
import { contentsOf } from "../render/rendered-file.js";
import { type ObjectStatus, listOf } from "../status/object-status.js";
import { EnvironmentError } from "../support/errors.js";
import { isObject, own } from "../support/json-object.js";
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
  const sides = [oldInput.resources, newInput.resources];
  // A cluster has all that there is.
  const isFile = call.before !== undefined;
  const gateways = isFile ? assumedGateways(sides, settings.text("controllerName")) : [];
  const isAssumed: IsAssumed = (...of) =>
    isFile && sides.every((resources) => resources.get(...of) === undefined);
  const compiled = (sources: readonly Source[], loaded: LoadResult): CompiledSide => {
    const more: Source = { path: "", objects: gateways };
    const all = gateways.length === 0 ? loaded : loadResources([...sources, more], input);
    return compiledSide({ ...all, objects: loaded.objects }, options, isAssumed);
  };
  terminal.progress("compiling the manifests before the change");
  const before = compiled(old, oldInput);
  terminal.progress("compiling the manifests after the change");
  const now = compiled(current, newInput);
  const known = new Set(before.diagnostics.map(keyOf));
  const errors = now.diagnostics.filter(({ severity }) => severity === "error");
  const added = errors.filter((diagnostic) => !known.has(keyOf(diagnostic)));
  terminal.progress("comparing what happens to requests");
  const broken = now.broken.filter((name) => before.broken.includes(name));
  const notCompared = [...new Set([...now.refused, ...broken])].sort(compareStrings);
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
  /** Objects and files that are refused, and routes whose parent is unknown. */
  readonly refused: readonly string[];
  /** Objects whose requests are refused, or that are not served: no change of theirs shows if that is so on both sides. */
  readonly broken: readonly string[];
  readonly summary: string;
}

function compiledSide(
  loaded: LoadResult,
  options: CompileOptions,
  isAssumed: IsAssumed,
): CompiledSide {
  const { files, config, statuses, ...compilation } = compile(
    assuming(loaded.resources, isAssumed),
    options,
  );
  const diagnostics = [...loaded.diagnostics, ...compilation.diagnostics];
  const file = files.find(({ path }) => path === "policy.json");
  const policy = readPolicy(file === undefined ? "{}" : contentsOf(file));
  const refused = [
    ...loaded.diagnostics.filter(({ severity }) => severity === "error"),
    ...compilation.diagnostics.filter(({ code }) => code === "ROUTE_PARENT_NOT_FOUND"),
  ];
  return {
    ...{ input: { policy, config }, files, diagnostics },
    refused: refused.map(subjectOf),
    broken: [
      ...summaryOf(policy).broken.map(({ object }) => object),
      ...statuses.filter(isRefused).map((each) => formatResource({ ...each, ...each.metadata })),
    ],
    summary: `${counted(loaded.objects, "object")}, ${formatCounts(diagnostics)}`,
  };
}

/** Whether the object, or its part at one of its parents, is not served. */
function isRefused({ status }: ObjectStatus): boolean {
  const holders = [status, ...listOf(own(status, "parents")).filter(isObject)];
  return holders
    .flatMap((holder) => listOf(own(holder, "conditions")).filter(isObject))
    .some(({ type, status: value }) => {
      return (type === "Accepted" || type === "Programmed") && value === "False";
    });
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
