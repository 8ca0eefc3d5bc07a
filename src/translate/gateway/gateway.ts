import type { Gateway } from "../../api/gateway.js";
import type { BuildContext } from "../context.js";
import { nameOf } from "../place.js";
import { compareAge } from "../precedence.js";
import type { AddressAssignment } from "./addresses.js";
import { backendClientCertificate } from "./certificate-reference.js";
import {
  gatewayAccepted,
  gatewayProgrammed,
  listenerSetAccepted,
  listenerSetProgrammed,
} from "./gateway-verdicts.js";
import type { KeptHosts } from "./kept-hosts.js";
import { claimantOf } from "./kept-hosts.js";
import type { ListenerDraft } from "./listener-draft.js";
import { draftListeners } from "./listener-draft.js";
import type { ListenerOverlaps } from "./listener-overlap.js";
import type { ListenerSetClaim } from "./listener-sets.js";
import { listenerSetsOf } from "./listener-sets.js";
import type { ListenerScope } from "./listeners.js";
import { translateListener } from "./listeners.js";
import type { PortTable } from "./port-table.js";
import type { TranslatedGateway, TranslatedListener, TranslatedListenerSet } from "./model.js";
import type { Refused, Verdict } from "./verdict.js";
import { HOLDS } from "./verdict.js";

export interface GatewayScope {
  /** What is wrong with it before its listeners are looked at. */
  readonly written: Verdict;
  readonly assignment: AddressAssignment;
  readonly ports: PortTable;
  /** Hosts of others; absent where the Gateway has addresses of its own. */
  readonly kept?: KeptHosts;
  /** Every listener so far is added to it. */
  readonly served: TranslatedListener[];
  readonly overlaps: ListenerOverlaps;
  readonly context: BuildContext;
}

/** A Gateway with its listeners as they are written. */
interface WrittenGateway {
  readonly gateway: Gateway;
  readonly scope: GatewayScope;
  readonly own: readonly ListenerDraft[];
  readonly sets: readonly DraftedSet[];
}

/** A Gateway whose listeners have got their ports, before they are judged. */
export interface DraftedGateway extends WrittenGateway {
  readonly conflicts: ReadonlyMap<ListenerDraft, Refused>;
  /** Its listeners, and those of its ListenerSets, that are in no conflict. */
  readonly free: readonly ListenerDraft[];
}

/** The Gateway and the ListenerSets that name it. */
export function draftGateway(gateway: Gateway, scope: GatewayScope): WrittenGateway {
  const own = draftListeners(gateway, gateway, scope.context.options);
  const sets = listenerSetsOf(gateway, scope.context.resources).map((claim): DraftedSet => ({
    ...claim,
    drafts: claim.allowed.ok
      ? draftListeners(gateway, claim.listenerSet, scope.context.options)
      : [],
  }));
  return { gateway, scope, own, sets };
}

/**
 * Claims ports for Gateways and their ListenerSets, older ones first: a young ListenerSet of an old Gateway takes nothing from other
 * Gateways. A ListenerSet comes after its own Gateway in any case (GEP-1713).
 */
export function claimPorts(gateways: readonly WrittenGateway[]): readonly DraftedGateway[] {
  const conflicts = new Map<ListenerDraft, Refused>();
  const groups = gateways.flatMap(({ gateway, scope, own, sets }) =>
    takesPorts(scope)
      ? [
          { drafts: own, scope, parent: gateway, claimant: gateway },
          ...sets.map(({ drafts, listenerSet }) => ({
            drafts,
            scope,
            parent: listenerSet,
            claimant: claimantOf({ gateway, parent: listenerSet }),
          })),
        ]
      : [],
  );
  for (const { drafts, scope } of groups) scope.kept?.expect(drafts);
  for (const { drafts, scope, parent } of groups.sort((a, b) =>
    compareAge(a.claimant, b.claimant),
  )) {
    const free = drafts.filter((draft) => {
      const conflict = scope.kept?.conflict(draft);
      if (conflict !== undefined) conflicts.set(draft, conflict);
      return conflict === undefined;
    });
    for (const [draft, conflict] of scope.ports.claim(free, nameOf(parent))) {
      conflicts.set(draft, conflict);
    }
    for (const draft of free) if (!conflicts.has(draft)) scope.kept?.add(draft);
  }
  return gateways.map((gateway) => {
    const all = [...gateway.own, ...gateway.sets.flatMap(({ drafts }) => drafts)];
    return { ...gateway, conflicts, free: all.filter((draft) => !conflicts.has(draft)) };
  });
}

/** One Gateway with the ListenerSets that name it. */
export function translateGateway(
  { gateway, scope, own, sets, conflicts }: DraftedGateway,
  others: Pick<ListenerScope, "neighbours" | "overBudget">,
): TranslatedGateway {
  const { written, assignment, overlaps, context } = scope;
  const listenerScope: ListenerScope = {
    gateway: written,
    assignment,
    conflicts,
    ...others,
    overlaps,
    context,
  };
  const ownListeners = translateAll(own, listenerScope, scope);
  const attached = sets.map((set) => ({
    ...set,
    listeners: translateAll(set.drafts, listenerScope, scope),
  }));
  const listeners = [...ownListeners, ...attached.flatMap((set) => set.listeners)];
  const accepted = gatewayAccepted(written, listeners);
  const programmed = gatewayProgrammed(accepted, assignment, listeners);
  const certificate = backendClientCertificate(gateway, context);
  return {
    gateway,
    accepted: accepted.ok,
    clientCertificate: certificate?.ok === true ? certificate.certificate.id : undefined,
    listeners,
    addresses: assignment.addresses,
    listenerSets: attached.map((set) => judgeSet(set, accepted, programmed)),
    verdicts: {
      accepted,
      programmed,
      resolvedRefs: certificate?.ok === false ? certificate : HOLDS,
    },
  };
}

interface DraftedSet extends ListenerSetClaim {
  readonly drafts: readonly ListenerDraft[];
}

/** A Gateway that is not accepted, or has no address, takes no ports from others. */
export function takesPorts({ written, assignment }: GatewayScope): boolean {
  return written.ok && assignment.isServed;
}

function translateAll(
  drafts: readonly ListenerDraft[],
  listenerScope: ListenerScope,
  { served }: GatewayScope,
): readonly TranslatedListener[] {
  const listeners = drafts.map((draft) => translateListener(draft, listenerScope));
  served.push(...listeners);
  return listeners;
}

function judgeSet(
  {
    listenerSet,
    allowed,
    listeners,
  }: ListenerSetClaim & { readonly listeners: readonly TranslatedListener[] },
  gatewayVerdict: Verdict,
  gatewayProgrammedVerdict: Verdict,
): TranslatedListenerSet {
  const accepted = listenerSetAccepted(allowed, gatewayVerdict, listeners);
  return {
    listenerSet,
    accepted,
    programmed: listenerSetProgrammed(accepted, gatewayProgrammedVerdict, listeners),
    listeners,
  };
}
