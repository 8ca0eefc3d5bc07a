/** Gateways of our classes with their listeners: which of them are served, and why others are not. */
import { isIPv4 } from "node:net";
import type { CompileOptions } from "../../model/options.js";
import type { BuildContext } from "../config-builder.js";
import type { LoadBalancer } from "../load-balancer.js";
import { type AddressedGateway, assignAddresses } from "./addresses.js";
import {
  backendClientCertificate,
  listenerCertificates,
  serveListenerCertificates,
} from "./gateway-certificates.js";
import { reportForeignGateways } from "./gateway-classes.js";
import { rememberedAddresses } from "./gateway-services.js";
import { reportGateway } from "./gateway-status.js";
import { KeptHosts, reportShadowedIngresses } from "./kept-hosts.js";
import { listenerOverlaps } from "./listener-overlap.js";
import { type ListenerFindings, translateListener } from "./listeners.js";
import type {
  TranslatedGateway,
  TranslatedListener,
  TranslatedListenerSet,
  WrittenListener,
} from "./model.js";
import { claimPorts } from "./ports.js";
import { refusePorts, shareSockets } from "./socket-budget.js";
import { HOLDS, type Verdict, firstRefused, refused } from "./verdict.js";
import { type WrittenGateway, listenersOf, reportUnattachedSets } from "./written-gateways.js";

/**
 * Decides which listeners are served and adds them to the data plane. Runs before Ingresses get certificates, because the hosts of a
 * listener belong to it. `freeSockets`: the sockets that listeners leave.
 */
export function translateGateways(
  written: readonly WrittenGateway[],
  {
    balancers,
    published,
  }: {
    readonly balancers: readonly LoadBalancer[];
    readonly published: readonly string[] | undefined;
  },
  context: BuildContext,
): { readonly gateways: readonly TranslatedGateway[]; readonly freeSockets: number } {
  const shared = sharedAddresses(published, context.options);
  const addressed = withAddresses(written, shared, context);
  const kept = new KeptHosts(balancers, context);
  const conflicts = claimPorts(addressed, balancers, kept, context.options);
  const certificates = new Map(
    addressed.flatMap((gateway) =>
      listenersOf(gateway).map((each) => [each, listenerCertificates(each, context)] as const),
    ),
  );
  const found = { conflicts, certificates };
  const shares = shareSockets(addressed, found, balancers, context.options);
  refusePorts(balancers, shares.losers, context);
  const overlaps = overlapsOf(addressed, found);
  const findings = { conflicts, overBudget: shares.losers, certificates, overlaps };
  const gateways = addressed.map((gateway) => translateGateway(gateway, findings, context));
  const sharing = gateways.filter(({ addresses }) => addresses.length === 0);
  kept.keep(
    sharing.flatMap(({ listeners }) => listeners),
    context,
  );
  serveListenerCertificates(
    gateways.flatMap(({ listeners }) => listeners),
    context,
  );
  for (const gateway of gateways) reportGateway(gateway, context);
  reportForeignGateways(context);
  reportUnattachedSets(context);
  reportShadowedIngresses(gateways, balancers, context);
  return { gateways, freeSockets: shares.freeSockets };
}

/** Where clients reach the Gateways without addresses of their own. */
interface SharedAddresses {
  readonly addresses: readonly string[];
  readonly verdict: Verdict;
}

function sharedAddresses(
  published: readonly string[] | undefined,
  { publishService, routedAddresses, dataPlane: { ipv6 } }: CompileOptions,
): SharedAddresses {
  if (publishService !== "" && (published ?? []).length === 0) {
    const message = `Service ${publishService}, whose addresses Gateways have, has none yet`;
    return { addresses: [], verdict: refused("AddressNotAssigned", message) };
  }
  const addresses = published ?? routedAddresses.filter((address) => ipv6 || isIPv4(address));
  return { addresses, verdict: HOLDS };
}

const NOT_ASSIGNED = { addresses: [], isServed: false, verdict: HOLDS };

function withAddresses(
  gateways: readonly WrittenGateway[],
  shared: SharedAddresses,
  context: BuildContext,
): readonly AddressedGateway[] {
  const valid = gateways.filter(({ written }) => written.ok);
  const pools = new Map(valid.map(({ gateway, pool }) => [gateway, pool]));
  const assignments = assignAddresses(
    [...pools.keys()],
    (gateway) => pools.get(gateway) ?? [],
    (gateway) => rememberedAddresses(gateway, context),
  );
  return gateways.map((each) => {
    const assignment = assignments.get(each.gateway) ?? NOT_ASSIGNED;
    const { addresses, isServed, verdict } = assignment;
    const isSharing = isServed && addresses.length === 0;
    return {
      ...each,
      assignment: isSharing && verdict.ok ? { ...assignment, verdict: shared.verdict } : assignment,
      reachedAt: isSharing ? shared.addresses : addresses,
    };
  });
}

