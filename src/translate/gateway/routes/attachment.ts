import { isIP } from "node:net";
import type { ParentReference } from "../../../api/gateway.js";
import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { BoundHost } from "../../../model/route.js";
import { ANY_HOST, type HostPattern, hostKey, hostText } from "../../../model/values.js";
import { getOrInsert } from "../../../support/collections.js";
import { intersect, parseHostPattern } from "../../hostnames.js";
import { type Place, placeOf } from "../../place.js";
import { hostnameRank } from "../../precedence.js";
import type { AttachableRoute, ListenerState, RouteContext } from "../model.js";
import type { RouteProblems } from "../route-problems.js";
import { type Refused, refused } from "../verdict.js";
import type { Parent, Parents } from "./parents.js";
import { SHARED_SHAPE } from "../../../support/json-object.js";

/** A hostname of the route, and its position in the list. */
export interface RouteHost {
  readonly pattern: HostPattern;
  readonly index: number;
}

/** A listener that takes the route, and the hosts that they have in common, with the rank of the route's hostname. */
export interface Attachment {
  readonly listener: ListenerState;
  /** One list for all listeners of a hostname, and for all parentRefs. */
  readonly hosts: readonly (RouteHost & BoundHost)[];
}

/** A parentRef whose parent is ours, and the listeners that take the route, or why none does. */
export interface OwnParent {
  readonly reference: ParentReference;
  readonly parent: Parent;
  readonly attached: { readonly ok: true; readonly attachments: readonly Attachment[] } | Refused;
}

/** If no parent is ours, the route belongs to another controller, and the rest of it is not read. */
export function ownParents(
  route: AttachableRoute,
  parents: Parents,
  problems: RouteProblems,
  { diagnostics }: Pick<RouteContext, "diagnostics">,
): readonly OwnParent[] {
  const named = namedParents(route, parents, diagnostics);
  const own = [...named, ...defaultParents(route, parents, named, problems)];
  if (own.length === 0) return [];
  const common = commonHosts(routeHosts(route, problems));
  return own.map(({ reference, parent, place }) => {
    const attached = attach(route, reference, parent, common);
    if (!attached.ok) {
      diagnostics.report({ code: "ROUTE_NOT_ATTACHED", message: attached.message, ...place });
    }
    return { reference, parent, attached };
  });
}

/** Whether the route may belong to a parent that is not among the objects. An unknown one is reported; that there is none is reported here. */
export function isUnattached(
  route: AttachableRoute,
  parents: Parents,
  problems: RouteProblems,
  { options, diagnostics }: Pick<RouteContext, "options" | "diagnostics">,
): boolean {
  const { parentRefs = [] } = route.spec;
  if (!options.checksUnattached) return false;
  if (parentRefs.length > 0 && !parentRefs.some((each) => parents.find(route, each) === "missing"))
    return false;
  routeHosts(route, problems);
  if (parentRefs.length === 0) {
    const message = "the route names no parent, so nothing serves it";
    diagnostics.report({ code: "ROUTE_PARENT_NOT_FOUND", message, ...placeOf(route, "spec") });
  }
  return true;
}

type NamedParent = Pick<OwnParent, "reference" | "parent"> & { readonly place: Place };

function namedParents(
  route: AttachableRoute,
  parents: Parents,
  diagnostics: RouteContext["diagnostics"],
): readonly NamedParent[] {
  return (route.spec.parentRefs ?? []).flatMap((reference, index) => {
    const parent = parents.find(route, reference);
    const place = placeOf(route, "spec", "parentRefs", index);
    if (typeof parent !== "string") return [{ reference, parent, place }];
    diagnostics.report({ ...UNSERVED[parent](reference), ...place });
    return [];
  });
}

