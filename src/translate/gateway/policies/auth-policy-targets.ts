import type { AuthPolicy } from "../../../api/auth-policy.js";
import type { Gateway, GatewayListener, ParentReference } from "../../../api/gateway.js";
import type { RoutingResources } from "../../../input/resources.js";
import type { GatewayState } from "../model.js";
import { GATEWAY_GROUP } from "../model.js";
import { needsStream } from "../route-kinds.js";
import type { Refused } from "../verdict.js";
import { refused } from "../verdict.js";
import { gatewayRef, targetAsAncestor } from "./policy-status.js";
import type { PolicyTarget } from "./policy-targets.js";
import { shownTarget, targetOf, targetRefs } from "./policy-targets.js";
import { gatewaysOfRoute } from "./route-gateways.js";

/** Where a target of an AuthPolicy leads. */
export interface ResolvedTarget {
  readonly target: PolicyTarget;
  /** Position in targetRefs. */
  readonly index: number;
  /** What the status names; none when the target belongs to another controller. */
  readonly ancestors: readonly ParentReference[];
  /** Names of the target's listeners that it is not for, because they pass on connections or datagrams. */
  readonly streams?: readonly string[];
  /** Why the policy can't be for it. */
  readonly problem?: Refused & { readonly unsupported: boolean };
}

/** What resolving needs to know. */
export interface Known {
  readonly resources: RoutingResources;
  readonly states: readonly GatewayState[];
}

export function resolveTargets(policy: AuthPolicy, known: Known): readonly ResolvedTarget[] {
  return targetRefs(policy).map((ref, index) => {
    const target = targetOf(policy, ref);
    return { target, index, ...resolve(target, known) };
  });
}

type Resolution = Pick<ResolvedTarget, "ancestors" | "streams" | "problem">;

function resolve(target: PolicyTarget, known: Known): Resolution {
  const kind = target.group === GATEWAY_GROUP ? target.kind : "";
  switch (kind) {
    case "Gateway":
      return resolveGateway(target, known);
    case "ListenerSet":
      return resolveListenerSet(target, known);
    case "HTTPRoute":
    case "GRPCRoute":
      return resolveRoute(kind, target, known);
    default: {
      const message = `an AuthPolicy can't be for ${target.kind} of group ${JSON.stringify(target.group)}`;
      const problem = { ...refused("Invalid", message), unsupported: true };
      return { ancestors: [targetAsAncestor(target)], problem };
    }
  }
}

function resolveGateway(target: PolicyTarget, { resources, states }: Known): Resolution {
  const gateway = resources.get("Gateway", target.namespace, target.name);
  if (gateway === undefined) return notFound(target);
  if (!states.some((state) => isNamed(state.gateway, target))) return { ancestors: [] };
  return withListeners(target, gateway.spec.listeners, [gatewayRef(gateway, target.section)]);
}

function resolveListenerSet(target: PolicyTarget, { resources, states }: Known): Resolution {
  const set = resources.get("ListenerSet", target.namespace, target.name);
  if (set === undefined) return notFound(target);
  const ancestors = states
    .filter(({ listeners }) =>
      listeners.some(({ parent }) => parent.kind === "ListenerSet" && isNamed(parent, target)),
    )
    .map(({ gateway }) => gatewayRef(gateway));
  return withListeners(target, set.spec.listeners, ancestors);
}

function resolveRoute(
  kind: "HTTPRoute" | "GRPCRoute",
  target: PolicyTarget,
  { resources, states }: Known,
): Resolution {
  const route = resources.get(kind, target.namespace, target.name);
  if (route === undefined) return notFound(target);
  const rules = (route.spec.rules ?? []).flatMap(({ name }) =>
    name === undefined ? [] : { name },
  );
  const ancestors = gatewaysOfRoute(route, states).map((gateway) => gatewayRef(gateway));
  return withSection(target, rules, ancestors);
}

function withListeners(
  target: PolicyTarget,
  listeners: readonly Pick<GatewayListener, "name" | "protocol">[],
  ancestors: readonly ParentReference[],
): Resolution {
  const resolution = withSection(target, listeners, ancestors);
  const streams = listeners.filter(({ protocol }) => needsStream(protocol));
  const named = streams.find(({ name }) => name === target.section);
  if (named !== undefined) {
    const message = `auth is for requests, and listener ${named.name} of protocol ${named.protocol} passes on connections: it is open`;
    return { ancestors, problem: { ...refused("Invalid", message), unsupported: true } };
  }
  const isWhole = target.section === undefined && streams.length > 0;
  return { ...resolution, ...(isWhole && { streams: streams.map(({ name }) => name) }) };
}

function withSection(
  target: PolicyTarget,
  sections: readonly Pick<GatewayListener, "name">[],
  ancestors: readonly ParentReference[],
): Resolution {
  const found =
    target.section === undefined || sections.some(({ name }) => name === target.section);
  return found ? { ancestors } : { ancestors, problem: missing(sectionMissing(target)) };
}

function notFound(target: PolicyTarget): Resolution {
  const message = `there is no ${shownTarget({ ...target, section: undefined })}`;
  return { ancestors: [targetAsAncestor(target)], problem: missing(message) };
}

function sectionMissing({ section, ...object }: PolicyTarget): string {
  const kind = object.kind.endsWith("Route") ? "rule" : "listener";
  return `${shownTarget(object)} has no ${kind} ${String(section)}`;
}

function missing(message: string): NonNullable<Resolution["problem"]> {
  return { ...refused("TargetNotFound", message), unsupported: false };
}

function isNamed({ metadata }: Pick<Gateway, "metadata">, target: PolicyTarget): boolean {
  return metadata.namespace === target.namespace && metadata.name === target.name;
}
