/**
 * What is translated as a whole: ports of load balancers, Gateways with their listeners, policies, streams and Frontends. It is translated
 * again only when an object that it read has changed, so a change of a route costs the same whether there are one listener or thousands.
 */
import { DiagnosticSink } from "../../diagnostics/sink.js";
import { Changes, Derived, Input, type Key, type Read } from "../../engine/tables.js";
import type { RoutingModel } from "../../model/config.js";
import type { CompileOptions } from "../../model/options.js";
import {
  type ObjectStatus,
  type OwnedObject,
  withShortMessages,
} from "../../status/object-status.js";
import { compareIds } from "../../support/collections.js";
import { translateFrontends } from "../alb/frontends.js";
import { albStatuses, translateLoadBalancers } from "../alb/load-balancers.js";
import { withFrontends } from "../alb/stream-frontends.js";
import type { AuthContext } from "../auth/auth-context.js";
import { Backends, type UpstreamPlan } from "../backends.js";
import type { CertificateCandidate, ClosedListener } from "../config-builder.js";
import type { TranslateContext } from "../context.js";
import { gatewayClassStatuses } from "../gateway/gateway-classes.js";
import { shareGatewayLocations } from "../gateway/gateway-locations.js";
import { gatewayServices } from "../gateway/gateway-services.js";
import { gatewayStatuses } from "../gateway/gateway-status.js";
import { translateGateways } from "../gateway/gateways.js";
import type { TranslatedGateway } from "../gateway/model.js";
import { type PoliciesWithStatuses, createPolicies } from "../gateway/policies/gateway-policies.js";
import { portsOfGateways } from "../gateway/ports.js";
import {
  type TranslatedStreams,
  streamServers,
  translateStreamRoutes,
} from "../gateway/streams/stream-routes.js";
import { type WrittenGateway, readGateways } from "../gateway/written-gateways.js";
import { reportRestrictions } from "../ingress/annotation-problems.js";
import { type ObjectTables, followingKinds } from "../known-objects.js";
import { type LoadBalancer, type NewBalancer, addEntryPorts } from "../load-balancer.js";
import { addOptionPages } from "../option-pages.js";
import { publishedAddresses } from "../published-addresses.js";
import { fallbackCertificates } from "../server-certificates.js";
import { reportUnavailable } from "../unavailable-ports.js";
import type { Entries } from "./entries.js";
import { type Part, type Whole, collecting, eachOf, partOf } from "./part.js";

/** What Gateways and load balancers ask for. */
interface Ports extends Part {
  readonly written: readonly WrittenGateway[];
  /** Kinds of locations that Gateways take. */
  readonly taken: ReadonlySet<string>;
  readonly published: readonly string[] | undefined;
  readonly balancers: readonly NewBalancer[];
}

/** What is served. */
export interface Served
  extends
    Part,
    Pick<RoutingModel, "servers" | "listeners" | "bindings" | "inherited" | "streams" | "pools"> {
  readonly gateways: readonly TranslatedGateway[];
  readonly policies: PoliciesWithStatuses;
  readonly streamRoutes: TranslatedStreams;
  readonly streamUpstreams: readonly UpstreamPlan[];
  readonly closedListeners: readonly ClosedListener[];
  /** Ids of listeners that get no sockets. */
  readonly refused: ReadonlySet<string>;
  readonly candidates: readonly CertificateCandidate[];
  readonly fallback: readonly CertificateCandidate[];
  readonly statuses: {
    readonly albs: readonly ObjectStatus[];
    readonly classes: readonly ObjectStatus[];
    /** Without the numbers of HTTPRoutes and GRPCRoutes. */
    readonly gateways: readonly ObjectStatus[];
    readonly streams: readonly ObjectStatus[];
  };
  readonly objects: readonly OwnedObject[];
}

/** Each table has one row. */
const ROW: Key = "";

