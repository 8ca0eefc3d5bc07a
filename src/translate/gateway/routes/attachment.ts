import { isIP } from "node:net";
import type { ParentReference } from "../../../api/gateway.js";
import type { BoundHost } from "../../../model/route.js";
import type { HostPattern } from "../../../model/values.js";
import { ANY_HOST, hostKey, hostText } from "../../../model/values.js";
import { getOrInsert } from "../../../support/collections.js";
import { intersect, parseHostPattern } from "../../hostnames.js";
import { placeOf } from "../../place.js";
import { hostnameRank } from "../../precedence.js";
import type { AttachableRoute, ListenerState } from "../model.js";
import type { RouteProblems } from "../route-problems.js";
import type { GatewayParent } from "./parents.js";

/** A listener that takes the route, and the hosts that they have in common. */
export interface Attachment {
  readonly listener: ListenerState;
  /** One list for all listeners of a hostname, and for all parentRefs. */
  readonly hosts: readonly AttachedHost[];
}

/** What the route's hostname and the listener's have in common, with the rank of the route's. */
interface AttachedHost extends RouteHost, BoundHost {}

/** The hosts of a route, and which of them it has in common with a listener. */
export class CommonHosts {
  readonly #own: readonly (RouteHost & Pick<BoundHost, "rank">)[];
  readonly #common = new Map<string, readonly AttachedHost[]>();

  constructor(own: readonly RouteHost[]) {
    this.#own = own.map((each) => ({ ...each, rank: `${hostnameRank(each.pattern)} ` }));
  }

  get isEmpty(): boolean {
    return this.#own.length === 0;
  }

  with({ hostname }: Pick<ListenerState, "hostname">): readonly AttachedHost[] {
    return getOrInsert(this.#common, hostKey(hostname), () => this.#intersected(hostname));
  }

  #intersected(hostname: HostPattern): readonly AttachedHost[] {
    return this.#own.flatMap((own) => {
      const host = intersect(hostname, own.pattern);
      return host === undefined ? [] : [{ ...own, host }];
    });
  }
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
  hosts: CommonHosts,
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
    .map((listener) => ({ listener, hosts: hosts.with(listener) }))
    .filter((attachment) => attachment.hosts.length > 0);
  if (attachments.length === 0 && !hosts.isEmpty) {
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

function hostOf({ name, hostname }: ListenerState): string {
  return `${hostText(hostname)} (${name})`;
}

/** A hostname of the route, and its position in the list. */
export interface RouteHost {
  readonly pattern: HostPattern;
  readonly index: number;
}

/** The hostnames that can be matched; a route without hostnames is for every host. */
export function routeHosts(route: AttachableRoute, problems: RouteProblems): readonly RouteHost[] {
  const { hostnames = [] } = route.spec;
  if (hostnames.length === 0) return [{ pattern: ANY_HOST, index: 0 }];
  const hosts = new Map<string, RouteHost>();
  for (const [index, text] of hostnames.entries()) {
    const parsed = isIP(text) === 0 ? parseHostPattern(text, "many") : undefined;
    if (parsed?.ok === true) {
      const key = hostKey(parsed.value);
      if (!hosts.has(key)) hosts.set(key, { pattern: parsed.value, index });
      continue;
    }
    const message = parsed?.problem ?? `${JSON.stringify(text)} is an IP address, not a DNS name`;
    problems.unsupported(message, placeOf(route, "spec", "hostnames", index));
  }
  return [...hosts.values()];
}
