import type { DiagnosticSink } from "../diagnostics/sink.js";
import type { RoutingResources } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";

/** What every step of a translation reads, and where it reports problems. */
export interface TranslateContext {
  readonly resources: RoutingResources;
  readonly options: CompileOptions;
  readonly diagnostics: DiagnosticSink;
}
