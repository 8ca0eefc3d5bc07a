/**
 * Objects → the data plane's model, statuses and diagnostics. Pure; a problem of one object never keeps another from being served.
 */
import type { DiagnosticSink } from "../diagnostics/sink.js";
import type { Resources, RoutingResources } from "../input/resources.js";
import type { CompileOptions } from "../options.js";
import { albStatuses } from "./alb/alb-status.js";
import { translateFrontends } from "./alb/frontends.js";
import { translateLoadBalancers } from "./alb/load-balancers.js";
import { translateRules } from "./alb/rules.js";
import { createAuthTranslator } from "./auth/auth-policies.js";
import { Backends } from "./backends.js";
import type { BuildContext } from "./build-context.js";
import { Certificates } from "./certificates.js";
import { ConfigBuilder } from "./config-builder.js";
import { addFallbackCertificate } from "./fallback-certificate.js";
import { gatewayClassStatuses } from "./gateway/gateway-class-status.js";
import { gatewayServices } from "./gateway/gateway-services.js";
import { gatewayStatuses } from "./gateway/gateway-status.js";
import { portsOfGateways, translateGateways } from "./gateway/gateways.js";
import { reportTakenHosts } from "./gateway/taken-hosts.js";
import { createPolicies } from "./gateway/policies/gateway-policies.js";
import type { Policies } from "./gateway/policies/policies.js";
import { RouteMemory } from "./gateway/routes/route-memory.js";
import { translateRoutes } from "./gateway/routes/routes.js";
import { ingressStatuses } from "./ingress/ingress-status.js";
import { translateIngresses } from "./ingress/ingresses.js";
import { reportUnserved } from "./ingress/unserved-ingresses.js";
import { reportUnavailable, withoutUnavailable } from "./unavailable-ports.js";
import type { Routing, Translation } from "./translation.js";
import { Upstreams } from "./upstreams.js";

export function translate(
  resources: Resources,
  options: CompileOptions,
  diagnostics: DiagnosticSink,
): Translation {
  const routing = translateRouting(resources, options, diagnostics, new RouteMemory());
  return withUpstreams(routing, resources, new Upstreams());
}

/** `upstreams`: what was looked up before. */
export function withUpstreams(
  { config, statuses, objects, upstreams: plans }: Routing,
  resources: Pick<Resources, "endpointSlices">,
  upstreams: Upstreams,
): Translation {
  return {
    config: { ...config, upstreams: upstreams.resolve(plans, resources) },
    statuses,
    objects,
  };
}

/** All but the endpoints, which it can't see. `memory`: what became of routes before. */
export function translateRouting(
  resources: RoutingResources,
  options: CompileOptions,
  diagnostics: DiagnosticSink,
  memory: RouteMemory,
): Routing {
  const context = { resources, options, diagnostics };
  const build: BuildContext = {
    ...context,
    config: new ConfigBuilder(),
    backends: new Backends(context),
    certificates: new Certificates(context),
    auth: createAuthTranslator(context),
  };

  const balancers = translateLoadBalancers(build, portsOfGateways(build));
  reportUnavailable(balancers, build);
  const gateways = translateGateways(balancers, build);
  const policies = createPolicies(gateways, build);
  const routes = translateRoutes(gateways, policies, build, memory);
  reportTakenHosts(gateways, build);
  translateFrontends(balancers, build);
  translateRules(balancers, build);
  const ingresses = translateIngresses(balancers, build);
  reportUnserved(balancers, build);
  addFallbackCertificate(balancers, build);

  const statuses = [
    ...albStatuses(balancers),
    ...ingressStatuses(ingresses, build),
    ...gatewayClassStatuses(build),
    ...gatewayStatuses(gateways, { attached: routes.attached, policies }),
    ...routes.statuses,
    ...policies.statuses(),
  ];
  return {
    config: finish(build, policies),
    statuses,
    objects: gatewayServices(gateways, build),
    upstreams: build.backends.collected(),
  };
}

/** Auth services are upstreams too, so their endpoints change without anything else changing. */
function finish(
  { config, backends, certificates, auth, options }: BuildContext,
  policies: Policies,
): Routing["config"] {
  const { auths, credentials, services } = auth.collected();
  for (const service of services) backends.add(service);
  const built = config.build({
    auths,
    credentials,
    backendTls: policies.collected(),
    certificates: certificates.collected(),
  });
  return withoutUnavailable(built, { options });
}
