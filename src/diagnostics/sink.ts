import { compareBy, compareStrings, groupBy } from "../support/collections.js";
import { DIAGNOSTIC_CATALOG, type Severity } from "./catalog.js";
import {
  type Diagnostic,
  type FieldPath,
  type ResourceRef,
  type SourceLocation,
  formatFieldPath,
  refKey,
} from "./diagnostic.js";

/** What a stage reports: a diagnostic without severity, default hint and place. */
export interface Report extends Omit<Diagnostic, "severity" | "location"> {
  /** The place is that of the field's name, or of a line of its value, counted from 0, not of the value as a whole. */
  readonly at?: "key" | number;
}

/** The place of an object's field in the input files; undefined if the object is not from a file. */
export type Locate = (
  resource: ResourceRef,
  field: FieldPath,
  at?: Report["at"],
) => SourceLocation | undefined;

/** Collects the diagnostics of one compilation. */
export class DiagnosticSink {
  readonly #reports: Report[] = [];
  readonly #muted = new Set<string>();
  #sorted: { readonly locate: Locate; readonly diagnostics: readonly Diagnostic[] } | undefined;

  /** Drops reports about the object from now on. */
  mute(resource: ResourceRef): void {
    this.#muted.add(refKey(resource));
  }

  report(report: Report): void {
    if (this.#muted.size > 0 && this.#isMuted(report)) return;
    this.#sorted = undefined;
    const { message, hint } = report;
    this.#reports.push({
      ...report,
      message: withoutUrlSecrets(message),
      ...(hint !== undefined && { hint: withoutUrlSecrets(hint) }),
    });
  }

  #isMuted({ resource }: Report): boolean {
    return resource !== undefined && this.#muted.has(refKey(resource));
  }

  /** In the order of reporting. */
  get reports(): readonly Report[] {
    return this.#reports;
  }

  /** Adds the reports of another sink. */
  addAll(reports: readonly Report[]): void {
    for (const report of reports) this.report(report);
  }

  /** All reports with their places, without duplicates, in an order that does not depend on the order of the input. */
  sorted(locate: Locate = nowhere): readonly Diagnostic[] {
    if (this.#sorted?.locate === locate) return this.#sorted.diagnostics;
    const diagnostics = sortDiagnostics(
      this.#reports.map((report) => {
        const { resource, field = [], at } = report;
        return diagnosticOf(report, resource && locate(resource, field, at));
      }),
    );
    this.#sorted = { locate, diagnostics };
    return diagnostics;
  }
}

/** Adds severity and hint from the catalogue, and the place. */
export function diagnosticOf(
  { at: _at, ...report }: Report,
  location: SourceLocation | undefined,
): Diagnostic {
  const { severity, hint } = DIAGNOSTIC_CATALOG[report.code];
  return { severity, hint, ...report, ...(location && { location }) };
}

function nowhere(): undefined {
  return undefined;
}

/** How many problems of one object are listed, so that they don't hide those of other objects. */
export const MOST_OF_OBJECT = 50;

/** Sorts by file, position, object, field, code and message; drops duplicates, and counts the problems of an object beyond MOST_OF_OBJECT. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const sorted = inOrder(diagnostics).filter((diagnostic, i, all) => {
    const previous = all[i - 1];
    return previous === undefined || order(previous, diagnostic) !== 0;
  });
  const omitted = new Set<Diagnostic>();
  const counts: Diagnostic[] = [];
  const ofObjects = sorted.filter(({ resource }) => resource !== undefined);
  for (const own of groupBy(ofObjects, ({ resource }) => resourceKey(resource)).values()) {
    if (own.length <= MOST_OF_OBJECT) continue;
    const rest = new Set([...own].sort(bySeverity).slice(MOST_OF_OBJECT));
    for (const diagnostic of rest) omitted.add(diagnostic);
    const first = own.find((each) => rest.has(each));
    if (first !== undefined) counts.push(countOf(first, rest.size));
  }
  if (counts.length === 0) return sorted;
  return inOrder([...sorted.filter((diagnostic) => !omitted.has(diagnostic)), ...counts]);
}

/** Has the place of the first problem that is not listed. */
function countOf({ resource, field, location }: Diagnostic, count: number): Diagnostic {
  const { severity, hint } = DIAGNOSTIC_CATALOG.PROBLEMS_NOT_LISTED;
  const message = `${String(count)} more problems of this object are not listed`;
  return {
    ...{ code: "PROBLEMS_NOT_LISTED", severity, message, hint },
    ...(resource && { resource }),
    ...(field && { field }),
    ...(location && { location }),
  };
}

/** Errors first. */
const bySeverity = compareBy<Diagnostic>(
  (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
);
const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort(order);
}

const order = compareBy<Diagnostic>(
  (a, b) => compareStrings(a.location?.file ?? "", b.location?.file ?? ""),
  (a, b) => (a.location?.line ?? 0) - (b.location?.line ?? 0),
  (a, b) => (a.location?.column ?? 0) - (b.location?.column ?? 0),
  (a, b) => compareStrings(resourceKey(a.resource), resourceKey(b.resource)),
  (a, b) => compareStrings(formatFieldPath(a.field ?? []), formatFieldPath(b.field ?? [])),
  (a, b) => compareStrings(a.code, b.code),
  (a, b) => compareStrings(a.message, b.message),
);

function resourceKey(resource: ResourceRef | undefined): string {
  return resource === undefined
    ? ""
    : [resource.kind, resource.namespace, resource.name, resource.apiVersion].join("/");
}

/** Where the user name and password of a URL begin; a URL may lack its scheme, or a slash of it. */
const BEFORE_USER = /:\/\/|:(?=\S)/;

/**
 * Replaces user name, password and secret query parameters of every URL by `*`, one for each character, so columns stay. A password ends
 * at the last `@` before a quote: users forget to encode an `@` in it, and it is safer to hide too much.
 */
export function withoutUrlSecrets(text: string): string {
  return text
    .split(/(["\n])/)
    .map((part) => redactUser(part).replace(SECRET_PARAMETER, starred))
    .join("");
}

/** The value of a query parameter whose name suggests a secret. */
const SECRET_PARAMETER =
  /(?<=[?&;][\w.%-]{0,64}(?:pass|pwd|secret|token|key|cred|auth|sig|jwt|code)[\w.%-]{0,64}=)[^&]+/gi;

function starred(text: string): string {
  return "*".repeat(Array.from(text).length);
}

function redactUser(part: string): string {
  const at = part.lastIndexOf("@");
  const before = at < 0 ? null : BEFORE_USER.exec(part);
  if (before === null) return part;
  const start = before.index + before[0].length;
  if (start >= at) return part;
  return part.slice(0, start) + starred(part.slice(start, at)) + part.slice(at);
}
