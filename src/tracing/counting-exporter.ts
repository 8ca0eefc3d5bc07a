/** What becomes of spans. OpenTelemetry's own metrics would need its SDK for metrics, and the processor counts nothing. */
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";

export class CountingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  /** Spans that the exporter has been given. */
  taken = 0;
  exported = 0;
  failed = 0;
  /** Why the last export failed; undefined if it did not. */
  problem: string | undefined;

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.taken += spans.length;
    this.#exporter.export(spans, (result) => {
      if (result.error === undefined) {
        this.exported += spans.length;
        this.problem = undefined;
      } else {
        this.failed += spans.length;
        this.problem = result.error.message;
      }
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
