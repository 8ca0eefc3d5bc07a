import { compareBy, compareStrings, groupBy, memoized } from "../support/collections.js";
import { didYouMean } from "../support/did-you-mean.js";
import { shareOut } from "../support/shares.js";
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
  /** Stands for so many problems of the object that are not kept. */
  readonly more?: number;
}

/** The place of an object's field in the input files; undefined if the object is not from a file. */
export type Locate = (
  resource: ResourceRef,
  field: FieldPath,
  at?: Report["at"],
) => SourceLocation | undefined;

/** How many problems of one object are listed, so that they don't hide those of other objects. */
export const MOST_OF_OBJECT = 50;
/** How many problems are listed in all; namespaces share them. */
export const MOST_PROBLEMS = 10_000;
const NOT_LISTED = "PROBLEMS_NOT_LISTED";
/** So many reports of one object are reduced to MOST_OF_OBJECT while more come. */
const MOST_KEPT = 1000;

/** Collects the diagnostics of one compilation. The same report object counts once, however often it is added. */
export class DiagnosticSink {
  readonly #reports = new Set<Report>();
  /** How many can be reduced, by object. */
  readonly #counts = new Map<string, number>();
  /** What stands for those that were dropped, by object. */
  readonly #standing = new Map<string, Report>();
  /** Some report stands for others. */
  #standsForOthers = false;
  readonly #muted = new Set<string>();
  #sorted: { readonly locate: Locate; readonly diagnostics: readonly Diagnostic[] } | undefined;

  /** Drops reports about the object from now on. */
  mute(resource: ResourceRef): void {
    this.#muted.add(refKey(resource));
  }

  report(report: Report): void {
    const { shown, key } = presentable(report);
    if (this.#muted.has(key) || this.#reports.has(shown)) return;
    this.#sorted = undefined;
    this.#reports.add(shown);
    this.#standsForOthers ||= shown.more !== undefined;
    if (key === "" || shown.more !== undefined) return;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count >= MOST_KEPT) this.#reduce(key);
  }

