import type { PathMatch, Predicate, ValueTest } from "../../model/match.js";
import type { RouteBinding } from "../../model/route.js";
import { assertNever } from "../../support/assert-never.js";
import { filled, present } from "../../support/fields.js";
import type { PolicyBinding, PolicyPredicate } from "./policy-document.js";

/** But for the order, which is another one for each host. */
export function policyBinding(binding: RouteBinding): Omit<PolicyBinding, "order"> {
  return {
    route: binding.route,
    ...present("path", policyPath(binding.path)),
    ...filled("when", binding.when.map(policyPredicate)),
  };
}

function policyPath(path: PathMatch): PolicyBinding["path"] {
  switch (path.kind) {
    case "any":
      return undefined;
    case "exact":
    case "prefix":
    case "start":
      return [path.kind, path.value];
    case "regex":
      return ["regex", path.pattern, path.ignoreCase ? "i" : ""];
    default:
      return assertNever(path, "path match");
  }
}

function policyPredicate(predicate: Predicate): PolicyPredicate {
  const { of, key } = predicate;
  return { of, ...present("key", key), any: predicate.any.map(policyTest) };
}

function policyTest(test: ValueTest): readonly [string, ...string[]] {
  switch (test.op) {
    case "eq":
    case "start":
    case "end":
      return [test.op, test.value];
    case "in":
      return [test.op, ...test.values];
    case "oneLabel":
      return [test.op, test.suffix];
    case "regex":
      return [test.op, test.pattern];
    case "range":
      return [test.op, test.low, test.high];
    case "cidr":
      return [test.op, test.cidr];
    case "exists":
      return [test.op];
    default:
      return assertNever(test, "test");
  }
}
