import type { GrpcRoute, HttpRoute } from "../../api/gateway.js";
import type { Service } from "../../api/wire.js";
import type { ResourceRef } from "../../diagnostics/diagnostic.js";
import type { DiagnosticSink } from "../../diagnostics/sink.js";
import type { CompileOptions } from "../../model/options.js";
import type { PathMatch, Predicate } from "../../model/route.js";
import type { ServicePortRef, UpstreamPlan } from "../backends.js";
import type { MatchRank } from "../precedence.js";
import type { CoreReference } from "../reference-grants.js";
import type { AlikeGateways } from "./model.js";
import type { Policies } from "./policies.js";
import type { RouteProblems } from "./route-problems.js";

export type AnyRoute = HttpRoute | GrpcRoute;

/**
 * All that the translation of a route may ask and tell besides its parents and policies. So little, because what is read is
 * noted (route-reads.ts).
 */
export interface RouteContext {
  readonly options: CompileOptions;
  readonly diagnostics: DiagnosticSink;
  service(namespace: string, name: string): Service | undefined;
  isGranted(from: ResourceRef, to: CoreReference): boolean;
  upstream(ref: ServicePortRef): UpstreamPlan;
}

/** What routes ask of the policies. */
export type RoutePolicies = Pick<
  Policies,
  "facts" | "backendTls" | "extension" | "externalAuth" | "attached"
>;

/** What a rule is translated for. Its Gateways choose the TLS to backends, so other Gateways can need another translation. */
export interface RuleScope {
  readonly route: AnyRoute;
  readonly gateways: AlikeGateways;
  /** Of the Gateways, in bytes. */
  readonly bodyLimit: number;
  readonly policies: RoutePolicies;
  readonly context: RouteContext;
  readonly problems: RouteProblems;
}

/** Scope of filters: what a replaced prefix was. */
export interface FilterScope extends RuleScope {
  /** The path that the rule's matches have as prefix, without trailing slash; undefined where one of them is of another type. */
  readonly prefix: string | undefined;
}

export function isGrpcRoute(route: AnyRoute): route is GrpcRoute {
  return route.kind === "GRPCRoute";
}

/** One match of a rule: which requests, and as how narrow it counts. */
export interface RuleMatch {
  /** In the rule. */
  readonly index: number;
  /** Undefined: any path. */
  readonly path: PathMatch | undefined;
  readonly when: readonly Predicate[];
  readonly rank: MatchRank;
  /** Of a prefix match. */
  readonly prefix?: string;
}
