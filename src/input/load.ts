/** Manifests → Resources: the entrance for the CLI, for tests, and for objects of an API server. */
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { Diagnostic, SourceLocation } from "../diagnostics/diagnostic.js";
import type { FieldPath } from "../diagnostics/field-path.js";
import { sortDiagnostics } from "../diagnostics/sink.js";
import { readChunk } from "./chunk-contents.js";
import type { ChunkContents, ChunkEntry } from "./chunk-contents.js";
import { decode } from "./decode.js";
import type { Decoded } from "./decode.js";
import { kindTable } from "./kind-table.js";
import { takeSnapshot } from "./snapshot.js";
import type { PlacedObject } from "./snapshot.js";
import { DEFAULT_INPUT_OPTIONS } from "./source.js";
import type { InputOptions, Source, UnknownKind } from "./source.js";
import type { Resources } from "./resources.js";
import { splitDocuments } from "./text-chunks.js";

export interface LoadResult {
  readonly resources: Resources;
  readonly diagnostics: readonly Diagnostic[];
  /** Sorted by apiVersion and kind. */
  readonly unknownKinds: readonly UnknownKind[];
}

/** Reads the sources in their order; of two objects with one name the first stays. */
export function loadResources(
  sources: readonly Source[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  const table = kindTable(options.albGroup);
  const entries = sources.flatMap((source) => {
    if (!("text" in source)) return [];
    return splitDocuments(source.text).flatMap((chunk) => {
      const contents = readChunk(chunk.text, table);
      return contents.entries.map((entry) => ({
        decoded: entry.decoded,
        locate: locator(source.path, chunk.lineOffset, contents, entry),
      }));
    });
  });
  return assemble(entries);
}

/** One text with manifests, as a file would hold it. */
export function resourcesFromYaml(
  text: string,
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  return loadResources([{ path: "<text>", text }], options);
}

/** Objects as an API server gives them; they stand in no file. */
export function resourcesFromObjects(
  objects: readonly unknown[],
  options: InputOptions = DEFAULT_INPUT_OPTIONS,
): LoadResult {
  const table = kindTable(options.albGroup);
  return assemble(objects.map((value) => ({ decoded: decode(value, table), locate: nowhere })));
}

interface PlacedEntry {
  readonly decoded: Decoded;
  readonly locate: PlacedObject["locate"];
}

function assemble(entries: readonly PlacedEntry[]): LoadResult {
  const objects: PlacedObject[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { decoded, locate } of entries) {
    if (decoded.result === "object")
      objects.push({ ref: decoded.ref, decoded: decoded.decoded, locate });
    if (decoded.result === "unknown") continue;
    for (const { at: _at, ...finding } of decoded.findings) {
      const location = locate(finding.field);
      diagnostics.push({
        ...finding,
        severity: DIAGNOSTIC_CATALOG[finding.code].severity,
        ...(decoded.ref === undefined ? {} : { resource: decoded.ref }),
        ...(location === undefined ? {} : { location }),
      });
    }
  }
  const snapshot = takeSnapshot(objects);
  return {
    resources: snapshot.resources,
    diagnostics: sortDiagnostics([...diagnostics, ...snapshot.diagnostics]),
    unknownKinds: [],
  };
}

function nowhere(): undefined {
  return undefined;
}

function locator(
  file: string,
  lineOffset: number,
  contents: ChunkContents,
  entry: ChunkEntry,
): (field: FieldPath) => SourceLocation | undefined {
  return (field) => {
    const place = contents.locator.field(entry.document, [...entry.path, ...field]);
    return place === undefined ? undefined : { file, ...place, line: place.line + lineOffset };
  };
}
