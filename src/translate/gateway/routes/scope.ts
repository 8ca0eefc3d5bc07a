import type { Gateway, GrpcRoute, HttpRoute } from "../../../api/gateway.js";
import type { BuildContext } from "../../build-context.js";
import type { Policies } from "../policies/policies.js";
import type { Findings } from "./findings.js";

/** What a rule is translated for: what it does can differ by Gateway, which chooses the TLS to backends. */
export interface RuleScope {
  readonly route: HttpRoute | GrpcRoute;
  readonly gateway: Gateway;
  readonly policies: Policies;
  readonly build: BuildContext;
  readonly findings: Findings;
}

/** Scope of filters: what a replaced prefix was. */
export interface FilterScope extends RuleScope {
  /** The path that the rule's matches have as prefix, without trailing slash; undefined where one of them is of another type. */
  readonly prefix: string | undefined;
}

export function isGrpcRoute(route: HttpRoute | GrpcRoute): route is GrpcRoute {
  return route.kind === "GRPCRoute";
}
