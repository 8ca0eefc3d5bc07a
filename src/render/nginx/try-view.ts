/**
 * What templates/partials/try.conf.hbs prints: the locations of routes with deadlines or retries. nginx wants the statuses that
 * are tried again in the configuration, so each set of them is a location. Those of HTTP/1.1 are all there, whether used or
 * not, so that a change of a route is no reload; HTTP/2 to backends is rare, and has those that are used.
 */
import type { RoutingModel } from "../../ir/config.js";
import type { Retry, Route } from "../../ir/route.js";
import type { BackendProtocol } from "../../ir/upstream.js";
import { compareStrings } from "../../support/compare.js";
import { integer, locationName, word } from "./text.js";

type Codes = readonly Retry["codes"][number][];

const CODES: Codes = [500, 502, 503, 504];

/** Locations for HTTP/2 by protocol; the names are the ones of lua/alb/upstream/location.lua. */
const HTTP2: Readonly<Partial<Record<BackendProtocol, string>>> = {
  grpc: "grpc_try",
  grpcs: "grpc_try",
  h2c: "h2c_try",
};

export function tryViews(config: RoutingModel): readonly object[] {
  const http = subsets(CODES).map((codes) => ({ family: "try", codes }));
  const http2 = config.routes.filter(hasTries).flatMap(http2Locations);
  const named = new Map([...http, ...http2].map((entry) => [nameOf(entry), entry]));
  return [...named]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([name, { family, codes }]) => ({
      name: locationName(name),
      codes: codes.map(integer),
      module: word(family === "try" ? "proxy" : "grpc"),
      stream: family === "grpc_try",
    }));
}

interface TryLocation {
  readonly family: string;
  readonly codes: Codes;
}

function hasTries({ retry, deadlines }: Route): boolean {
  return retry !== undefined || Object.keys(deadlines ?? {}).length > 0;
}

function http2Locations({ retry, backends }: Route): readonly TryLocation[] {
  const used = retry !== undefined && retry.attempts > 0 ? retry.codes : [];
  const codes = CODES.filter((code) => used.includes(code));
  return backends.flatMap(({ protocol }) => {
    const family = HTTP2[protocol];
    return family === undefined ? [] : [{ family, codes }];
  });
}

function nameOf({ family, codes }: TryLocation): string {
  return [family, ...codes].join("_");
}

function subsets(codes: Codes): readonly Codes[] {
  const [first, ...rest] = codes;
  if (first === undefined) return [[]];
  const without = subsets(rest);
  return [...without, ...without.map((subset) => [first, ...subset])];
}
