import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ChunkCache, ChunkContents } from "./chunk-contents.js";
import { readFileText } from "./file-contents.js";
import type { PlacedValue } from "./file-contents.js";
import { absentPath, unreadablePath } from "./input-diagnostics.js";
import type { KindTable } from "./kind-table.js";
import type { Source } from "./source.js";

export interface SourceReading {
  readonly path: string;
  readonly values: readonly PlacedValue[];
  /** Why there are no values. */
  readonly errors: readonly Diagnostic[];
  /** It is there but can't be read, so nobody knows what it holds now. */
  readonly broken: boolean;
  readonly chunks: readonly ChunkContents[];
}

export function readSource(
  source: Source,
  known: { readonly table: KindTable; readonly cache: ChunkCache },
): SourceReading {
  const { path } = source;
  const nothing = { path, values: [], chunks: [] };
  if ("absent" in source) return { ...nothing, errors: [absentPath(path)], broken: false };
  if ("unreadable" in source) {
    return { ...nothing, errors: [unreadablePath(path, source.unreadable)], broken: true };
  }
  const { values, syntaxErrors, chunks } = readFileText(
    path,
    source.text,
    known.table,
    known.cache,
  );
  return { path, values, errors: syntaxErrors, broken: syntaxErrors.length > 0, chunks };
}
