/**
 * Objects → the data plane's model, statuses and diagnostics. Pure; a problem of one object never keeps another from being served.
 */
import type { DiagnosticSink, Report } from "./diagnostics/sink.js";
import type { Resources, RoutingResources } from "./input/resources.js";
import type { DataPlaneConfig, RoutingModel } from "./model/config.js";
import type { CompileOptions } from "./model/options.js";
import { inBindingOrder } from "./model/route.js";
import { type ObjectStatus, type OwnedObject, withShortMessages } from "./status/object-status.js";
import { compareIds, joined, patched } from "./support/collections.js";
import { translateFrontends } from "./translate/alb/frontends.js";
import { albStatuses, translateLoadBalancers } from "./translate/alb/load-balancers.js";
import type { AuthContext } from "./translate/auth/auth-context.js";
import type { UpstreamPlan } from "./translate/backends.js";
import type { CertificateUse } from "./translate/certificates.js";
import { ClosedObjects } from "./translate/closed-objects.js";
import type { BuildContext, CertificateCandidate } from "./translate/config-builder.js";
import type { TranslateContext } from "./translate/context.js";
import { Entries } from "./translate/parts/entries.js";
import { gatewayClassStatuses } from "./translate/gateway/gateway-classes.js";
import { gatewayServices } from "./translate/gateway/gateway-services.js";
import { gatewayStatuses } from "./translate/gateway/gateway-status.js";
import { translateGateways } from "./translate/gateway/gateways.js";
import { createPolicies } from "./translate/gateway/policies/gateway-policies.js";
import type { Policies } from "./translate/gateway/model.js";
import { PolicyParts } from "./translate/gateway/policies/auth-policies.js";
import { portsOfGateways } from "./translate/gateway/ports.js";
import { notAccepted } from "./translate/gateway/routes/conditions.js";
import { Routes } from "./translate/gateway/routes/routes.js";
import {
  type TranslatedStreams,
  streamServers,
  withStreamHosts,
  translateStreamRoutes,
} from "./translate/gateway/streams/stream-routes.js";
import { LocationBudget } from "./translate/location-budget.js";
import { PolicyBudget, type PolicyShares } from "./translate/policy-budget.js";
import { OwnAddresses } from "./translate/own-addresses.js";
import { shareGatewayLocations } from "./translate/gateway/gateway-locations.js";
import { readGateways } from "./translate/gateway/written-gateways.js";
import { addOptionPages } from "./translate/option-pages.js";
import { reportRestrictions } from "./translate/ingress/annotation-problems.js";
import { ingressStatuses } from "./translate/ingress/ingress-status.js";
import { ObjectTables } from "./translate/known-objects.js";
import { type Part, Whole, collecting, eachOf, partOf } from "./translate/parts/part.js";
import { publishedAddresses } from "./translate/published-addresses.js";
import { fallbackCertificates, reportUncovered } from "./translate/server-certificates.js";
import { reportUnavailable, withoutUnavailable } from "./translate/unavailable-ports.js";
import { Upstreams } from "./translate/upstreams.js";
import { roundabouts } from "./translate/roundabouts.js";

/** What was looked up before: of requests' upstreams, and of streams'. */
interface KnownEndpoints {
  readonly requests: Upstreams;
  readonly streams: Upstreams;
}

export function newEndpoints(): KnownEndpoints {
  return { requests: new Upstreams(), streams: new Upstreams() };
}

/** What is wrong with those that `withUpstreams` looked up last. */
export function endpointReports({ requests, streams }: KnownEndpoints): readonly Report[] {
  return [...requests.reports, ...streams.reports];
}

export function withUpstreams(
  { config, statuses, objects, ...plans }: Routing,
  resources: Pick<Resources, "slices" | "get">,
  { requests, streams }: KnownEndpoints,
  options: CompileOptions,
): Translation {
  const own = new OwnAddresses(options);
  const upstreams = requests.resolve(plans.upstreams, resources, own, options);
  const ofStreams = new OwnAddresses(options, config.streams);
  const streamUpstreams = streams.resolve(plans.streamUpstreams, resources, ofStreams, options);
  return { config: { ...config, upstreams, streamUpstreams }, statuses, objects };
}

type RestPart = Part & Pick<RoutingModel, "bindings">;

