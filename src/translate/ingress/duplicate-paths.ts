import type { DiagnosticSink } from "../../diagnostics/sink.js";
import { hostKey } from "../../ir/host-pattern.js";
import type { PathMatch } from "../../ir/match.js";
import type { RouteBinding } from "../../ir/route.js";
import type { Place } from "../place.js";

interface Placed {
  readonly order: string;
  readonly place: Place;
}

/** Finds paths that can never be reached, because an earlier one is for the same host and path. */
export class DuplicatePaths {
  readonly #first = new Map<string, Placed>();
  readonly #losers: { readonly loser: Placed; readonly winner: () => Placed | undefined }[] = [];
  readonly #diagnostics: DiagnosticSink;

  constructor(diagnostics: DiagnosticSink) {
    this.#diagnostics = diagnostics;
  }

  add({ listener, host, path, order }: RouteBinding, place: Place): void {
    const key = `${listener}|${hostKey(host)}|${path.kind}|${pathValue(path)}`;
    const added = { order, place };
    const known = this.#first.get(key);
    if (known === undefined || order < known.order) this.#first.set(key, added);
    if (known === undefined) return;
    const loser = order < known.order ? known : added;
    this.#losers.push({ loser, winner: () => this.#first.get(key) });
  }

  report(): void {
    for (const { loser, winner } of this.#losers) {
      const { namespace = "", name = "" } = winner()?.place.resource ?? {};
      this.#diagnostics.report({
        code: "INGRESS_PATH_SHADOWED",
        message: `Ingress ${namespace}/${name} has the same host and path, and comes first`,
        ...loser.place,
      });
    }
  }
}

function pathValue(path: PathMatch): string {
  if (path.kind === "any") return "";
  return path.kind === "regex" ? path.pattern : path.value;
}