export class Topology {
  readonly #options = new Input<CompileOptions>();
  readonly #ports: Derived<CompileOptions, Ports>;
  readonly #served: Derived<Ports, Served>;
  readonly #changedPorts: Changes<Ports>;
  readonly #changed: Changes<Served>;
  readonly #whole: Whole;

  constructor(
    options: CompileOptions,
    { whole, objects, entries }: { whole: Whole; objects: ObjectTables; entries: Entries },
  ) {
    this.#whole = whole;
    this.#options.set(ROW, options);
    const contextFor = (read: Read): AuthContext =>
      collecting({
        resources: followingKinds(objects, read),
        options,
        diagnostics: new DiagnosticSink(),
      });
    this.#ports = new Derived(this.#options, (_, read) => {
      // Which Ingresses a load balancer selects follows from their labels, whenever that is asked.
      read(objects.lookups, "Namespace");
      return portsOf(contextFor(read));
    });
    this.#served = new Derived(this.#ports, (ports, read) => {
      read(entries.hosts, ROW);
      return servedBy(ports, entries.balancers, contextFor(read));
    });
    this.#changedPorts = new Changes(this.#ports);
    this.#changed = new Changes(this.#served);
  }

  ports(): Ports {
    this.#ports.update();
    return rowOf(this.#ports);
  }

  /** To be called once the owners of hosts are known. */
  served(): Served {
    this.#served.update();
    const changes = this.#changed.take();
    const ofPorts = this.#changedPorts.take().map((each) => ({ ...each, key: "ports" }));
    this.#whole.update([...ofPorts, ...changes]);
    this.#whole.bind(eachOf(changes, ({ bindings }) => bindings));
    return rowOf(this.#served);
  }
}

function rowOf<S, V>(table: Derived<S, V>): V {
  const row = table.get(ROW);
  if (row === undefined) throw new Error("the table was not updated");
  return row;
}

function portsOf(build: AuthContext): Ports {
  const published = publishedAddresses(build);
  const { gateways: written, taken } = shareGatewayLocations(readGateways(build), build);
  const balancers = translateLoadBalancers(build, portsOfGateways(written, build.options));
  return { ...partOf(build), published, written, taken, balancers };
}

function servedBy(
  { written, published }: Ports,
  balancers: readonly LoadBalancer[],
  build: AuthContext,
): Served {
  const { config } = build;
  addEntryPorts(balancers, config);
  reportUnavailable(balancers, build);
  const { gateways, freeSockets } = translateGateways(written, { balancers, published }, build);
  const policies = createPolicies(gateways, build);
  const streamBackends = new Backends(build);
  const ofRoutes = translateStreamRoutes(gateways, freeSockets, {
    ...build,
    ...{ policies, streamBackends },
  });
  const { attached, statuses } = ofRoutes;
  const streams = withFrontends(ofRoutes.streams, balancers, streamBackends, build);
  translateFrontends(balancers, build);
  reportAllRestrictions(build);
  addOptionPages(build);
  const listeners = config.listeners();
  return {
    gateways,
    policies,
    inherited: [...policies.inherited()].sort(compareIds),
    fallback: fallbackCertificates(balancers, build),
    statuses: {
      albs: albStatuses(balancers, config.refused).map(withShortMessages),
      classes: gatewayClassStatuses(build).map(withShortMessages),
      gateways: gatewayStatuses(gateways, { attached, policies }).map(withShortMessages),
      streams: statuses.map(withShortMessages),
    },
    objects: gatewayServices(gateways, build),
    streamRoutes: streams,
    streamUpstreams: streamBackends.collected(),
    ...streamServers(streams, listeners),
    ...{ listeners, servers: config.servers, bindings: config.bound.bindings },
    ...{ refused: config.refused, candidates: config.candidates },
    closedListeners: config.closedListeners,
    ...partOf(build),
  };
}

function reportAllRestrictions(build: TranslateContext): void {
  for (const kind of ["ALB2", "Frontend", "Gateway"] as const) {
    for (const object of build.resources.list(kind)) reportRestrictions(object, build);
  }
}
