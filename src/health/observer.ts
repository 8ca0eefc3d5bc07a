/** What a run reports about itself to those who measure it or ask whether it is healthy. */
import type { Severity } from "../diagnostics/catalog.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";

/** Seconds; a step that was not reached has none. */
export interface ApplyTimes {
  readonly compile?: number;
  readonly apply?: number;
}

/** What the last compilation found, as counts: the health thread needs no more. */
export interface CompileSummary {
  /** Number of objects by kind. */
  readonly objects: ReadonlyMap<string, number>;
  readonly diagnostics: Readonly<Record<Severity, number>>;
  /** Objects whose translation failed because of a bug in albc. */
  readonly faulty: number;
  /** Milliseconds since 1970 at which the certificate of a Secret `<namespace>/<name>` expires. */
  readonly expiries: ReadonlyMap<string, number>;
  /** Paths of files that albc has never read: their objects are missing. */
  readonly unreadable: readonly string[];
}

/** Events by name, with their values. The values are plain data, because they are sent to another thread. */
export interface RunEvents {
  /** A configuration is compiled and applied from now on. */
  applying: [];
  /**
   * The end of `applying`. `started`: with nginx; `refused`: by nginx; `error`: any other failure; the others as in Applied.
   * `version`: of the policy that is served now, or that nginx will read; absent if it is still the previous one.
   */
  applied: [
    outcome: "unchanged" | "written" | "swapped" | "reloaded" | "started" | "refused" | "error",
    times: ApplyTimes,
    version?: string,
  ];
  /** nginx refuses the first configuration, so no object is served until one is applied as a whole. */
  servesNothing: [];
  compiled: [summary: CompileSummary];
  /** Watching a kind failed and is restarted; `discovery`: the request for the list of kinds failed. */
  watchFailed: [kind: string];
  statusWritten: [kind: string, result: "written" | "conflict" | "error"];
  /** Whether this replica writes statuses. */
  leads: [leads: boolean];
  /** nginx ended by itself and is restarted. */
  nginxDied: [];
  /** The run ends: clients should send no more requests. */
  stop: [];
  /** The main thread runs. `metrics`: of its process, in Prometheus' text format. */
  alive: [metrics: string];
}

/** Reports an event. */
export type Observe = <Name extends keyof RunEvents>(
  name: Name,
  ...values: RunEvents[Name]
) => void;

export function summaryOf(found: {
  readonly objects: ReadonlyMap<string, number>;
  readonly diagnostics: readonly Diagnostic[];
  readonly certificates: readonly {
    readonly certificate: {
      readonly secret: { readonly namespace: string; readonly name: string };
      readonly expires: number;
    };
  }[];
  readonly unreadable: readonly string[];
}): CompileSummary {
  const diagnostics = { error: 0, warning: 0, info: 0 };
  let faulty = 0;
  for (const { code, severity } of found.diagnostics) {
    diagnostics[severity] += 1;
    if (code === "INTERNAL_ERROR") faulty += 1;
  }
  const expiries = found.certificates.map(
    ({ certificate: { secret, expires } }) =>
      [`${secret.namespace}/${secret.name}`, expires] as const,
  );
  const { objects, unreadable } = found;
  return { objects, diagnostics, faulty, expiries: new Map(expiries), unreadable };
}
