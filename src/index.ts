/** The public API: manifests or objects in, files, statuses and diagnostics out. */
export { compile } from "./compile.js";
export type { Compilation } from "./compile.js";
export { formatJson } from "./diagnostics/format.js";
export { formatText } from "./diagnostics/format.js";
export type { Diagnostic, ResourceRef, SourceLocation } from "./diagnostics/diagnostic.js";
export type { Severity } from "./diagnostics/catalog.js";
export { loadResources, resourcesFromObjects, resourcesFromYaml } from "./input/load.js";
export type { LoadResult } from "./input/load.js";
export type { Resources } from "./input/resources.js";
export { DEFAULT_OPTIONS } from "./model/options.js";
export type { CompileOptions } from "./model/options.js";
export type { PolicyDocument } from "./model/policy.js";
export type { RenderedFile } from "./render/rendered-file.js";
export type { ObjectStatus } from "./status/object-status.js";
