/** Which requests of a path are traced. */
import type { Route } from "../../../model/route.js";
import { BOOLEAN, OWN_PREFIXES, PERCENT, rowsOf } from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("observability");

export const OBSERVABILITY_ROWS = {
  traceRate: row(
    "trace-rate",
    PERCENT,
    "Percentage of requests that are [sampled](tracing.md), instead of the option traceRate.",
    { prefixes: OWN_PREFIXES },
  ),
  opentelemetry: row(
    "enable-opentelemetry",
    BOOLEAN,
    "`false`: no request is [sampled](tracing.md), as with trace-rate 0. `true` does not switch tracing on; the option tracing does.",
  ),
};

export function readTraceRate(reader: AnnotationReader): Pick<Route, "traceRate"> {
  const isOff = reader.get(OBSERVABILITY_ROWS.opentelemetry) === false;
  const rate = reader.get(OBSERVABILITY_ROWS.traceRate) ?? (isOff ? 0 : undefined);
  return rate === undefined ? {} : { traceRate: rate };
}
