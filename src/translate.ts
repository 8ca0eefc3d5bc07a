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
import type { UpstreamPlan } from "./translate/backends.js";
import type { CertificateUse } from "./translate/certificates.js";
import { ClosedObjects } from "./translate/closed-objects.js";
import type { TranslateContext } from "./translate/context.js";
import { PolicyParts } from "./translate/gateway/policies/auth-policies.js";
import { notAccepted } from "./translate/gateway/routes/conditions.js";
import { Routes } from "./translate/gateway/routes/routes.js";
import { withStreamHosts } from "./translate/gateway/streams/stream-routes.js";
import { ingressStatuses } from "./translate/ingress/ingress-status.js";
import { ObjectTables } from "./translate/known-objects.js";
import { LocationBudget } from "./translate/location-budget.js";
import { OwnAddresses } from "./translate/own-addresses.js";
import { Entries } from "./translate/parts/entries.js";
import { Whole } from "./translate/parts/part.js";
import { type Served, Topology } from "./translate/parts/topology.js";
import { PolicyBudget, type PolicyShares } from "./translate/policy-budget.js";
import { roundabouts } from "./translate/roundabouts.js";
import { reportUncovered } from "./translate/server-certificates.js";
import { withoutUnavailable } from "./translate/unavailable-ports.js";
import { Upstreams } from "./translate/upstreams.js";

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

/** What became of objects in the last translation, for some options. */
class Tables {
  readonly objects = new ObjectTables();
  /** All parts. */
  readonly whole = new Whole();
  readonly entries = new Entries(this.whole, this.objects);
  readonly routes = new Routes(this.whole, this.objects);
  readonly policies = new PolicyParts(this.whole, this.objects);
  readonly locations = new LocationBudget();
  readonly policy = new PolicyBudget();
  readonly topology: Topology;

  constructor(options: CompileOptions) {
    this.topology = new Topology(options, this);
  }
}

export class TranslationMemory {
  #options = "";
  #tables: Tables | undefined;

  /** Those of the last call, unless that had other options. */
  tablesFor(options: CompileOptions): Tables {
    const text = JSON.stringify(options);
    if (this.#tables === undefined || text !== this.#options) this.#tables = new Tables(options);
    this.#options = text;
    return this.#tables;
  }

  /** Where translating stops in the middle, some of what has changed was not translated. */
  forget(): void {
    this.#tables = undefined;
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
    const tables = memory.tablesFor(options);
    tables.objects.update(resources);
    return translateChanges({ resources, options, diagnostics }, tables);
  } catch (error: unknown) {
    memory.forget();
    throw error;
  }
}

/** Each step updates tables that the next ones read. */
function translateChanges(context: TranslateContext, tables: Tables): Routing {
  const { topology, entries, routes, policies, whole } = tables;
  const closed = new ClosedObjects();
  closed.addAll(tables.objects.closed, context.diagnostics);
  const ports = topology.ports();
  entries.name(ports.balancers, context);
  const served = topology.served();
  routes.translate(served.gateways, served.policies, context);
  entries.translate();
  const ofPolicies = served.policies.statuses(routes, policies, context);
  context.diagnostics.addAll(whole.reports);
  context.diagnostics.addAll(entries.reports);
  const { shares, ...finished } = finish(served, { closed, taken: ports.taken }, tables, context);
  const shared = (statuses: readonly ObjectStatus[]) =>
    withoutShare(statuses, { ...shares, whyClosed: closed.whyClosed }, context.options);
  return {
    ...finished,
    statuses: joined([
      served.statuses.albs,
      ingressStatuses(entries.served, ports.published),
      served.statuses.classes,
      routes.counted(served.statuses.gateways),
      shared(routes.statuses),
      served.statuses.streams,
      shared(ofPolicies),
    ]),
    objects: served.objects,
    streamUpstreams: served.streamUpstreams,
  };
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
  { whole, locations, policy }: Tables,
  taken: ReadonlySet<string>,
  context: TranslateContext,
) {
  const located = locations.share(whole.routes, taken, context);
  const routes = patched(whole.routes, located.changes, compareIds);
  const {
    bindings,
    auths: { values: auths },
  } = whole;
  const shares = policy.share({ routes, bindings, auths }, context);
  context.diagnostics.addAll([...located.reports, ...shares.reports]);
  const parts = {
    routes: patched(routes, shares.routes, compareIds),
    bindings: patched(bindings, shares.bindings, inBindingOrder),
    auths: patched(auths, shares.auths, compareIds),
  };
  return { parts, shares };
}

/** The model, from all parts. Auth services are upstreams too, so their endpoints change without anything else changing. */
function finish(
  served: Served,
  { closed, taken }: { readonly closed: ClosedObjects; readonly taken: ReadonlySet<string> },
  tables: Tables,
  context: TranslateContext,
): Pick<Routing, "config" | "upstreams" | "certificateUses"> & { readonly shares: PolicyShares } {
  const { whole } = tables;
  const { servers, listeners, inherited, streams, pools } = served;
  const { parts, shares } = sharedParts(tables, taken, context);
  context.diagnostics.addAll(roundabouts(context.resources, parts));
  for (const object of shares.closed) closed.add(object);
  for (const listener of served.closedListeners) closed.addListener(listener);
  const closing = closed.close(parts);
  const built = {
    ...{ servers, listeners, inherited, streams, pools },
    auths: parts.auths,
    routes: patched(parts.routes, closing.routes, compareIds),
    bindings: patched(parts.bindings, closing.bindings, inBindingOrder),
    credentials: whole.credentials.values,
    ...certificatesOf(tables, served, shares, context),
    backendTls: whole.backendTls.values,
  };
  return {
    config: withStreamHosts(
      withoutUnavailable(built, served.refused, context),
      served.streamRoutes,
    ),
    upstreams: only(whole.upstreams.values, shares.needsUpstream),
    certificateUses: whole.certificateUses.values,
    shares,
  };
}

function certificatesOf(
  { whole, entries }: Tables,
  { candidates, fallback }: Served,
  { needsCertificate }: PolicyShares,
  { diagnostics }: TranslateContext,
): Pick<DataPlaneConfig, "certificates" | "serverCertificates"> {
  const certificates = whole.certificates.values;
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
