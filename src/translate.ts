/**
 * Objects → the data plane's model, statuses and diagnostics. Pure; a problem of one object never keeps another from being served.
 */
import type { DiagnosticSink, Report } from "./diagnostics/sink.js";
import type { Resources, RoutingResources } from "./input/resources.js";
import type { DataPlaneConfig, RoutingModel } from "./model/config.js";
import type { CompileOptions } from "./model/options.js";
import type { ObjectStatus, OwnedObject } from "./status/object-status.js";
import { withShortMessages } from "./status/object-status.js";
import { compareIds } from "./support/collections.js";
import { translateFrontends } from "./translate/alb/frontends.js";
import { albStatuses, translateLoadBalancers } from "./translate/alb/load-balancers.js";
import { claimHostsOfRules, translateRules } from "./translate/alb/rules.js";
import type { AuthContext } from "./translate/auth/auth-policies.js";
import { createAuthTranslator } from "./translate/auth/auth-policies.js";
import type { UpstreamPlan } from "./translate/backends.js";
import { Backends } from "./translate/backends.js";
import type { CertificateUse } from "./translate/certificates.js";
import { Certificates } from "./translate/certificates.js";
import { ClosedObjects } from "./translate/closed-objects.js";
import { ConfigBuilder } from "./translate/config-builder.js";
import { gatewayClassStatuses } from "./translate/gateway/gateway-classes.js";
import { gatewayServices } from "./translate/gateway/gateway-services.js";
import { gatewayStatuses } from "./translate/gateway/gateway-status.js";
import { translateGateways } from "./translate/gateway/gateways.js";
import { createPolicies } from "./translate/gateway/policies/gateway-policies.js";
import type { Policies } from "./translate/gateway/model.js";
import { portsOfGateways } from "./translate/gateway/ports.js";
import type { RouteMemory } from "./translate/gateway/routes/route-memory.js";
import { translateRoutes } from "./translate/gateway/routes/routes.js";
import { translateStreamRoutes } from "./translate/gateway/streams/stream-routes.js";
import type { TranslatedStreams } from "./translate/gateway/streams/stream-servers.js";
import { streamServers } from "./translate/gateway/streams/stream-servers.js";
import type { WrittenGateway } from "./translate/gateway/written-gateways.js";
import { readGateways } from "./translate/gateway/written-gateways.js";
import { reportRestrictionsElsewhere } from "./translate/ingress/annotation-report.js";
import { reportUnserved } from "./translate/ingress/ingress-class.js";
import { ingressStatuses } from "./translate/ingress/ingress-status.js";
import { translateIngresses } from "./translate/ingress/ingresses.js";
import { claimHostsOfIngresses } from "./translate/ingress/prepared-ingress.js";
import type { LoadBalancer } from "./translate/load-balancer.js";
import { addFallbackCertificate } from "./translate/server-certificates.js";
import { reportUnavailable, withoutUnavailable } from "./translate/unavailable-ports.js";
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
  resources: Pick<Resources, "slices">,
  { requests, streams }: KnownEndpoints,
  { healthAddress }: Pick<CompileOptions, "healthAddress">,
): Translation {
  const upstreams = requests.resolve(plans.upstreams, resources, healthAddress);
  const streamUpstreams = streams.resolve(plans.streamUpstreams, resources, healthAddress);
  return { config: { ...config, upstreams, streamUpstreams }, statuses, objects };
}

/** All but the endpoints, which it can't see. `memory`: what became of routes before. */
export function translateRouting(
  resources: RoutingResources,
  options: CompileOptions,
  diagnostics: DiagnosticSink,
  memory: RouteMemory,
): Routing {
  const context = { resources, options, diagnostics };
  const closed = new ClosedObjects();
  closed.addAll(resources, diagnostics);
  const build: AuthContext = {
    ...context,
    config: new ConfigBuilder(closed),
    backends: new Backends(context),
    certificates: new Certificates(context),
    auth: createAuthTranslator(context),
  };

  const written = readGateways(build);
  const balancers = loadBalancers(written, build);
  const { gateways, freeSockets } = translateGateways(written, balancers, build);
  const policies = createPolicies(gateways, build);
  const routes = translateRoutes(gateways, policies, build, memory);
  const streamRoutes = translateStreamRoutes(gateways, policies, freeSockets, build);
  translateFrontends(balancers, build);
  translateRules(balancers, build);
  const ingresses = translateIngresses(balancers, build);
  reportRestrictionsElsewhere(build);
  reportUnserved(balancers, build);
  addFallbackCertificate(balancers, build);

  const statuses = [
    ...albStatuses(balancers, build.config.refused),
    ...ingressStatuses(ingresses, build),
    ...gatewayClassStatuses(build),
    ...gatewayStatuses(gateways, {
      attached: new Map([...routes.attached, ...streamRoutes.attached]),
      policies,
    }),
    ...routes.statuses,
    ...streamRoutes.statuses,
    ...policies.statuses(),
  ];
  return {
    config: finish(streamRoutes.streams, policies, build),
    statuses: statuses.map(withShortMessages),
    objects: gatewayServices(gateways, build),
    upstreams: build.backends.collected(),
    streamUpstreams: streamRoutes.streams.upstreams,
    certificateUses: build.certificates.uses,
  };
}

/** With the owners of their hosts. */
function loadBalancers(
  gateways: readonly WrittenGateway[],
  build: AuthContext,
): readonly LoadBalancer[] {
  const balancers = translateLoadBalancers(build, portsOfGateways(gateways, build.options));
  claimHostsOfRules(balancers, build);
  claimHostsOfIngresses(balancers, build);
  reportUnavailable(balancers, build);
  return balancers;
}

/** Auth services are upstreams too, so their endpoints change without anything else changing. */
function finish(
  streams: TranslatedStreams,
  policies: Policies,
  { config, backends, certificates, auth, options }: AuthContext,
): Routing["config"] {
  const inherited = policies.inherited();
  const { auths, credentials, services } = auth.collected();
  for (const service of services) backends.add(service);
  const built = config.build({
    auths,
    inherited: [...inherited].sort(compareIds),
    credentials,
    backendTls: policies.collected(),
    certificates: certificates.collected(),
    ...streamServers(streams, config.listeners()),
  });
  return withoutUnavailable(built, config.refused, { options });
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
