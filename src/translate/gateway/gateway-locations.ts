/** The locations (../location-budget.ts) of Gateways and ListenerSets. */
import type { TranslateContext } from "../context.js";
import {
  type LocationClaim,
  keptKinds,
  locationKinds,
  overBudget,
  withoutStatuses,
} from "../location-budget.js";
import { addTo } from "../../support/collections.js";
import type { WrittenListener } from "./model.js";
import { ownParameters } from "./parameters.js";
import { type WrittenGateway, listenersOf } from "./written-gateways.js";

/** The Gateways without what they have no locations for, which is reported, and what they have some for. */
export function shareGatewayLocations(
  gateways: readonly WrittenGateway[],
  context: TranslateContext,
): { readonly gateways: readonly WrittenGateway[]; readonly taken: ReadonlySet<string> } {
  const claims = gateways.flatMap((gateway) => claimsOf(gateway, context));
  const shares = keptKinds(claims, context.options);
  const lostBy = new Map<LocationClaim["owner"], string[]>();
  const lostOf = ({ owner, kinds }: LocationClaim): readonly string[] => {
    const lost = kinds.filter((kind) => !shares.kept.has(kind));
    for (const kind of lost) addTo(lostBy, owner, kind);
    return lost;
  };
  const limited = (listener: WrittenListener, body: WrittenGateway["body"]): WrittenListener => {
    const lost = lostOf(ofListener(listener, body, context));
    if (lost.length === 0) return listener;
    const { errorPages, ...rest } = listener;
    return { ...rest, ...withoutStatuses(errorPages) };
  };
  const shared = gateways.map((each) => {
    const lost = lostOf(ofGateway(each, context));
    return {
      ...each,
      body: lost.length === 0 ? each.body : { ...each.body, holdsBody: true as const },
      own: each.own.map((listener) => limited(listener, each.body)),
      sets: each.sets.map((set) => ({
        ...set,
        listeners: set.listeners.map((listener) => limited(listener, each.body)),
      })),
    };
  });
  for (const [owner, lost] of lostBy) {
    context.diagnostics.report(overBudget(owner, lost, shares, context.options));
  }
  return { gateways: shared, taken: shares.kept };
}

function claimsOf(gateway: WrittenGateway, context: TranslateContext): readonly LocationClaim[] {
  const ofListeners = listenersOf(gateway).map((listener) =>
    ofListener(listener, gateway.body, context),
  );
  return [ofGateway(gateway, context), ...ofListeners];
}

/** The limit of its class is the operator's. */
function ofGateway(
  { gateway, body }: WrittenGateway,
  { resources, options }: TranslateContext,
): LocationClaim {
  const own = ownParameters(gateway, resources);
  const isOwn = own.ok && own.value.bodyLimit !== undefined;
  return { owner: gateway, kinds: isOwn ? locationKinds(body, options) : [] };
}

/** Of its pages, each set of which has a location for each limit. */
function ofListener(
  { parent, errorPages }: WrittenListener,
  body: WrittenGateway["body"],
  { options }: TranslateContext,
): LocationClaim {
  const kinds = errorPages ? locationKinds({ errorPages, ...body }, options) : [];
  return { owner: parent, kinds: kinds.filter((kind) => kind.startsWith("pages ")) };
}
