import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import { formatFieldPath } from "../../diagnostics/field-path.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { Companion } from "./annotation-settings.js";

/**
 * Finds annotations that serve no path of their Ingress. One that has no effect on one path may have it on another, by their
 * index prefixes, so it can be told only when all paths have been seen.
 */
export class CompanionReports {
  readonly #unused = new Map<string, { readonly resource: ResourceRef; readonly it: Companion }>();
  readonly #used = new Set<string>();

  /** Notes what the annotations of a path are good for. */
  add(resource: ResourceRef, companions: readonly Companion[]): void {
    const { kind, namespace, name } = resource;
    for (const it of companions) {
      const key = `${kind}/${namespace}/${name} ${formatFieldPath(it.setting.field)}`;
      if (it.used) this.#used.add(key);
      else this.#unused.set(key, { resource, it });
    }
  }

  report(diagnostics: DiagnosticSink): void {
    for (const [key, { resource, it }] of this.#unused) {
      if (this.#used.has(key)) continue;
      diagnostics.report({
        code: "AUTH_SETTING_WITHOUT_EFFECT",
        message: `${it.setting.label} has no effect without ${it.needs}`,
        resource,
        field: it.setting.field,
      });
    }
  }
}
