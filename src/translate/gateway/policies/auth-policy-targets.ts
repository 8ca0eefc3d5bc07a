import { GATEWAY_GROUP } from "../../../api/wire.js";
import { AUTH_TARGETS, type AuthPolicy } from "../../../api/auth.js";
import type { GatewayListener, ParentReference } from "../../../api/gateway.js";
import type { DiagnosticCode } from "../../../diagnostics/catalog.js";
import type { RoutingResources } from "../../../input/resources.js";
import { didYouMean } from "../../../support/did-you-mean.js";
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
  return targetsOf(policy).map((target) => {
    const closed = closedTarget(target, resources);
    const resolved = resolve(closed ?? target, users, resources);
    if (closed === undefined) return { target, ...resolved };
    const message = `${misspelling(target)}: everything of ${shownTarget({ ...closed, section: undefined })} answers 503`;
    const reason = target.kind === closed.kind ? "TargetNotFound" : "Invalid";
    const problem = { ...refused(reason, message), code: "POLICY_TARGET_MISSPELT" } as const;
    return { target, ancestors: resolved.ancestors, problem };
  });
}

/** Kinds with names similar to AUTH_TARGETS that can't have auth. */
const OTHER_KINDS: ReadonlySet<string> = new Set(["TCPRoute", "TLSRoute", "UDPRoute"]);

/**
 * The object that a misspelt target closes: kind and group resemble those that an AuthPolicy can target, the kind is one of them but the
 * group is wrong, or the object has no such section. Undefined: the target is right, or there is no such object.
 */
export function closedTarget(
  target: PolicyTarget,
  resources: RoutingResources,
): PolicyTarget | undefined {
  const kind = meantKind(target);
  const object = kind && resources.get(kind, target.namespace, target.name);
  if (kind === undefined || object === undefined) return undefined;
  const sections = ("listeners" in object.spec ? object.spec.listeners : object.spec.rules) ?? [];
  const isSpelt = kind === target.kind && target.group === GATEWAY_GROUP;
  const isThere =
    target.section === undefined || sections.some(({ name }) => name === target.section);
  return isSpelt && isThere ? undefined : { ...target, group: GATEWAY_GROUP, kind, section: "" };
}

function meantKind({ group, kind }: PolicyTarget): (typeof AUTH_TARGETS)[number] | undefined {
  const exact = AUTH_TARGETS.find((known) => known === kind);
  const isOurs = group === "" || didYouMean(group, [GATEWAY_GROUP], 2) !== undefined;
  if (exact !== undefined || !isOurs || OTHER_KINDS.has(kind)) return exact;
  const meant = didYouMean(kind, AUTH_TARGETS, 2);
  return AUTH_TARGETS.find((known) => known === meant);
}

/** Says what is wrong with a target that closes an object. */
function misspelling({ group, kind, section, ...object }: PolicyTarget): string {
  const isSpelt = group === GATEWAY_GROUP && AUTH_TARGETS.some((known) => known === kind);
  if (!isSpelt) return `there is no kind ${kind} of group ${JSON.stringify(group)}`;
  const part = kind.endsWith("Route") ? "rule" : "listener";
  return `${shownTarget({ group, kind, ...object })} has no ${part} ${String(section)}`;
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
      if (resources.get(kind, namespace, name) === undefined) return notFound(target);
      const gateways = gatewaysNamed(routes.gatewaysOf(objectKey({ ...target, kind })), states);
      return { ancestors: gateways.map((gateway) => gatewayRef(gateway)) };
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
  const isWhole = target.section === undefined && streams.length > 0;
  return { ancestors, ...(isWhole && { streams: streams.map(({ name }) => name) }) };
}

function notFound(target: PolicyTarget): ResolvedTarget {
  const message = `there is no ${shownTarget({ ...target, section: undefined })}, so the policy protects nothing there`;
  const problem = {
    ...refused("TargetNotFound", message),
    code: "POLICY_TARGET_NOT_FOUND",
  } as const;
  return { ancestors: [targetAsAncestor(target)], problem };
}

function unsupported(message: string): NonNullable<ResolvedTarget["problem"]> {
  return { ...refused("Invalid", message), code: "POLICY_TARGET_UNSUPPORTED" };
}
