/** Diagnostics of reading, with their places. */
import type { DiagnosticCode } from "../diagnostics/catalog.js";
import { DIAGNOSTIC_CATALOG } from "../diagnostics/catalog.js";
import type { Diagnostic, ResourceRef, SourceLocation } from "../diagnostics/diagnostic.js";
import { compareBy, compareStrings } from "../support/collections.js";
import type { Decoded } from "./decode.js";
import type { PlacedValue } from "./file-contents.js";
import type { UnknownKind } from "./source.js";

/** A diagnostic with the catalogue's severity and hint; parts that are undefined are left out. */
export function diagnose(
  code: DiagnosticCode,
  message: string,
  parts: { readonly [K in keyof Diagnostic]?: Diagnostic[K] | undefined } = {},
): Diagnostic {
  const { severity, hint } = DIAGNOSTIC_CATALOG[code];
  const { resource, field, location, related } = parts;
  return {
    code,
    severity,
    message,
    hint: parts.hint ?? hint,
    ...(resource === undefined ? {} : { resource }),
    ...(field === undefined ? {} : { field }),
    ...(location === undefined ? {} : { location }),
    ...(related === undefined ? {} : { related }),
  };
}

export function findingDiagnostics({ decoded, locate }: PlacedValue): readonly Diagnostic[] {
  if (decoded.result === "unknown") return [];
  return decoded.findings.map(({ code, message, field, hint, at }) =>
    diagnose(code, message, { resource: decoded.ref, field, hint, location: locate(field, at) }),
  );
}

export function unreadablePath(path: string, reason: string): Diagnostic {
  return diagnose("FILE_UNREADABLE", `${path} can't be read: ${reason}`, { location: top(path) });
}

export function absentPath(path: string): Diagnostic {
  return diagnose("FILE_MISSING", `${path} does not exist`, { location: top(path) });
}

export function keptFile(path: string, objects: number): Diagnostic {
  const message = `${counted(objects)} of ${path} stay as they were when it could last be read`;
  return diagnose("LAST_GOOD_KEPT", message, { location: top(path) });
}

/** Objects that are gone from a file, but may have moved to one that can't be read, or to a document that does not say what it is. */
export function keptGone(path: string, objects: number, doubtful: string): Diagnostic {
  const message = `${counted(objects)} gone from ${path} stay until all of ${doubtful} can be read: they may stand there now`;
  return diagnose("LAST_GOOD_KEPT", message, { location: top(doubtful) });
}

function counted(objects: number): string {
  return objects === 1 ? "1 object" : `${String(objects)} objects`;
}

export function keptObject(
  resource: ResourceRef,
  location: SourceLocation | undefined,
): Diagnostic {
  return diagnose("LAST_GOOD_KEPT", "the object stays as it was when it was last valid", {
    resource,
    location,
  });
}

function top(file: string): SourceLocation {
  return { file, line: 1, column: 1 };
}

/** How many values there are of each kind that is not read; sorted by apiVersion and kind. */
export function countUnknownKinds(values: readonly Decoded[]): readonly UnknownKind[] {
  const counts = new Map<string, UnknownKind>();
  for (const value of values) {
    if (value.result !== "unknown") continue;
    const { apiVersion, kind } = value;
    const key = `${apiVersion} ${kind}`;
    counts.set(key, { apiVersion, kind, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort(
    compareBy<UnknownKind>(
      (a, b) => compareStrings(a.apiVersion, b.apiVersion),
      (a, b) => compareStrings(a.kind, b.kind),
    ),
  );
}

/** How many values are of kinds that are read, whether they can be used or not. */
export function countObjects(values: readonly Decoded[]): number {
  return values.filter(({ result }) => result !== "unknown").length;
}
