import { patched, withoutCommonEnds } from "../support/collections.js";
import type { Diagnostic } from "./diagnostic.js";
import { type DiagnosticSink, type Locate, type Report, order, placeless } from "./sink.js";

/** The diagnostics of compilations that follow each other. They cost the reports that are new or gone, and a look at each. */
export class KnownDiagnostics {
  #locate: Locate | undefined;
  #reports: readonly Report[] = [];
  #listsEach = true;
  #sorted: readonly Diagnostic[] = [];

  /** What `sink.sorted` returns; the same list if nothing has changed. */
  of(sink: DiagnosticSink, locate: Locate): readonly Diagnostic[] {
    const reports = sink.kept;
    const { fresh, gone } = changesOf(this.#reports, reports);
    const known = this.#locate === locate ? this.#sorted : undefined;
    if (known !== undefined && fresh.length + gone.length === 0) return known;
    const { listsEach } = sink;
    // Each report is one diagnostic: none is a repeat, and no object or namespace has too many.
    const isEach = known?.length === this.#reports.length && this.#listsEach && listsEach;
    const hasPlaces = [...fresh, ...gone].some(
      ({ resource, field = [], at }) =>
        resource !== undefined && locate(resource, field, at) !== undefined,
    );
    this.#sorted =
      (isEach && !hasPlaces ? edited(known, fresh, gone) : undefined) ?? sink.sorted(locate);
    this.#locate = locate;
    this.#reports = reports;
    this.#listsEach = listsEach;
    return this.#sorted;
  }
}

/** What only one of the lists has. */
export function changesOf<T extends object>(
  before: readonly T[],
  now: readonly T[],
): { readonly fresh: readonly T[]; readonly gone: readonly T[] } {
  const differing = withoutCommonEnds(before, now);
  const [were, are] = [new Set(differing.before), new Set(differing.now)];
  return {
    fresh: [...are].filter((each) => !were.has(each)),
    gone: [...were].filter((each) => !are.has(each)),
  };
}

/** Undefined: two of them say the same. */
function edited(
  known: readonly Diagnostic[],
  fresh: readonly Report[],
  gone: readonly Report[],
): readonly Diagnostic[] | undefined {
  const added = new Set(fresh.map(placeless));
  const changes = [
    ...gone.map((report) => ({ before: placeless(report) })),
    ...Array.from(added, (now) => ({ now })),
  ];
  const now = patched(known, changes, order);
  const isRepeat = now.some((each, i) => {
    const next = now[i + 1];
    return next !== undefined && (added.has(each) || added.has(next)) && order(each, next) === 0;
  });
  return isRepeat ? undefined : now;
}
