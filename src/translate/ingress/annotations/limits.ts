/** How many requests a client may send. */
import type { RateLimit, Route } from "../../../model/route.js";
import { SHARED_SHAPE, filled } from "../../../support/json-object.js";
import { ok, problem } from "../../../support/result.js";
import { type AnnotationType, CIDRS, rowsOf } from "./annotation.js";
import type { AnnotationReader } from "./annotation-reader.js";

const row = rowsOf("access");
const UNENFORCED = { fallback: "unenforced" } as const;

const MOST = 1_000_000;

const COUNT: AnnotationType<number> = {
  description: "number, 0 for no limit",
  parse: (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Infinity;
    return count <= MOST
      ? ok(count)
      : problem(`${JSON.stringify(text)} is not a whole number up to ${String(MOST)}`);
  },
};

export const LIMIT_ROWS = {
  perSecond: row(
    "limit-rps",
    COUNT,
    "Requests of a client in a second, for all hosts and paths of the Ingress; more get 503, once a burst is used up. Each gateway counts by itself; the networks of IPv6 clients count as one client.",
    UNENFORCED,
  ),
  perMinute: row("limit-rpm", COUNT, "The same in a minute.", UNENFORCED),
  multiplier: row(
    "limit-burst-multiplier",
    COUNT,
    "The burst is the limit times this number; 5 by default.",
    UNENFORCED,
  ),
  allowlist: row("limit-allowlist", CIDRS, "Clients without a limit.", UNENFORCED),
  whitelist: row(
    "limit-whitelist",
    CIDRS,
    "Older name of limit-allowlist, which overrides it.",
    UNENFORCED,
  ),
};

/** `of`: the Ingress, whose hosts and paths count together. */
export function readLimits(
  reader: AnnotationReader,
  of: { readonly namespace: string; readonly name: string },
): Pick<Route, "limits"> {
  const multiplier = reader.get(LIMIT_ROWS.multiplier) ?? 5;
  const rateOf = (requests: number | undefined, seconds: RateLimit["seconds"]) =>
    requests === undefined || requests === 0
      ? []
      : [{ requests, seconds, burst: Math.min(requests * multiplier, MOST) }];
  const rates = [
    ...rateOf(reader.get(LIMIT_ROWS.perSecond), 1),
    ...rateOf(reader.get(LIMIT_ROWS.perMinute), 60),
  ];
  if (rates.length === 0) return SHARED_SHAPE;
  const except = reader.get(LIMIT_ROWS.allowlist) ?? reader.get(LIMIT_ROWS.whitelist);
  return { limits: { of: `${of.namespace}/${of.name}`, rates, ...filled("except", except) } };
}
