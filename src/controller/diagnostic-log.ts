import type { Diagnostic, SourceLocation } from "../diagnostics/diagnostic.js";
import { formatFieldPath } from "../diagnostics/field-path.js";
import type { Log } from "../support/log.js";

/** Logs diagnostics as they come and go: one that stands for long is said once. */
export class DiagnosticLog {
  readonly #log: Log;
  #known: ReadonlySet<string> = new Set();

  constructor(log: Log) {
    this.#log = log;
  }

  update(diagnostics: readonly Diagnostic[]): void {
    const now = new Map(diagnostics.map((diagnostic) => [keyOf(diagnostic), diagnostic]));
    for (const [key, diagnostic] of now) {
      if (!this.#known.has(key)) this.#write(diagnostic);
    }
    const mended = [...this.#known].filter((key) => !now.has(key)).length;
    if (mended > 0) this.#log.info({ mended, left: now.size }, "diagnostics were mended");
    this.#known = new Set(now.keys());
  }

  #write(diagnostic: Diagnostic): void {
    const { code, severity, message, resource, field, location, related, hint } = diagnostic;
    const fields = {
      code,
      ...(resource && { object: `${resource.kind} ${resource.namespace}/${resource.name}` }),
      ...(field && { field: formatFieldPath(field) }),
      ...(location && { place: placeText(location) }),
      ...(related && {
        related: related.map((other) => `${placeText(other.location)}: ${other.message}`),
      }),
      hint,
    };
    if (severity === "error") this.#log.error(fields, message);
    else if (severity === "warning") this.#log.warn(fields, message);
    else this.#log.info(fields, message);
  }
}

function placeText({ file, line, column }: SourceLocation): string {
  return `${file}:${String(line)}:${String(column)}`;
}

// Not the place: moving lines of a file about says nothing new.
function keyOf({ code, message, resource, field }: Diagnostic): string {
  return JSON.stringify([code, message, resource, field]);
}
