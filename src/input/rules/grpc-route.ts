/** What an API server checks in a GRPCRoute beyond its schema. */
import type { GrpcRoute } from "../../api/gateway.js";
import type { FieldPath } from "../../diagnostics/field-path.js";
import { invalid, missing, shown } from "../finding.js";
import type { Findings } from "../finding.js";
import { GRPC_ROUTE_FILTERS } from "./route-filters.js";
import { checkRoute } from "./route.js";

type Rule = NonNullable<GrpcRoute["spec"]["rules"]>[number];
type Method = NonNullable<NonNullable<Rule["matches"]>[number]["method"]>;

export function* checkGrpcRoute({ spec }: GrpcRoute): Findings {
  yield* checkRoute(spec, GRPC_ROUTE_FILTERS);
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    for (const [j, { method }] of (rule.matches ?? []).entries()) {
      if (method !== undefined)
        yield* checkMethod(method, ["spec", "rules", i, "matches", j, "method"]);
    }
  }
}

const SERVICE = /^\.?[a-z_][a-z_0-9]*(\.[a-z_][a-z_0-9]*)*$/i;
const METHOD = /^[A-Za-z_][A-Za-z_0-9]*$/;

/** A type that is not known may come with anything: a condition tells that it is not supported. */
function* checkMethod(match: Method, field: FieldPath): Findings {
  const { type = "Exact", service, method } = match;
  if (service === undefined && method === undefined) {
    yield missing(field, "a method match needs a service, a method or both");
  }
  if (type !== "Exact") return;
  if (service !== undefined && !SERVICE.test(service)) {
    yield invalid(
      [...field, "service"],
      `the service ${shown(service)} must be a name such as package.Service`,
      "write its name without slashes, or use the type RegularExpression",
    );
  }
  if (method !== undefined && !METHOD.test(method)) {
    yield invalid(
      [...field, "method"],
      `the method ${shown(method)} must be a name of letters, digits and '_'`,
      "write its name without slashes, or use the type RegularExpression",
    );
  }
}
