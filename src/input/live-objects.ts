/**
 * Objects of an API server, each checked once when it is added or changed. An object that albc refuses is closed, as after a restart:
 * there is no last good content here.
 */
import type { KindName } from "../api/kinds.js";
import type { Diagnostic, ResourceRef } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import { compareStrings } from "../support/collections.js";
import { decode } from "./decode.js";
import { diagnosticsOf } from "./documents.js";
import type { InputOptions, KindTable } from "./kind-table.js";
import { kindTable } from "./kind-table.js";
import type { ObjectChange } from "./object-store.js";
import { ObjectStore } from "./object-store.js";
import type { Resources } from "./resources.js";

/** A snapshot costs what has changed since the previous one: it shares the lists of unchanged kinds. */
export class LiveObjects {
  readonly #table: KindTable;
  readonly #known = new Set<string>();
  /** Since the last snapshot, by key. */
  #changes = new Map<string, ObjectChange>();
  #store = ObjectStore.EMPTY;
  readonly #diagnosticsOf = new Map<string, readonly Diagnostic[]>();
  readonly #refused = new Map<string, ResourceRef>();
  /** Undefined: to be computed again. */
  #diagnostics: readonly Diagnostic[] | undefined = [];
  #refusedList: readonly ResourceRef[] | undefined = [];

  constructor(options: InputOptions) {
    this.#table = kindTable(options.albGroup);
  }

  /** Adds or replaces an object. `value` must have that kind, namespace and name. */
  put(kind: KindName, namespace: string, name: string, value: unknown): void {
    const key = keyOf(kind, namespace, name);
    const decoded = decode(value, this.#table);
    this.#known.add(key);
    const isRead = decoded.result !== "unknown";
    const served = isRead ? decoded.served : undefined;
    this.#changes.set(key, { kind, namespace, name, now: served?.entry });
    this.#noteDiagnostics(key, isRead ? diagnosticsOf(decoded) : []);
    this.#noteRefused(key, isRead && served === undefined ? decoded.ref : undefined);
  }

  delete(kind: KindName, namespace: string, name: string): void {
    const key = keyOf(kind, namespace, name);
    this.#known.delete(key);
    this.#changes.set(key, { kind, namespace, name });
    this.#noteDiagnostics(key, []);
    this.#noteRefused(key, undefined);
  }

  /** How many there are. */
  get size(): number {
    return this.#known.size;
  }

  snapshot(): { readonly resources: Resources; readonly diagnostics: readonly Diagnostic[] } {
    this.#store = this.#store.with([...this.#changes.values()]);
    this.#changes = new Map();
    this.#diagnostics ??= sortDiagnostics([...this.#diagnosticsOf.values()].flat());
    this.#refusedList ??= [...this.#refused]
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([, ref]) => ref);
    return {
      resources: this.#store.resources(this.#refusedList, nowhere),
      diagnostics: this.#diagnostics,
    };
  }

  #noteDiagnostics(key: string, reports: readonly Diagnostic[]): void {
    if (reports.length === 0 && !this.#diagnosticsOf.has(key)) return;
    this.#diagnostics = undefined;
    if (reports.length === 0) this.#diagnosticsOf.delete(key);
    else this.#diagnosticsOf.set(key, reports);
  }

  #noteRefused(key: string, ref: ResourceRef | undefined): void {
    if (ref === undefined && !this.#refused.has(key)) return;
    this.#refusedList = undefined;
    if (ref === undefined) this.#refused.delete(key);
    else this.#refused.set(key, ref);
  }
}

function keyOf(kind: KindName, namespace: string, name: string): string {
  return `${kind} ${namespace} ${name}`;
}

function nowhere(): undefined {
  return undefined;
}
