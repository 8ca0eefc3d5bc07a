/**
 * The public API (docs/library.md): manifests or objects in; files, statuses, diagnostics and explanations out. Its types name no other
 * package, so a strict project can check them without skipLibCheck; test/smoke/package.test.ts does.
 */
import { type Compilation, compile as compileObjects } from "./compile.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { type Explanation, explain as explainRequest, readPolicy } from "./explain/explain.js";
import { parseRequest } from "./explain/request.js";
import { readSources } from "./input/files.js";
import { DEFAULT_INPUT_OPTIONS } from "./input/kind-table.js";
import { loadResources as loadSources } from "./input/load.js";
import type { Resources } from "./input/resources.js";
import { type CompileOptions, DEFAULT_OPTIONS } from "./model/options.js";
import type { PolicyDocument } from "./model/policy.js";
import { contentsOf } from "./render/rendered-file.js";
import { memoized } from "./support/collections.js";
import { review as reviewed } from "./translate/review.js";

export { DEFAULT_OPTIONS, contentsOf };
export { formatJson, formatText } from "./diagnostics/format.js";
export type { Compilation, CompileOptions, Diagnostic, Explanation, PolicyDocument, Resources };
export type { Severity } from "./diagnostics/catalog.js";
export type { ResourceRef, SourceLocation } from "./diagnostics/diagnostic.js";
export type { RenderedFile } from "./render/rendered-file.js";
export type { ObjectStatus } from "./status/object-status.js";

export interface LoadOptions {
  /** API group of ALB2, Frontend, Rule and AuthPolicy; `crd.alauda.io` by default, as in `CompileOptions.domains.group`. */
  readonly albGroup?: string;
  /** Also read what links in a folder lead to outside of it. */
  readonly followLinks?: boolean;
}

export interface LoadResult {
  readonly resources: Resources;
  /** What could not be read, or would be refused by an API server. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many objects there are of each kind that albc does not read. */
  readonly unknownKinds: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly count: number;
  }[];
  /** The number of objects of kinds that are read, including refused ones. */
  readonly objects: number;
}

/**
 * Reads files and folders as `-f` of the command line does: folders recursively, `.yaml`, `.yml` and `.json`. Rejects with an
 * EnvironmentError for a path that does not exist; every other problem is a diagnostic.
 */
export async function loadFiles(
  paths: readonly string[],
  { followLinks = false, ...options }: LoadOptions = {},
): Promise<LoadResult> {
  const sources = await readSources(paths, {
    readInput: () => Promise.resolve(""),
    missing: "fail",
    followLinks,
  });
  return load(sources, options);
}

/** Reads a text with YAML documents or JSON; `path` names it in diagnostics. */
export function loadText(text: string, options: LoadOptions = {}, path = "<text>"): LoadResult {
  return load([{ path, text }], options);
}

/** Takes objects as an API server returns them, or as a program makes them. */
export function loadObjects(objects: readonly unknown[], options: LoadOptions = {}): LoadResult {
  return load([{ path: "", objects }], options);
}

function load(
  sources: Parameters<typeof loadSources>[0],
  { albGroup = DEFAULT_INPUT_OPTIONS.albGroup }: LoadOptions,
): LoadResult {
  return loadSources(sources, { albGroup });
}

/**
 * Compiles objects to files, statuses and diagnostics; equal objects and options give equal bytes. `now`: milliseconds since 1970, to
 * report expired certificates; 0: none has expired.
 */
export function compile(
  resources: Resources,
  options: CompileOptions = DEFAULT_OPTIONS,
  now = 0,
): Compilation {
  return compileObjects(resources, options, now);
}

/** All diagnostics that `albc validate` prints for objects that were read and compiled. */
export function review(loaded: LoadResult, compilation: Compilation): readonly Diagnostic[] {
  const found = [...loaded.diagnostics, ...compilation.diagnostics];
  return reviewed(found, loaded.resources, compilation.config);
}

export interface Request {
  /** `https://host[:port]/path?query`. */
  readonly url: string;
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's IP address; 127.0.0.1 by default. */
  readonly client?: string;
  /** Id of the server, if several have the port. */
  readonly server?: string;
}

/**
 * The route that serves a request, and why, as `albc explain --format json` prints it. Takes a compilation or the object in a policy.json
 * of the same version of albc. Throws TypeError for a request that can't be read.
 */
export function explain(compiled: Compilation | PolicyDocument, request: Request): Explanation {
  const { url, method = "GET", headers = {}, client = "127.0.0.1", server } = request;
  const parsed = parseRequest({
    ...{ method, url, client },
    headers: Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(server !== undefined && { server }),
  });
  if (!parsed.ok) throw new TypeError(parsed.problem);
  return explainRequest("files" in compiled ? policyOf(compiled) : compiled, parsed.value);
}

/** A test asks for many requests of one compilation, whose policy may be large. */
const policyOf = memoized(({ files }: Compilation): PolicyDocument => {
  const file = files.find(({ path }) => path === "policy.json");
  return readPolicy(file === undefined ? "{}" : contentsOf(file));
});
