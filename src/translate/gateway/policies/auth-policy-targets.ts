import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { AuthPolicy } from "../../../api/auth.js";
import type { GatewayListener, ParentReference } from "../../../api/gateway.js";
import type { DiagnosticCode } from "../../../diagnostics/catalog.js";
import type { RoutingResources } from "../../../input/resources.js";
import { objectKey } from "../../keys.js";
import { nameOf } from "../../place.js";
import type { GatewayState, RouteReaders } from "../model.js";
import { type Refused, refused } from "../verdict.js";
import { needsStream } from "../written-gateways.js";
import {
  type PolicyTarget,
  gatewayRef,
  gatewaysNamed,
  shownTarget,
  targetAsAncestor,
  targetsOf,
} from "./policy-targets.js";

/** What an AuthPolicy's target means for its status. */
interface ResolvedTarget {
  /** For the status; empty if the target belongs to another controller. */
  readonly ancestors: readonly ParentReference[];
  /** Names of the target's listeners that pass on connections or datagrams, so the policy does not apply to them. */
  readonly streams?: readonly string[];
  /** Why the policy does not apply to the target. */
  readonly problem?: Refused & { readonly code: DiagnosticCode };
}

/** The routes and Gateways that a target may lead to. */
export interface TargetUsers {
  readonly routes: Pick<RouteReaders, "gatewaysOf">;
  readonly states: readonly GatewayState[];
}

/** In the order of targetRefs. */
export function resolveTargets(
  policy: AuthPolicy,
  users: TargetUsers,
  resources: RoutingResources,
): readonly (ResolvedTarget & { readonly target: PolicyTarget })[] {
  return targetsOf(policy).map((target) => ({ target, ...resolve(target, users, resources) }));
}

function resolve(
  target: PolicyTarget,
  { routes, states }: TargetUsers,
  resources: RoutingResources,
): ResolvedTarget {
  const { group, namespace, name } = target;
  const kind = group === GATEWAY_GROUP ? target.kind : "";
  switch (kind) {
    case "Gateway": {
      const gateway = resources.get(kind, namespace, name);
      if (gateway === undefined) return notFound(target);
      if (gatewaysNamed([nameOf(gateway)], states).length === 0) return { ancestors: [] };
      return withListeners(target, gateway.spec.listeners, [gatewayRef(gateway, target.section)]);
    }
    case "ListenerSet": {
      const set = resources.get(kind, namespace, name);
      if (set === undefined) return notFound(target);
      const ancestors = gatewaysNamed([nameOf(set)], states).map((gateway) => gatewayRef(gateway));
      return withListeners(target, set.spec.listeners, ancestors);
    }
    case "HTTPRoute":
    case "GRPCRoute": {
      const route = resources.get(kind, namespace, name);
      if (route === undefined) return notFound(target);
      const gateways = gatewaysNamed(routes.gatewaysOf(objectKey({ ...target, kind })), states);
      const ancestors = gateways.map((gateway) => gatewayRef(gateway));
      return withoutSection(target, route.spec.rules ?? [], ancestors) ?? { ancestors };
    }
    default: {
      const message = `an AuthPolicy can't be for ${target.kind} of group ${JSON.stringify(group)}`;
      return { ancestors: [targetAsAncestor(target)], problem: unsupported(message) };
    }
  }
}

function withListeners(
  target: PolicyTarget,
  listeners: readonly Pick<GatewayListener, "name" | "protocol">[],
  ancestors: readonly ParentReference[],
): ResolvedTarget {
  const streams = listeners.filter(({ protocol }) => needsStream(protocol));
  const named = streams.find(({ name }) => name === target.section);
  if (named !== undefined) {
    const message = `auth is for requests, and listener ${named.name} of protocol ${named.protocol} passes on connections: it is open`;
    return { ancestors, problem: unsupported(message) };
  }
  const missing = withoutSection(target, listeners, ancestors);
  if (missing !== undefined) return missing;
  const isWhole = target.section === undefined && streams.length > 0;
  return { ancestors, ...(isWhole && { streams: streams.map(({ name }) => name) }) };
}

/** Undefined: the target names no section, or one that is there. */
function withoutSection(
  { section, ...object }: PolicyTarget,
  sections: readonly { readonly name?: string | undefined }[],
  ancestors: ResolvedTarget["ancestors"],
): ResolvedTarget | undefined {
  if (section === undefined || sections.some(({ name }) => name === section)) return undefined;
  const part = object.kind.endsWith("Route") ? "rule" : "listener";
  const message = `${shownTarget(object)} has no ${part} ${section}, so the policy protects nothing there`;
  return { ancestors, problem: unfound(message) };
}

function unfound(message: string): NonNullable<ResolvedTarget["problem"]> {
  return { ...refused("TargetNotFound", message), code: "POLICY_TARGET_NOT_FOUND" };
}

function notFound(target: PolicyTarget): ResolvedTarget {
  const message = `there is no ${shownTarget({ ...target, section: undefined })}, so the policy protects nothing there`;
  return { ancestors: [targetAsAncestor(target)], problem: unfound(message) };
}

function unsupported(message: string): NonNullable<ResolvedTarget["problem"]> {
  return { ...refused("Invalid", message), code: "POLICY_TARGET_UNSUPPORTED" };
}
