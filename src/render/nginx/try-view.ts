/**
 * What templates/partials/try.conf.hbs prints: the locations of routes with deadlines or retries. nginx wants the statuses that
 * are tried again in the configuration, so each set of them that a route uses is a location. Each costs nginx some 14 KB in every
 * server, so a new set is a reload.
 */
import type { RoutingModel } from "../../model/config.js";
import type { Retry, Route } from "../../model/route.js";
import type { BackendProtocol } from "../../model/upstream.js";
import { compareStrings } from "../../support/compare.js";
import { integer, locationName, word } from "./text.js";

type Codes = NonNullable<Retry["codes"]>;

/** By protocol; the names are the ones of lua/alb/upstream/location.lua. */
const FAMILIES: Readonly<Record<BackendProtocol, string>> = {
  http: "try",
  https: "try",
  grpc: "grpc_try",
  grpcs: "grpc_try",
  h2c: "h2c_try",
};

export function tryViews(config: RoutingModel): readonly object[] {
  const used = config.routes.filter(hasTries).flatMap(locationsOf);
  // Deadlines are common, and need this one alone.
  const named = new Map([PLAIN, ...used].map((entry) => [nameOf(entry), entry]));
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

const PLAIN: TryLocation = { family: FAMILIES.http, codes: [] };

function hasTries({ retry, deadlines }: Route): boolean {
  return retry !== undefined || Object.keys(deadlines ?? {}).length > 0;
}

function locationsOf({ retry, backends = [] }: Route): readonly TryLocation[] {
  const { codes = [], attempts = 0 } = retry ?? {};
  const used = attempts > 0 ? codes : [];
  return backends.map(({ protocol }) => ({ family: FAMILIES[protocol], codes: used }));
}

function nameOf({ family, codes }: TryLocation): string {
  return [family, ...codes].join("_");
}
