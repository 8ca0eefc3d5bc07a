import type { DiagnosticSink } from "../diagnostics/sink.js";
import type { RoutingResources } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";
import type { Backends } from "./backends.js";
import type { Certificates } from "./certificates.js";
import type { ConfigBuilder } from "./config-builder.js";

/** What every step of a translation reads. */
export interface TranslateContext {
  readonly resources: RoutingResources;
  readonly options: CompileOptions;
  readonly diagnostics: DiagnosticSink;
}

/** And what steps add to. */
export interface BuildContext extends TranslateContext {
  readonly config: ConfigBuilder;
  readonly backends: Backends;
  readonly certificates: Certificates;
}
