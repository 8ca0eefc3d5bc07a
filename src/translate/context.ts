import type { DiagnosticSink } from "../diagnostics/sink.js";
import type { Resources } from "../input/resources.js";
import type { CompileOptions } from "../options.js";

/** What every translation step sees. */
export interface TranslateContext {
  readonly resources: Resources;
  readonly options: CompileOptions;
  readonly diagnostics: DiagnosticSink;
}
