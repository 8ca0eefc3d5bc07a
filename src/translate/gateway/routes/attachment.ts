import type { ParentReference } from "../../../api/gateway.js";
import type { HostPattern } from "../../../ir/host-pattern.js";
import { hostKey } from "../../../ir/host-pattern.js";
import type { AttachableRoute, ListenerState } from "../model.js";
import { intersect } from "./hostname-intersection.js";
import type { GatewayParent } from "./parents.js";
import type { RouteHost } from "./route-hostnames.js";

/** A listener that takes the route, and the hosts that they have in common. */
export interface Attachment {
  readonly listener: ListenerState;
  readonly hosts: readonly AttachedHost[];
}

export interface AttachedHost extends RouteHost {
  /** What the route's hostname and the listener's have in common. */
  readonly host: HostPattern;
}

export type Attached =
  | { readonly ok: true; readonly attachments: readonly Attachment[] }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/**
 * The listeners of the parent that take the route. Conditions as Gateway API says them (RouteConditionReason); `ParentNotAccepted`,
 * of ListenerSets there, is for every parent that serves nothing.
 */
export function attach(
  route: AttachableRoute,
  reference: ParentReference,
  parent: GatewayParent,
  hosts: readonly RouteHost[],
): Attached {
  const { title } = parent;
  const named = parent.listeners.filter((listener) => isNamed(listener, reference));
  if (named.length === 0) {
    return parent.accepted
      ? { ok: false, reason: "NoMatchingParent", message: noListener(reference, parent) }
      : notAccepted(parent);
  }
  const { kind, metadata } = route;
  const { namespace } = metadata;
  const allowing = named.filter(
    (listener) =>
      listener.kinds.some((taken) => taken === kind) && listener.allowsNamespace(namespace),
  );
  if (allowing.length === 0) {
    const message = `no listener of ${title} allows ${kind}s of namespace ${namespace}: ${names(named)}`;
    return { ok: false, reason: "NotAllowedByListeners", message };
  }
  const attachments = allowing
    .map((listener) => ({ listener, hosts: commonHosts(listener, hosts) }))
    .filter((attachment) => attachment.hosts.length > 0);
  if (attachments.length === 0 && hosts.length > 0) {
    const message = `no hostname of the route is one of ${title}'s: ${allowing.map(hostOf).join(", ")}`;
    return { ok: false, reason: "NoMatchingListenerHostname", message };
  }
  return parent.accepted ? { ok: true, attachments } : notAccepted(parent);
}

function notAccepted({ title }: GatewayParent): Attached {
  const message = `${title} is not accepted: its status says why`;
  return { ok: false, reason: "ParentNotAccepted", message };
}

function isNamed({ name, port }: ListenerState, reference: ParentReference): boolean {
  const { sectionName, port: wanted } = reference;
  return (
    (sectionName === undefined || sectionName === name) && (wanted === undefined || wanted === port)
  );
}

function commonHosts(listener: ListenerState, hosts: readonly RouteHost[]): AttachedHost[] {
  return hosts.flatMap((own) => {
    const host = intersect(listener.hostname, own.pattern);
    return host === undefined ? [] : [{ ...own, host }];
  });
}

function noListener({ sectionName, port }: ParentReference, parent: GatewayParent): string {
  const wanted = [
    ...(sectionName === undefined ? [] : [`named ${sectionName}`]),
    ...(port === undefined ? [] : [`on port ${String(port)}`]),
  ].join(" ");
  return `${parent.title} has no listener ${wanted}; it has ${names(parent.listeners)}`;
}

function names(listeners: readonly ListenerState[]): string {
  return listeners.map(({ name, port }) => `${name} (${String(port)})`).join(", ");
}

/** As it is written, not as a key: `*.a.example`. */
function hostOf({ name, hostname }: ListenerState): string {
  return `${hostKey(hostname).replace(/^\*\*/, "*")} (${name})`;
}