/** The default Gateways, if the route asks for them, without those that it names itself (GEP-3793). */
function defaultParents(
  route: AttachableRoute,
  parents: Parents,
  named: readonly NamedParent[],
  problems: RouteProblems,
): readonly NamedParent[] {
  const { useDefaultGateways: scope = "" } = route.spec;
  const place = placeOf(route, "spec", "useDefaultGateways");
  // The value is another controller's if there is no Gateway of ours.
  if (named.length === 0 && parents.defaults.length === 0) return [];
  if (problems.choice(scope === "" ? "None" : scope, ["All", "None"], place) !== "All") return [];
  const own = parents.defaults.filter(
    ({ gateway }) => !named.some(({ parent }) => parent.gateway === gateway),
  );
  return own.map((parent) => {
    const { namespace, name } = parent.gateway.metadata;
    const reference = { group: GATEWAY_GROUP, kind: "Gateway", namespace, name };
    return { reference, parent, place };
  });
}

const UNSERVED = {
  mesh: ({ name }: ParentReference) =>
    ({
      code: "ROUTE_OF_MESH",
      message: `parent is Service ${name}: routes between Services are not served`,
    }) as const,
  foreign: (reference: ParentReference) =>
    ({
      code: "ROUTE_PARENT_FOREIGN",
      message: `${shown(reference)} is none that is served here`,
    }) as const,
  missing: (reference: ParentReference) =>
    ({ code: "ROUTE_PARENT_NOT_FOUND", message: `there is no ${shown(reference)}` }) as const,
};

function shown({ kind = "Gateway", namespace, name }: ParentReference): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/**
 * The listeners of the parent that take the route, or a RouteConditionReason of Gateway API. `ParentNotAccepted`, which the API has
 * for ListenerSets, is used for every parent that serves nothing.
 */
function attach(
  route: AttachableRoute,
  reference: ParentReference,
  parent: Parent,
  common: ReturnType<typeof commonHosts>,
): OwnParent["attached"] {
  const { title } = parent;
  const named = parent.listeners.filter((listener) => isNamed(listener, reference));
  if (named.length === 0) {
    return parent.accepted
      ? refused("NoMatchingParent", noListener(reference, parent))
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
    return refused("NotAllowedByListeners", message);
  }
  const attachments = allowing
    .map((listener) => ({ listener, hosts: common.with(listener) }))
    .filter((attachment) => attachment.hosts.length > 0);
  if (attachments.length === 0 && !common.isEmpty) {
    const message = `no hostname of the route is one of ${title}'s: ${allowing.map(hostOf).join(", ")}`;
    return refused("NoMatchingListenerHostname", message);
  }
  return parent.accepted ? { ok: true, attachments } : notAccepted(parent);
}

function notAccepted({ title }: Parent): Refused {
  return refused("ParentNotAccepted", `${title} is not accepted: its status says why`);
}

function isNamed({ name, port }: ListenerState, reference: ParentReference): boolean {
  const { sectionName, port: wanted } = reference;
  return (
    (sectionName === undefined || sectionName === name) && (wanted === undefined || wanted === port)
  );
}

function noListener({ sectionName, port }: ParentReference, parent: Parent): string {
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

/** The valid hostnames; a route without hostnames is for every host. */
function routeHosts(route: AttachableRoute, problems: RouteProblems): readonly RouteHost[] {
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

/** The hosts that a route has in common with a listener. */
function commonHosts(hosts: readonly RouteHost[]): {
  readonly isEmpty: boolean;
  with(listener: Pick<ListenerState, "hostname">): Attachment["hosts"];
} {
  const ranked = hosts.map((each) => ({
    ...SHARED_SHAPE,
    ...each,
    rank: `${hostnameRank(each.pattern)} `,
  }));
  const known = new Map<string, Attachment["hosts"]>();
  return {
    isEmpty: hosts.length === 0,
    with: ({ hostname }) =>
      getOrInsert(known, hostKey(hostname), () =>
        ranked.flatMap((own) => {
          const host = intersect(hostname, own.pattern);
          return host === undefined ? [] : [{ ...SHARED_SHAPE, ...own, host }];
        }),
      ),
  };
}