  #reduce(key: string): void {
    const own = [...this.#reports].filter(
      (report) => report.more === undefined && presentable(report).key === key,
    );
    const [first, ...others] = own.sort(byUrgency).slice(MOST_OF_OBJECT);
    if (first === undefined) return;
    for (const report of [first, ...others]) this.#reports.delete(report);
    this.#counts.set(key, MOST_OF_OBJECT);
    const known = this.#standing.get(key);
    if (known !== undefined) this.#reports.delete(known);
    const standing = standingFor(known ?? first, (known?.more ?? 0) + others.length + 1);
    this.#standing.set(key, standing);
    this.#standsForOthers = true;
    this.#reports.add(standing);
  }

  /** In the order of reporting; of each object at most MOST_OF_OBJECT, and how many more there are. */
  get reports(): readonly Report[] {
    for (const [key, count] of this.#counts) if (count > MOST_OF_OBJECT) this.#reduce(key);
    return [...this.#reports];
  }

  /** What `sorted` is made of, in the order of reporting. */
  get kept(): readonly Report[] {
    return [...this.#reports];
  }

  /** Whether `sorted` lists each of `kept`: no object and no namespace has too many. */
  get listsEach(): boolean {
    if (this.#standsForOthers || this.#reports.size > MOST_PROBLEMS) return false;
    return [...this.#counts.values()].every((count) => count <= MOST_OF_OBJECT);
  }

  /** Adds the reports of another sink. */
  addAll(reports: readonly Report[]): void {
    for (const report of reports) this.report(report);
  }

  /** All reports with their places, without duplicates, in an order that does not depend on the order of the input. */
  sorted(locate: Locate = nowhere): readonly Diagnostic[] {
    if (this.#sorted?.locate === locate) return this.#sorted.diagnostics;
    const listed = sharedByNamespaces<Report>([...this.#reports], ({ resource }, message) => {
      return { code: NOT_LISTED, message, ...(resource && { resource }) };
    });
    const diagnostics = arranged(
      listed.map((report) => {
        const { resource, field = [], at } = report;
        const place = resource && locate(resource, field, at);
        return place === undefined ? placeless(report) : diagnosticOf(report, place);
      }),
    );
    this.#sorted = { locate, diagnostics };
    return diagnostics;
  }
}

/** Longer texts hold a value of a user. */
const LONGEST_TEXT = 4096;

/** The same object for the same report, and the key of what it is about; a report without secrets is its own. */
const presentable = memoized((report: Report): { readonly shown: Report; readonly key: string } => {
  const { message, hint, resource } = report;
  const key = resource === undefined ? "" : refKey(resource);
  const text = presentableText(message);
  const advice = hint === undefined ? undefined : presentableText(hint);
  if (text === message && advice === hint) return { shown: report, key };
  return {
    shown: { ...report, message: text, ...(advice !== undefined && { hint: advice }) },
    key,
  };
});

function presentableText(text: string): string {
  return withoutUrlSecrets(
    text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} ...` : text,
  );
}

function standingFor({ resource, field, at }: Report, more: number): Report {
  const place = {
    ...(resource && { resource }),
    ...(field && { field }),
    ...(at !== undefined && { at }),
  };
  return { code: NOT_LISTED, message: notListed(more), ...place, more };
}

function notListed(more: number): string {
  return `${String(more)} more problems of this object are not listed`;
}

const NONE_OF = /"([^"\\]+)" is none of ([^;]+)/;

/** Advice for a value that is none of those that its field takes. */
function meantValue({ message }: Report): string | undefined {
  const [, value, known = ""] = NONE_OF.exec(message) ?? [];
  const meant = value === undefined ? undefined : didYouMean(value, known.split(", "));
  return meant === undefined ? undefined : `did you mean ${meant}?`;
}

/** Adds severity and hint, unless it has one, from the value or the catalogue, and the place. */
export function diagnosticOf(
  { at: _at, ...report }: Report,
  location: SourceLocation | undefined,
): Counted {
  const { severity, hint: advice } = DIAGNOSTIC_CATALOG[report.code];
  const hint = report.hint ?? meantValue(report) ?? advice;
  return { severity, ...report, hint, ...(location && { location }) };
}

/** The same object for the same report. */
export const placeless = memoized((report: Report) => diagnosticOf(report, undefined));

function nowhere(): undefined {
  return undefined;
}

/**
 * The same without the problems of objects that get no share of MOST_PROBLEMS. `count` makes an entry for the lost ones of a namespace, at
 * the first of them. Objects have no age here: an old object with new problems is no better than a new one.
 */
function sharedByNamespaces<T extends Pick<Report, "resource" | "more">>(
  all: readonly T[],
  count: (first: T, message: string) => T,
): readonly T[] {
  if (all.length <= MOST_PROBLEMS) return all;
  const objects = groupBy(all, ({ resource }) => resourceKey(resource));
  const claims = [...objects].flatMap(([place, own]) => {
    const resource = own[0]?.resource;
    if (resource === undefined) return [];
    const { kind, namespace, name } = resource;
    // No more are listed of one object.
    const size = Math.min(own.length, MOST_OF_OBJECT + 1);
    return [{ owner: { kind, metadata: { namespace, name } }, place, size }];
  });
  const { kept } = shareOut(claims, MOST_PROBLEMS);
  const lost = claims.filter(({ place }) => !kept.has(place));
  const counts = [...groupBy(lost, ({ owner }) => owner.metadata.namespace)].flatMap(
    ([namespace, places]) => {
      const problems = places.flatMap(({ place }) => objects.get(place) ?? []);
      const more = problems.reduce((sum, each) => sum + (each.more ?? 1), 0);
      const message = `${String(more)} problems of ${String(places.length)} objects of namespace ${namespace} are not listed`;
      return problems.slice(0, 1).map((first) => count(first, message));
    },
  );
  const isLost = new Set(lost.map(({ place }) => place));
  return [...all.filter(({ resource }) => !isLost.has(resourceKey(resource))), ...counts];
}

/** Sorts by file, position, object, field, code and message; drops duplicates, and counts the problems of an object beyond MOST_OF_OBJECT. */
export function sortDiagnostics(all: readonly Diagnostic[]): readonly Diagnostic[] {
  return arranged(
    sharedByNamespaces<Counted>(all, ({ resource }, message) =>
      diagnosticOf({ code: NOT_LISTED, message, ...(resource && { resource }) }, undefined),
    ),
  );
}

function arranged(all: readonly Counted[]): readonly Diagnostic[] {
  const sorted = inOrder(all.filter(({ more }) => more === undefined)).filter(
    (diagnostic, i, list) => {
      const previous = list[i - 1];
      return previous === undefined || order(previous, diagnostic) !== 0;
    },
  );
  const unlisted = groupBy(
    all.filter(({ more }) => more !== undefined),
    ({ resource }) => resourceKey(resource),
  );
  const omitted = new Set<Diagnostic>();
  const counts: Diagnostic[] = [];
  const ofObjects = sorted.filter(({ resource }) => resource !== undefined);
  for (const [key, own] of groupBy(ofObjects, ({ resource }) => resourceKey(resource))) {
    const known = [...(unlisted.get(key) ?? [])].sort(order);
    if (own.length <= MOST_OF_OBJECT && known.length === 0) continue;
    const rest = new Set([...own].sort(bySeverity).slice(MOST_OF_OBJECT));
    for (const diagnostic of rest) omitted.add(diagnostic);
    const more = known.reduce((sum, each) => sum + (each.more ?? 0), rest.size);
    const first = own.find((each) => rest.has(each)) ?? known[0];
    if (first !== undefined) counts.push(countOf(first, more));
  }
  if (counts.length === 0) return sorted;
  return inOrder([...sorted.filter((diagnostic) => !omitted.has(diagnostic)), ...counts]);
}

interface Counted extends Diagnostic, Pick<Report, "more"> {}

/** Has the place of the first problem that is not listed. */
function countOf({ resource, field, location }: Diagnostic, more: number): Diagnostic {
  const { severity, hint } = DIAGNOSTIC_CATALOG.PROBLEMS_NOT_LISTED;
  return {
    ...{ code: NOT_LISTED, severity, message: notListed(more), hint },
    ...(resource && { resource }),
    ...(field && { field }),
    ...(location && { location }),
  };
}

const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/** Errors first. */
const bySeverity = compareBy<Pick<Diagnostic, "severity">>(
  (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
);

/** The same for reports, then in the order of reporting. */
function byUrgency(a: Report, b: Report): number {
  return bySeverity(DIAGNOSTIC_CATALOG[a.code], DIAGNOSTIC_CATALOG[b.code]);
}

export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort(order);
}

export const order = compareBy<Diagnostic>(
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
