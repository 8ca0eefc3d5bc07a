/**
 * The pipeline on one screen: Resources → translate → data-plane model → render → files.
 * Pure: no files, clock, process or randomness; equal objects and options give equal bytes, whatever their order.
 */
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { DiagnosticSink } from "./diagnostics/sink.js";
import type { Resources } from "./input/resources.js";
import type { DataPlaneConfig } from "./ir/config.js";
import type { CompileOptions } from "./options.js";
import type { RenderedFile } from "./render/rendered-file.js";
import { render } from "./render/render.js";
import type { ObjectStatus } from "./status/object-status.js";
import type { OwnedObject } from "./status/owned-object.js";
import { translate } from "./translate/translate.js";

export interface Compilation {
  /** nginx.conf, policy.json, certificates, credentials; sorted by path. */
  readonly files: readonly RenderedFile[];
  readonly statuses: readonly ObjectStatus[];
  /** Objects that a controller makes for those of users, such as a Service for each Gateway. */
  readonly objects: readonly OwnedObject[];
  readonly diagnostics: readonly Diagnostic[];
  /** The model in between, for `--emit ir`. */
  readonly config: DataPlaneConfig;
}

export function compile(resources: Resources, options: CompileOptions): Compilation {
  const sink = new DiagnosticSink(resources.locate);
  const { config, statuses, objects } = translate(resources, options, sink);
  const files = render(config, options);
  return { files, statuses, objects, diagnostics: sink.sorted(), config };
}