/** What became of objects in the last translation. */
export class TranslationMemory {
  #options = "";
  #objects = new ObjectTables();
  #whole = new Whole();
  #routes = new Routes(this.#whole, this.#objects);
  #entries = new Entries(this.#whole, this.#objects);
  #policies = new PolicyParts(this.#whole, this.#objects);
  #rest: RestPart | undefined;
  #locations = new LocationBudget();
  #policy = new PolicyBudget();

  /** All parts: of routes, of entries, and of the rest. */
  get whole(): Whole {
    return this.#whole;
  }

  get routes(): Routes {
    return this.#routes;
  }

  get entries(): Entries {
    return this.#entries;
  }

  get policies(): PolicyParts {
    return this.#policies;
  }

  get locations(): LocationBudget {
    return this.#locations;
  }

  get policy(): PolicyBudget {
    return this.#policy;
  }

  /** Adds what is translated as a whole. */
  addRest(rest: RestPart): void {
    const difference = { key: "", before: this.#rest, now: rest };
    this.#whole.update([difference]);
    this.#whole.bind(eachOf([difference], ({ bindings }) => bindings));
    this.#rest = rest;
  }

  /** Notes what has changed; after a change of the options, all objects. */
  update(resources: RoutingResources, options: CompileOptions): void {
    const text = JSON.stringify(options);
    if (text !== this.#options) this.forget();
    this.#options = text;
    this.#objects.update(resources);
  }

  /** Where translating stops in the middle, some of what has changed was not translated. */
  forget(): void {
    this.#options = "";
    this.#objects = new ObjectTables();
    this.#whole = new Whole();
    this.#routes = new Routes(this.#whole, this.#objects);
    this.#entries = new Entries(this.#whole, this.#objects);
    this.#policies = new PolicyParts(this.#whole, this.#objects);
    this.#rest = undefined;
    this.#locations = new LocationBudget();
    this.#policy = new PolicyBudget();
  }
}

/** All but the endpoints, which it can't see. */
export function translateRouting(
  resources: RoutingResources,
  options: CompileOptions,
  diagnostics: DiagnosticSink,
  memory: TranslationMemory,
): Routing {
  try {
    const context = { resources, options, diagnostics };
    memory.update(resources, options);
    return translateChanges(context, memory);
  } catch (error: unknown) {
    memory.forget();
    throw error;
  }
}

function translateChanges(context: TranslateContext, memory: TranslationMemory): Routing {
  const closed = new ClosedObjects();
  closed.addAll(context.resources, context.diagnostics);
  const build = collecting(context, closed);
  const published = publishedAddresses(build);

  const { gateways: written, taken } = shareGatewayLocations(readGateways(build), build);
  const ports = translateLoadBalancers(build, portsOfGateways(written, build.options));
  const { routes, entries } = memory;
  entries.name(ports, build);
  const { balancers } = entries;
  reportUnavailable(balancers, build);
  const { gateways, freeSockets } = translateGateways(written, { balancers, published }, build);
  const policies = createPolicies(gateways, build);
  const attached = routes.translate(gateways, policies, build);
  const streamRoutes = translateStreamRoutes(gateways, policies, freeSockets, build);
  translateFrontends(balancers, build);
  entries.translate();
  reportAllRestrictions(build);
  addOptionPages(build);
  const fallback = fallbackCertificates(balancers, build);
  const gatewayClasses = gatewayClassStatuses(build);
  const ofGateways = gatewayStatuses(gateways, {
    attached: new Map([...attached, ...streamRoutes.attached]),
    policies,
  });
  const ofPolicies = policies.statuses(routes, memory.policies);
  build.diagnostics.addAll(memory.whole.reports);
  build.diagnostics.addAll(entries.reports);
  const { shares, ...finished } = finish(streamRoutes.streams, policies, build, {
    ...{ memory, fallback, taken },
  });
  const shared = (statuses: readonly ObjectStatus[]) =>
    withoutShare(statuses, { ...shares, whyClosed: closed.whyClosed }, build.options);
  return {
    ...finished,
    statuses: joined([
      albStatuses(balancers, build.config.refused).map(withShortMessages),
      ingressStatuses(entries.served, published),
      [...gatewayClasses, ...ofGateways].map(withShortMessages),
      shared(routes.statuses),
      streamRoutes.statuses.map(withShortMessages),
      shared(ofPolicies),
    ]),
    objects: gatewayServices(gateways, build),
    streamUpstreams: streamRoutes.streams.upstreams,
  };
}

function reportAllRestrictions(build: TranslateContext): void {
  for (const kind of ["ALB2", "Frontend", "Gateway"] as const) {
    for (const object of build.resources.list(kind)) reportRestrictions(object, build);
  }
}

interface Finishing {
  readonly memory: TranslationMemory;
  readonly taken: ReadonlySet<string>;
  readonly fallback: readonly CertificateCandidate[];
}

/** An object that is closed for lack of a share, or by another one as a whole, is not accepted. */
function withoutShare(
  statuses: readonly ObjectStatus[],
  { whyNone, whyClosed }: Pick<PolicyShares, "whyNone"> & Pick<ClosedObjects, "whyClosed">,
  options: CompileOptions,
): readonly ObjectStatus[] {
  if (whyNone === undefined && whyClosed === undefined) return statuses;
  return statuses.map((status) => {
    const none = whyNone?.(status);
    const message = none ?? whyClosed?.(status);
    if (message === undefined) return status;
    const reason = none === undefined ? "Pending" : "NoResources";
    return withShortMessages(notAccepted(status, { reason, message }, options));
  });
}

function only<T>(list: readonly T[], isNeeded?: (each: T) => boolean): readonly T[] {
  return isNeeded ? list.filter(isNeeded) : list;
}

/** What namespaces have shares of. */
function sharedParts(
  { whole, locations, policy }: TranslationMemory,
  taken: ReadonlySet<string>,
  build: BuildContext,
) {
  const located = locations.share(whole.routes, taken, build);
  const routes = patched(whole.routes, located.changes, compareIds);
  const {
    bindings,
    auths: { values: auths },
  } = whole;
  const shares = policy.share({ routes, bindings, auths }, build);
  build.diagnostics.addAll([...located.reports, ...shares.reports]);
  const parts = {
    routes: patched(routes, shares.routes, compareIds),
    bindings: patched(bindings, shares.bindings, inBindingOrder),
    auths: patched(auths, shares.auths, compareIds),
  };
  return { parts, shares };
}

/** Auth services are upstreams too, so their endpoints change without anything else changing. */
function finish(
  streams: TranslatedStreams,
  policies: Policies,
  build: AuthContext,
  { memory, fallback, taken }: Finishing,
): Pick<Routing, "config" | "upstreams" | "certificateUses"> & { readonly shares: PolicyShares } {
  const { config, options } = build;
  const inherited = policies.inherited();
  // Its reports and closed objects are in the context already, together with those of the other parts.
  memory.addRest({
    ...partOf(build),
    ...{ reports: [], closed: [], bindings: config.bound.bindings },
  });
  const { whole } = memory;
  const { parts, shares } = sharedParts(memory, taken, build);
  build.diagnostics.addAll(roundabouts(build.resources, parts));
  for (const object of [...whole.closed, ...shares.closed]) config.closeObject(object);
  const built = config.build({
    ...parts,
    inherited: [...inherited].sort(compareIds),
    credentials: whole.credentials.values,
    ...certificatesOf({ memory, fallback }, shares, build),
    backendTls: whole.backendTls.values,
    ...streamServers(streams, config.listeners()),
  });
  return {
    config: withStreamHosts(withoutUnavailable(built, config.refused, { options }), streams),
    upstreams: only(whole.upstreams.values, shares.needsUpstream),
    certificateUses: whole.certificateUses.values,
    shares,
  };
}

function certificatesOf(
  { memory: { whole, entries }, fallback }: Pick<Finishing, "memory" | "fallback">,
  { needsCertificate }: PolicyShares,
  { config, diagnostics }: AuthContext,
): Pick<DataPlaneConfig, "certificates" | "serverCertificates"> {
  const certificates = whole.certificates.values;
  const { candidates } = config;
  const served = entries.serverCertificates.served(candidates, fallback, diagnostics);
  const serverCertificates = only(served, needsCertificate);
  reportUncovered(entries.uncovered, serverCertificates, certificates, diagnostics);
  return { certificates, serverCertificates };
}

export interface Translation {
  readonly config: DataPlaneConfig;
  readonly statuses: readonly ObjectStatus[];
  readonly objects: readonly OwnedObject[];
}

/** A translation but for what follows from EndpointSlices. */
export interface Routing extends Omit<Translation, "config"> {
  readonly config: RoutingModel;
  readonly upstreams: readonly UpstreamPlan[];
  readonly streamUpstreams: readonly UpstreamPlan[];
  readonly certificateUses: readonly CertificateUse[];
}
