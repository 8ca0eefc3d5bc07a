import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { formatFieldPath } from "../diagnostics/field-path.js";
import type { Log } from "./log.js";

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

  #write({ code, severity, message, resource, field, location, hint }: Diagnostic): void {
    const fields = {
      code,
      ...(resource && { object: `${resource.kind} ${resource.namespace}/${resource.name}` }),
      ...(field && { field: formatFieldPath(field) }),
      ...(location && {
        place: `${location.file}:${String(location.line)}:${String(location.column)}`,
      }),
      hint,
    };
    if (severity === "error") this.#log.error(fields, message);
    else if (severity === "warning") this.#log.warn(fields, message);
    else this.#log.info(fields, message);
  }
}

// Not the place: moving lines of a file about says nothing new.
function keyOf({ code, message, resource, field }: Diagnostic): string {
  return JSON.stringify([code, message, resource, field]);
}
