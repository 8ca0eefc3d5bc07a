import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { AuthPolicy } from "../../../api/auth.js";
import { AUTH_TARGETS } from "../../../api/auth.js";
import type { GatewayListener, ParentReference } from "../../../api/gateway.js";
import type { RoutingResources } from "../../../input/resources.js";
import { didYouMean } from "../../../support/did-you-mean.js";
import type { GatewayState } from "../model.js";
import { needsStream } from "../route-kinds.js";
import type { Refused } from "../verdict.js";
import { refused } from "../verdict.js";
import { gatewayRef, targetAsAncestor } from "./policy-status.js";
import type { PolicyTarget } from "./policy-targets.js";
import { shownTarget, targetOf, targetRefs } from "./policy-targets.js";
import { gatewaysOf, gatewaysOfRoute } from "./route-gateways.js";

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
  readonly problem?: Refused & { readonly code: TargetCode };
}

type TargetCode =
  "POLICY_TARGET_NOT_FOUND" | "POLICY_TARGET_MISSPELT" | "POLICY_TARGET_UNSUPPORTED";

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

type TargetKind = (typeof AUTH_TARGETS)[number];
/** Kinds with names near to those, for which there is no auth. */
const OTHER_KINDS: ReadonlySet<string> = new Set(["TCPRoute", "TLSRoute", "UDPRoute"]);

/**
 * The object that a misspelt target closes: the kind and group are nearly ones that an AuthPolicy can be for, or the kind is one of
 * them and the group is wrong, or the object has no such section. Undefined: the target is right, or there is no such object.
 */
export function closedTarget(
  target: PolicyTarget,
  resources: RoutingResources,
): PolicyTarget | undefined {
  const kind = meantKind(target);
  const sections = kind && sectionsOf(kind, target, resources);
  if (kind === undefined || sections === undefined) return undefined;
  const isSpelt = kind === target.kind && target.group === GATEWAY_GROUP;
  const isThere = target.section === undefined || sections.includes(target.section);
  return isSpelt && isThere ? undefined : { ...target, group: GATEWAY_GROUP, kind, section: "" };
}

function meantKind({ group, kind }: PolicyTarget): TargetKind | undefined {
  const exact = AUTH_TARGETS.find((known) => known === kind);
  const isOurs = group === "" || didYouMean(group, [GATEWAY_GROUP], 2) !== undefined;
  if (exact !== undefined || !isOurs || OTHER_KINDS.has(kind)) return exact;
  const meant = didYouMean(kind, AUTH_TARGETS, 2);
  return AUTH_TARGETS.find((known) => known === meant);
}

/** Undefined: there is no such object. */
function sectionsOf(
  kind: TargetKind,
  { namespace, name }: PolicyTarget,
  resources: RoutingResources,
): readonly (string | undefined)[] | undefined {
  const object = resources.get(kind, namespace, name);
  if (object === undefined) return undefined;
  const sections = "listeners" in object.spec ? object.spec.listeners : object.spec.rules;
  return (sections ?? []).map((section) => section.name);
}

type Resolution = Pick<ResolvedTarget, "ancestors" | "streams" | "problem">;

function resolve(target: PolicyTarget, known: Known): Resolution {
  const closed = closedTarget(target, known.resources);
  const resolution = resolveKind(closed ?? target, known);
  if (closed === undefined) return resolution;
  const message = `${misspelling(target)}: everything of ${shownTarget({ ...closed, section: undefined })} answers 503`;
  const reason = target.kind === closed.kind ? "TargetNotFound" : "Invalid";
  const problem = { ...refused(reason, message), code: "POLICY_TARGET_MISSPELT" } as const;
  return { ancestors: resolution.ancestors, problem };
}

/** What is wrong with a target that closes an object. */
function misspelling({ group, kind, section, ...object }: PolicyTarget): string {
  const isSpelt = group === GATEWAY_GROUP && AUTH_TARGETS.some((known) => known === kind);
  if (!isSpelt) return `there is no kind ${kind} of group ${JSON.stringify(group)}`;
  const part = kind.endsWith("Route") ? "rule" : "listener";
  return `${shownTarget({ group, kind, ...object })} has no ${part} ${String(section)}`;
}

function resolveKind(target: PolicyTarget, known: Known): Resolution {
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
      return { ancestors: [targetAsAncestor(target)], problem: unsupported(message) };
    }
  }
}

function resolveGateway(target: PolicyTarget, { resources, states }: Known): Resolution {
  const gateway = resources.get("Gateway", target.namespace, target.name);
  if (gateway === undefined) return notFound(target);
  if (gatewaysOf([target], states).length === 0) return { ancestors: [] };
  return withListeners(target, gateway.spec.listeners, [gatewayRef(gateway, target.section)]);
}

function resolveListenerSet(target: PolicyTarget, { resources, states }: Known): Resolution {
  const set = resources.get("ListenerSet", target.namespace, target.name);
  if (set === undefined) return notFound(target);
  const ancestors = gatewaysOf([target], states).map((gateway) => gatewayRef(gateway));
  return withListeners(target, set.spec.listeners, ancestors);
}

function resolveRoute(
  kind: "HTTPRoute" | "GRPCRoute",
  target: PolicyTarget,
  { resources, states }: Known,
): Resolution {
  const route = resources.get(kind, target.namespace, target.name);
  if (route === undefined) return notFound(target);
  return { ancestors: gatewaysOfRoute(route, states).map((gateway) => gatewayRef(gateway)) };
}

function withListeners(
  target: PolicyTarget,
  listeners: readonly Pick<GatewayListener, "name" | "protocol">[],
  ancestors: readonly ParentReference[],
): Resolution {
  const streams = listeners.filter(({ protocol }) => needsStream(protocol));
  const named = streams.find(({ name }) => name === target.section);
  if (named !== undefined) {
    const message = `auth is for requests, and listener ${named.name} of protocol ${named.protocol} passes on connections: it is open`;
    return { ancestors, problem: unsupported(message) };
  }
  const isWhole = target.section === undefined && streams.length > 0;
  return { ancestors, ...(isWhole && { streams: streams.map(({ name }) => name) }) };
}

function notFound(target: PolicyTarget): Resolution {
  const message = `there is no ${shownTarget({ ...target, section: undefined })}, so the policy protects nothing there`;
  const problem = {
    ...refused("TargetNotFound", message),
    code: "POLICY_TARGET_NOT_FOUND",
  } as const;
  return { ancestors: [targetAsAncestor(target)], problem };
}

function unsupported(message: string): NonNullable<Resolution["problem"]> {
  return { ...refused("Invalid", message), code: "POLICY_TARGET_UNSUPPORTED" };
}
