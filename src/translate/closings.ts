/** Errors that close paths name the hosts and paths, from what is bound: so for every kind of setting that can close. */
import { DIAGNOSTIC_CATALOG, type DiagnosticCode } from "../diagnostics/catalog.js";
import { formatFieldPath } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import type { Route, RouteBinding } from "../model/route.js";
import { hostText } from "../model/values.js";
import { getOrInsert } from "../support/collections.js";
import { shortened } from "../support/text.js";

/** Places that a message names. */
const MOST_NAMED = 5;
const CLOSED = 503;

/**
 * Adds to the errors of an object which of its hosts and paths answer because of them. `closersOf`: the fields of the object that close a
 * route; a field stands for all below it.
 */
export function namingPlaces(
  reports: readonly Report[],
  {
    routes,
    bindings,
  }: { readonly routes: readonly Route[]; readonly bindings: () => readonly RouteBinding[] },
  closersOf: (route: Route) => readonly string[],
): readonly Report[] {
  if (!reports.some(mayClose)) return reports;
  const closed = new Map(
    routes.flatMap((route) => {
      const fields = closersOf(route);
      const [status] = route.refuse ?? [CLOSED];
      return fields.length === 0 ? [] : [[route.id, { fields, status }] as const];
    }),
  );
  if (closed.size === 0) return reports;
  const places = new Map<string, Places>();
  for (const binding of bindings()) {
    const { fields = [], status = CLOSED } = closed.get(binding.route) ?? {};
    for (const field of fields) {
      const { texts } = getOrInsert(places, field, () => ({ status, texts: new Set<string>() }));
      for (const text of placesOf(binding)) texts.add(text);
    }
  }
  return reports.map((report) => {
    const field = formatFieldPath(report.field ?? []);
    const own = [...places].flatMap(([closer, each]) => (isWithin(field, closer) ? each : []));
    return own.length === 0 || !mayClose(report) ? report : withPlaces(report, own);
  });
}

interface Places {
  readonly status: number;
  readonly texts: Set<string>;
}

/** What else a closing snippet does not do. */
const CLOSING_NOTHING: DiagnosticCode = "SNIPPET_UNSUPPORTED";

function mayClose({ code }: Report): boolean {
  return code !== CLOSING_NOTHING && DIAGNOSTIC_CATALOG[code].severity === "error";
}

function isWithin(field: string, closer: string): boolean {
  return field === closer || field.startsWith(`${closer}.`) || field.startsWith(`${closer}[`);
}

function withPlaces(report: Report, places: readonly Places[]): Report {
  const what = report.message.replace(/\.$/, "");
  const texts = [...new Set(places.flatMap((each) => [...each.texts]))];
  const outcome = `this answers ${String(places[0]?.status)}: ${shortened(texts, MOST_NAMED)}`;
  return { ...report, message: `${what}; ${outcome}` };
}

function placesOf({ at, path }: RouteBinding): readonly string[] {
  return at.flatMap(({ hosts }) =>
    hosts.map(({ host }) => {
      const name = host.kind === "any" ? "*" : hostText(host);
      if (path === undefined) return `${name} (all paths)`;
      if (path[0] === "regex") return `${name} (paths like ${path[1]})`;
      return `${name}${path[1] === "" ? "/" : path[1]}`;
    }),
  );
}