/** Listeners can overlap on one set of addresses: those of one Gateway, or those that Gateways share. */
function overlapsOf(
  gateways: readonly AddressedGateway[],
  { conflicts, certificates }: Pick<ListenerFindings, "conflicts" | "certificates">,
): ListenerFindings["overlaps"] {
  const shared: WrittenListener[] = [];
  const groups = [shared];
  for (const gateway of gateways) {
    const { isServed, addresses } = gateway.assignment;
    const free = listenersOf(gateway).filter((listener) => !conflicts.has(listener));
    if (isServed && addresses.length === 0) shared.push(...free);
    else groups.push(free);
  }
  const names = new Map(
    [...certificates].map(([listener, own]) => [
      listener,
      own.certificates.flatMap((certificate) => certificate.names),
    ]),
  );
  return new Map(
    groups.flatMap((group) => [...listenerOverlaps(group, (each) => names.get(each) ?? [])]),
  );
}

function translateGateway(
  addressed: AddressedGateway,
  findings: ListenerFindings,
  context: BuildContext,
): TranslatedGateway {
  const { gateway, written, assignment, own, sets } = addressed;
  const translate = (listener: WrittenListener): TranslatedListener =>
    translateListener(listener, addressed, findings, context);
  const ownListeners = own.map(translate);
  const translatedSets = sets.map((set) => ({ ...set, listeners: set.listeners.map(translate) }));
  const listeners = [...ownListeners, ...translatedSets.flatMap((set) => set.listeners)];
  const accepted = firstRefused([written, anyHolds(listeners, "accepted", "ListenersNotValid")]);
  const programmed = accepted.ok
    ? firstRefused([assignment.verdict, anyHolds(listeners, "programmed", "Invalid")])
    : refused("Invalid", accepted.message);
  const certificate = backendClientCertificate(gateway, context);
  return {
    gateway,
    accepted: accepted.ok,
    clientCertificate: certificate?.ok === true ? certificate.certificate.id : undefined,
    body: addressed.body,
    listeners,
    addresses: assignment.addresses,
    reachedAt: addressed.reachedAt,
    listenerSets: translatedSets.map((set) => {
      const acceptedSet = setAccepted(set.allowed, accepted, set.listeners);
      return {
        listenerSet: set.listenerSet,
        accepted: acceptedSet,
        programmed: setProgrammed(acceptedSet, programmed, set.listeners),
        listeners: set.listeners,
      };
    }),
    verdicts: {
      accepted,
      programmed,
      resolvedRefs: certificate?.ok === false ? certificate : HOLDS,
    },
  };
}

function setAccepted(
  allowed: Verdict,
  gateway: Verdict,
  listeners: TranslatedListenerSet["listeners"],
): Verdict {
  if (!allowed.ok) return allowed;
  if (!gateway.ok) {
    return refused("ParentNotAccepted", `the Gateway is not accepted: ${gateway.message}`);
  }
  // Unlike a Gateway, a ListenerSet is not accepted if no listener has everything that it refers to.
  return firstRefused([
    anyHolds(listeners, "resolvedRefs", "ListenersNotValid"),
    anyHolds(listeners, "accepted", "ListenersNotValid"),
  ]);
}

function setProgrammed(
  accepted: Verdict,
  gateway: Verdict,
  listeners: TranslatedListenerSet["listeners"],
): Verdict {
  if (!accepted.ok) return accepted;
  return gateway.ok
    ? anyHolds(listeners, "programmed", "ListenersNotValid")
    : refused("ParentNotProgrammed", `the Gateway is not programmed: ${gateway.message}`);
}

/** Holds if the condition holds for any listener; else the message is `no listener is valid; http: why; https: why`. */
function anyHolds(
  listeners: readonly TranslatedListener[],
  condition: "accepted" | "resolvedRefs" | "programmed",
  reason: string,
): Verdict {
  if (listeners.some((listener) => listener[condition].ok)) return HOLDS;
  const reasons = listeners.flatMap((listener) => {
    const verdict = listener[condition];
    return verdict.ok ? [] : [`${listener.name}: ${verdict.message}`];
  });
  const problem = condition === "programmed" ? "no listener is served" : "no listener is valid";
  return refused(reason, `${problem}; ${reasons.join("; ")}`);
}
