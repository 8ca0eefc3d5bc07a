import type { Gateway, ListenerSet } from "../../api/gateway.js";
import type { BuildContext } from "../context.js";
import type { TranslateContext } from "../context.js";
import type { GatewayPort, LoadBalancer } from "../load-balancer.js";
import { nameOf } from "../place.js";
import type { AddressAssignment } from "./addresses.js";
import { assignAddresses } from "./addresses.js";
import { rememberedAddresses } from "./gateway-services.js";
import { claimPorts, draftGateway, takesPorts, translateGateway } from "./gateway.js";
import { classVerdict, ownGateways, reportForeignGateways } from "./gateway-classes.js";
import { reportGateway } from "./gateway-reports.js";
import { serveListenerCertificates } from "./listener-certificates.js";
import { KeptHosts, claimantOf, reportShadowedIngresses } from "./kept-hosts.js";
import { ListenerOverlaps } from "./listener-overlap.js";
import { listenerSetsOf, reportUnattachedSets } from "./listener-sets.js";
import { ownParameters, parametersFor } from "./parameters.js";
import { PortTable } from "./port-table.js";
import { isServedProtocol } from "./route-kinds.js";
import { listenerShares, refusePorts } from "./socket-budget.js";
import type { TranslatedGateway, TranslatedListener } from "./model.js";
import type { Verdict } from "./verdict.js";
import { firstRefused, HOLDS, refused } from "./verdict.js";

interface TranslatedGateways {
  readonly gateways: readonly TranslatedGateway[];
  /** Sockets that their listeners leave. */
  readonly freeSockets: number;
}

/**
 * The Gateways of our classes with their listeners, which are added to the data plane. To be called before Ingresses get
 * certificates: a listener's hosts are its own.
 */
export function translateGateways(
  balancers: readonly LoadBalancer[],
  context: BuildContext,
): TranslatedGateways {
  const gateways = ownGateways(context).map((gateway) => ({
    gateway,
    written: writtenVerdict(gateway, context),
  }));
  const valid = gateways.filter(({ written }) => written.ok).map(({ gateway }) => gateway);
  const addressesFor = (gateway: Gateway): readonly string[] =>
    parametersFor(gateway, context).gatewayAddresses;
  const isShared = (gateway: Gateway): boolean => sharesAddresses(gateway, context);
  const assignments = assignAddresses(valid, addressesFor, (gateway) =>
    rememberedAddresses(gateway, context),
  );
  const shared = sharedPorts(balancers, context);
  const kept = new KeptHosts(balancers, context);
  const served: TranslatedListener[] = [];
  const common = { served, overlaps: new ListenerOverlaps(context), context };
  const drafts = gateways.map(({ gateway, written }) =>
    draftGateway(gateway, {
      ...common,
      ...(isShared(gateway) ? { ports: shared, kept } : { ports: new PortTable(context.options) }),
      written,
      assignment: assignments.get(gateway) ?? NOT_ASSIGNED,
    }),
  );
  const drafted = claimPorts(drafts);
  const together = drafted.filter(({ gateway, scope }) => isShared(gateway) && takesPorts(scope));
  const neighbours = together.flatMap(({ free }) => free);
  const { losers, left } = listenerShares(drafted, balancers, context.options);
  refusePorts(balancers, losers, context);
  const translated = drafted.map((draft) =>
    translateGateway(draft, {
      neighbours: together.includes(draft) ? neighbours : draft.free,
      overBudget: losers,
    }),
  );
  kept.keep(
    translated.flatMap(({ gateway, listeners }) => (isShared(gateway) ? listeners : [])),
    context,
  );
  serveListenerCertificates(served, context);
  for (const gateway of translated) reportGateway(gateway, context);
  reportForeignGateways(context);
  reportUnattachedSets(context);
  reportShadowedIngresses(translated, balancers, context);
  return { gateways: translated, freeSockets: left };
}

/** Ports that Gateways want, also those with addresses of their own. */
export function portsOfGateways(context: TranslateContext): readonly GatewayPort[] {
  return ownGateways(context)
    .filter((gateway) => writtenVerdict(gateway, context).ok)
    .flatMap((gateway) => {
      const sets = listenerSetsOf(gateway, context.resources).flatMap(({ listenerSet, allowed }) =>
        allowed.ok ? listenerSet : [],
      );
      return [gateway, ...sets].flatMap((parent) => portsOf(gateway, parent, context));
    });
}

function portsOf(
  gateway: Gateway,
  parent: Gateway | ListenerSet,
  context: TranslateContext,
): readonly GatewayPort[] {
  const claimant = claimantOf({ gateway, parent });
  const isShared = sharesAddresses(gateway, context);
  return parent.spec.listeners.flatMap(({ protocol, port, hostname = "" }) =>
    protocol !== "UDP" && isServedProtocol(protocol, context.options)
      ? { port, protocol, claimant, isShared, isForEveryHost: hostname === "" }
      : [],
  );
}

function sharesAddresses(gateway: Gateway, context: TranslateContext): boolean {
  return parametersFor(gateway, context).gatewayAddresses.length === 0;
}

const NOT_ASSIGNED: AddressAssignment = { addresses: [], isServed: false, verdict: HOLDS };

/** Without addresses of their own, Gateways meet what ALB2s and the options serve. */
function sharedPorts(balancers: readonly LoadBalancer[], { options }: TranslateContext): PortTable {
  const ports = new PortTable(options);
  for (const { alb, ports: taken } of balancers) {
    for (const { port, tls, frontend } of taken) {
      const owner = frontend ?? alb;
      const name =
        owner === undefined ? "the Ingresses (options httpPort, httpsPort)" : nameOf(owner);
      ports.reserve(port, tls, name);
    }
  }
  return ports;
}

/** What is wrong with the Gateway before its listeners are looked at: InvalidParameters, UnsupportedAddress. */
function writtenVerdict(gateway: Gateway, { resources }: TranslateContext): Verdict {
  const { gatewayClassName, addresses = [] } = gateway.spec;
  const ofClass = resources.get("GatewayClass", "", gatewayClassName);
  const parameters = ownParameters(gateway, resources);
  const other = addresses.find(({ type }) => (type ?? "IPAddress") !== "IPAddress");
  return firstRefused([
    ofClass === undefined ? HOLDS : classVerdict(ofClass, resources),
    parameters.ok ? HOLDS : refused("InvalidParameters", parameters.problem),
    other === undefined
      ? HOLDS
      : refused(
          "UnsupportedAddress",
          `addresses are of type IPAddress, not ${other.type ?? ""} ${other.value ?? ""}`.trim(),
        ),
  ]);
}
