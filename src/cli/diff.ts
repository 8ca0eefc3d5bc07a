import { X509Certificate } from "node:crypto";
import { type Compilation, compile } from "../compile.js";
import { type Diagnostic, refKey } from "../diagnostics/diagnostic.js";
import { counted, formatCounts } from "../diagnostics/format.js";
import { diff } from "../diff/diff.js";
import { formatDifferences, formatMarkdown } from "../diff/format.js";
import type { DiffInput } from "../diff/side.js";
import { readPolicy } from "../explain/explain.js";
import type { Source } from "../input/documents.js";
import { MissingPathError, readSources } from "../input/files.js";
import { loadResources } from "../input/load.js";
import { contentsOf } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import type { CallOf } from "./arguments.js";
import { readRevision } from "./git.js";
import { type Settings, compileOptions } from "./settings.js";
import { type ExitStatus, type Terminal, EXIT } from "./terminal.js";
import { reportDiagnostics } from "./validate.js";

/** `albc diff`: what a change of manifests does to requests. The exit status is 1 if auth is lost, or if there are new errors. */
export async function runDiff(
  call: CallOf<"diff">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const before = compiledSide(await readSide(call.before, settings, terminal), settings);
  const now = compiledSide(await readSide(call.now, settings, terminal), settings);
  const known = new Set(before.diagnostics.map(keyOf));
  const errors = now.diagnostics.filter(({ severity }) => severity === "error");
  const added = errors.filter((diagnostic) => !known.has(keyOf(diagnostic)));
  const differences = diff(before.input, now.input);
  reportDiagnostics(added, "text", terminal.writeError, terminal.colours);
  terminal.writeError(`before: ${before.summary}\nnow:    ${now.summary}\n`);
  terminal.write(shown(call.format, { differences, before, now }));
  const isLost = differences.changes.some(({ effects }) => effects.includes("authLost"));
  return isLost || added.length > 0 ? EXIT.inputErrors : EXIT.fine;
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
  readonly summary: string;
}

function compiledSide(sources: readonly Source[], settings: Settings): CompiledSide {
  const loaded = loadResources(sources, { albGroup: settings.text("albApiGroup") });
  const { files, config, ...compilation } = compile(loaded.resources, compileOptions(settings));
  const diagnostics = [...loaded.diagnostics, ...compilation.diagnostics];
  const policy = files.find(({ path }) => path === "policy.json");
  return {
    input: { policy: readPolicy(policy === undefined ? "{}" : contentsOf(policy)), config },
    files,
    diagnostics,
    summary: `${counted(loaded.objects, "object")}, ${formatCounts(diagnostics)}`,
  };
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
    readonly differences: ReturnType<typeof diff>;
    readonly before: CompiledSide;
    readonly now: CompiledSide;
  },
): string {
  const files = new Map([...before.files, ...now.files].map((file) => [file.path, file]));
  const certificateText = (path: string | undefined): string => {
    const file = path === undefined ? undefined : files.get(path);
    return file === undefined ? "none" : describeCertificate(contentsOf(file));
  };
  switch (format) {
    case "text":
      return formatDifferences({ ...differences, certificateText });
    case "markdown":
      return formatMarkdown({ ...differences, certificateText });
    case "json": {
      const certificates = differences.certificates.map(
        ({ before: old, now: current, ...rest }) => ({
          ...rest,
          before: certificateText(old),
          now: certificateText(current),
        }),
      );
      return `${JSON.stringify({ ...differences, certificates }, null, 2)}\n`;
    }
  }
}

/** The names and the end of the first certificate of a file, which has its key, too. */
function describeCertificate(pem: string): string {
  const [text] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(pem) ?? [];
  if (text === undefined) return "unreadable";
  const { subjectAltName = "", validTo, fingerprint256 } = new X509Certificate(text);
  const end = new Date(validTo).toISOString().slice(0, 10);
  const digest = fingerprint256.replaceAll(":", "").slice(0, 16).toLowerCase();
  return `${subjectAltName.replaceAll("DNS:", "")} until ${end}, SHA-256 ${digest}…`;
}
