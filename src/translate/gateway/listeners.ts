import type { GatewayListener } from "../../api/gateway.js";
import type { BuildContext } from "../context.js";
import { serverId } from "../load-balancer.js";
import { sourceRef } from "../place.js";
import { unavailability } from "../unavailable-ports.js";
import type { AddressAssignment } from "./addresses.js";
import type { ClientValidation } from "./client-validation.js";
import { clientValidation } from "./client-validation.js";
import { endsTls, listenerCertificates } from "./listener-certificates.js";
import type { ListenerDraft } from "./listener-draft.js";
import type { ListenerOverlaps } from "./listener-overlap.js";
import type { ListenerState, TranslatedListener } from "./model.js";
import { namespaceFilter } from "./namespace-filter.js";
import { routeKinds } from "./route-kinds.js";
import type { Refused, Verdict } from "./verdict.js";
import { firstRefused, HOLDS, refused } from "./verdict.js";

/** What the listeners of a Gateway have in common. */
export interface ListenerScope {
  /** Whether anything of the Gateway may be served. */
  readonly gateway: Verdict;
  readonly assignment: AddressAssignment;
  readonly conflicts: ReadonlyMap<ListenerDraft, Refused>;
  /** Those without conflict on the Gateway's addresses: its own, its ListenerSets', and of other Gateways that share the addresses. */
  readonly neighbours: readonly ListenerDraft[];
  readonly overlaps: ListenerOverlaps;
  /** Those that get no sockets. */
  readonly overBudget: Pick<ReadonlyMap<ListenerDraft, Refused>, "get">;
  readonly context: BuildContext;
}

/** Judges a listener and, when it can be served, adds it to the data plane; its certificates, and what its routes say of streams, are for
 * the caller to serve. */
export function translateListener(draft: ListenerDraft, scope: ListenerScope): TranslatedListener {
  const { context, conflicts } = scope;
  const { spec, gateway, parent, place, hostname } = draft;
  const conflict = conflicts.get(draft);
  const { kinds, verdict: kindsVerdict } = routeKinds(spec, context.options);
  const tls = listenerCertificates(draft, context);
  const clients =
    spec.protocol === "HTTPS" ? clientValidation(gateway, spec.port, context) : ANYBODY;
  const accepted =
    conflict ?? firstRefused([draft.written, portVerdict(draft, scope), clients.accepted]);
  const resolvedRefs = firstRefused([tls.verdict, clients.resolvedRefs, kindsVerdict]);
  const hasCertificate = !endsTls(spec) || tls.certificates.length > 0;
  const usable = kinds.length > 0 && hasCertificate ? HOLDS : resolvedRefs;
  const programmed = programmedVerdict(accepted, usable, scope);
  const overlap = accepted.ok ? scope.overlaps.of(draft, scope.neighbours) : undefined;
  const listener: TranslatedListener = {
    gateway,
    parent,
    name: spec.name,
    port: spec.port,
    hostname,
    tls: spec.protocol === "HTTPS",
    ...streamOf(spec),
    kinds,
    allowsNamespace: namespaceFilter(
      spec.allowedRoutes?.namespaces,
      "Same",
      parent.metadata.namespace,
      context.resources,
    ),
    ...(programmed.ok && { serves: servedAs(draft, scope.assignment) }),
    spec,
    place,
    accepted,
    resolvedRefs,
    programmed,
    certificates: tls.certificates,
    ...(conflict && { conflict }),
    ...(overlap && { overlap }),
    ...(clients.clientCertificates && { clientCertificates: clients.clientCertificates }),
  };
  addToConfig(listener, scope);
  return listener;
}

const ANYBODY: Pick<ClientValidation, "accepted" | "resolvedRefs" | "clientCertificates"> = {
  accepted: HOLDS,
  resolvedRefs: HOLDS,
};

function portVerdict(draft: ListenerDraft, scope: ListenerScope): Verdict {
  const { spec } = draft;
  const { assignment, context, overBudget } = scope;
  const { addresses } = assignment;
  const transport = spec.protocol === "UDP" ? "udp" : "tcp";
  const message = unavailability({ addresses, port: spec.port, transport }, context);
  if (message !== undefined) return refused("PortUnavailable", message);
  return overBudget.get(draft) ?? HOLDS;
}

/** A conflict, or a port that can't be had, keeps its reason; everything else that is wrong with the listener is Invalid. */
function programmedVerdict(
  accepted: Verdict,
  usable: Verdict,
  { gateway, assignment }: ListenerScope,
): Verdict {
  if (!gateway.ok) return refused("Invalid", `the Gateway is not accepted: ${gateway.message}`);
  if (!accepted.ok) {
    const isOfPort = /Conflict$|^PortUnavailable$|^NoResources$/.test(accepted.reason);
    return isOfPort ? accepted : refused("Invalid", accepted.message);
  }
  if (!usable.ok) return refused("Invalid", usable.message);
  if (!assignment.isServed && !assignment.verdict.ok) return assignment.verdict;
  return HOLDS;
}

function servedAs(
  { parent, spec }: ListenerDraft,
  { addresses }: AddressAssignment,
): NonNullable<ListenerState["serves"]> {
  const { namespace, name } = parent.metadata;
  const [address] = addresses;
  const server = `${serverId(spec.port)}${spec.protocol === "UDP" ? "-udp" : ""}`;
  return {
    listener: `${parent.kind.toLowerCase()}/${namespace}/${name}/${spec.name}`,
    server: address === undefined ? server : `a${address.replace(/[^0-9a-z]/g, "-")}-${server}`,
  };
}

/** What becomes of its connections, if they are no requests. */
function streamOf(spec: GatewayListener): Pick<ListenerState, "stream"> {
  switch (spec.protocol) {
    case "TCP":
      return { stream: "tcp" };
    case "UDP":
      return { stream: "udp" };
    case "TLS":
      return { stream: endsTls(spec) ? "terminate" : "passthrough" };
    default:
      return {};
  }
}

function addToConfig(listener: TranslatedListener, { context, assignment }: ListenerScope): void {
  const { serves, port, tls, stream, hostname, place, clientCertificates } = listener;
  if (serves === undefined || stream !== undefined) return;
  const closed = listener.parent.closed ?? listener.gateway.closed;
  if (closed !== undefined) {
    context.config.closeListener({ id: serves.listener, source: sourceRef(place) }, closed.what);
  }
  context.config.addListener(
    { id: serves.server, addresses: assignment.addresses, port, tls },
    {
      id: serves.listener,
      server: serves.server,
      hostname,
      source: sourceRef(place),
      isolated: true,
      ...(clientCertificates && { clientCertificates }),
    },
  );
}
