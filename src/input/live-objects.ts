/**
 * Objects of an API server, which come, change and go one by one: each is checked once, when it comes. What an API server has
 * taken and we refuse is not served, as after a restart: there is no last good content to fall back to.
 */
import type { KindName } from "../api/kinds.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import { decode } from "./decode.js";
import type { Decoded } from "./decode.js";
import { findingDiagnostics } from "./input-diagnostics.js";
import { kindTable } from "./kind-table.js";
import type { KindTable } from "./kind-table.js";
import type { Resources } from "./resources.js";
import { takeSnapshot } from "./snapshot.js";
import type { InputOptions } from "./source.js";

export interface LiveSnapshot {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
}

export class LiveObjects {
  readonly #table: KindTable;
  readonly #decoded = new Map<string, Decoded>();

  constructor(options: InputOptions) {
    this.#table = kindTable(options.albGroup);
  }

  /** An object is there, or has changed. */
  put(kind: KindName, namespace: string, name: string, value: unknown): void {
    this.#decoded.set(keyOf(kind, namespace, name), decode(value, this.#table));
  }

  delete(kind: KindName, namespace: string, name: string): void {
    this.#decoded.delete(keyOf(kind, namespace, name));
  }

  /** How many there are. */
  get size(): number {
    return this.#decoded.size;
  }

  snapshot(): LiveSnapshot {
    const values = [...this.#decoded.values()];
    const { resources, diagnostics } = takeSnapshot(
      values.flatMap((decoded) =>
        decoded.result === "object"
          ? [
              {
                path: "",
                key: decoded.key,
                ref: decoded.ref,
                entry: decoded.entry,
                locate: nowhere,
              },
            ]
          : [],
      ),
      values.flatMap((decoded) =>
        decoded.result === "refused" && decoded.ref !== undefined ? [decoded.ref] : [],
      ),
    );
    const findings = values.flatMap((decoded) => findingDiagnostics({ decoded, locate: nowhere }));
    return { resources, diagnostics: sortDiagnostics([...findings, ...diagnostics]) };
  }
}

function keyOf(kind: KindName, namespace: string, name: string): string {
  return `${kind} ${namespace} ${name}`;
}

function nowhere(): undefined {
  return undefined;
}
