import type { Alb2, Frontend } from "../../api/alb.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Redirect } from "../../model/filters.js";
import type { ObjectStatus } from "../../status/object-status.js";
import type { AuthContext } from "../auth/auth-context.js";
import { selectsByOptions } from "../ingress/ingress-class.js";
import {
  type EntryPort,
  type GatewayPort,
  type Inherited,
  type LoadBalancer,
  type NewBalancer,
  NOTHING_INHERITED,
  allPorts,
  serverId,
} from "../load-balancer.js";
import { compareAge, oldestOf } from "../precedence.js";
import { ageKey } from "../../support/units.js";
import { configOf, reportSettings, selectsByProject, sslStrategyOf } from "./alb-settings.js";
import { frontendRedirect, inheritedFromFrontend } from "./frontends.js";
import { type PortClaim, grantPorts, ingressPortOf } from "./port-claims.js";
import { streamPort } from "./stream-frontends.js";
import { overridden } from "./shared-settings.js";

/**
 * The load balancers with their ports: one for each ALB2, or one from the options if there is no ALB2. The ports of a closed one answer
 * 503, unless another object has them: without its auth nothing may be served there.
 */
export function translateLoadBalancers(
  context: AuthContext,
  portsOfGateways: readonly GatewayPort[],
): readonly NewBalancer[] {
  const { resources, options } = context;
  const known = resources.list("ALB2");
  if (known.length === 0 && options.alb === "") {
    return [loadBalancerByOptions(context, portsOfGateways)];
  }
  const served = known.filter(
    ({ metadata }) =>
      options.alb === "" || options.alb === `${metadata.namespace}/${metadata.name}`,
  );
  if (served.length === 0 && options.alb !== "") {
    context.diagnostics.report({
      code: "ALB_NOT_FOUND",
      message: `there is no ALB2 ${options.alb}, which is the one to serve`,
    });
  }
  for (const alb of served) reportSettings(alb, context);
  const claims = grantPorts(served, context, new Set(portsOfGateways.map(({ port }) => port)));
  return [...served].sort(compareAge).map((alb) => loadBalancer(alb, claims, context));
}

function loadBalancer(alb: Alb2, claims: readonly PortClaim[], context: AuthContext): NewBalancer {
  const inherited = overridden(NOTHING_INHERITED, alb, alb.spec?.config, context);
  const own = claims.filter((claim) => claim.alb === alb).sort((a, b) => a.port - b.port);
  const streams = own.flatMap(({ frontend }) => streamPort(alb, frontend, inherited) ?? []);
  const ports = own
    .filter(({ frontend }) => !streams.some((stream) => stream.frontend === frontend))
    .flatMap((claim) => entryPort(claim, inherited, context) ?? []);
  const find = (number: number): EntryPort | undefined => ports.find(({ port }) => port === number);
  const http = find(ingressPortOf(alb, "ingressHTTPPort"));
  const https = find(ingressPortOf(alb, "ingressHTTPSPort"));
  const sslStrategy = sslStrategyOf(alb, context);
  return {
    alb,
    ports,
    streams,
    ingress: {
      ...(http && { http }),
      ...(https && { https }),
      ...(sslStrategy && { sslStrategy }),
      ...selectsByProject(alb, context),
    },
    ...prioritised([alb.metadata.namespace], context),
  };
}

/** Priorities of Rules count among all routes, so priorities of Ingresses in their namespace do too. */
function prioritised(
  namespaces: readonly string[],
  { options }: AuthContext,
): Pick<LoadBalancer, "prioritised"> {
  return { prioritised: new Set([...options.ingressPriorityNamespaces, ...namespaces]) };
}

/** Undefined if the Frontend can't be served. */
function entryPort(
  claim: PortClaim,
  fromAlb: Inherited,
  context: AuthContext,
): EntryPort | undefined {
  const { alb, port, tls, frontend } = claim;
  const inherited = frontend ? inheritedFromFrontend(frontend, fromAlb, context) : fromAlb;
  if (inherited === undefined) return undefined;
  const redirect = ingressSslRedirect(alb, port) ?? schemeRedirect(frontend, context);
  return {
    port,
    tls,
    server: serverId(port),
    listener: listenerId(claim),
    ...(frontend && { frontend }),
    inherited: redirect ? { ...inherited, schemeRedirect: redirect } : inherited,
  };
}

function listenerId({ alb, frontend, port }: PortClaim): string {
  const { namespace, name } = (frontend ?? alb).metadata;
  return frontend ? `frontend/${namespace}/${name}` : `alb2/${namespace}/${name}/${String(port)}`;
}

/** ingressSSLRedirect sends every client of the HTTP port to the HTTPS port. */
function ingressSslRedirect(alb: Alb2, port: number): Redirect | undefined {
  const isHttpPort = port === ingressPortOf(alb, "ingressHTTPPort");
  if (configOf(alb).ingressSSLRedirect !== true || !isHttpPort) return undefined;
  const httpsPort = ingressPortOf(alb, "ingressHTTPSPort");
  return {
    status: 308,
    unlessScheme: "https",
    scheme: "https",
    ...(httpsPort !== 0 && httpsPort !== 443 && { port: httpsPort }),
  };
}

/** A Frontend's redirect to another scheme; clients that use that scheme are served. */
function schemeRedirect(
  frontend: Frontend | undefined,
  context: AuthContext,
): Redirect | undefined {
  const redirect = frontend && frontendRedirect(frontend, context);
  return redirect?.unlessScheme === undefined ? undefined : redirect;
}

function loadBalancerByOptions(
  context: AuthContext,
  portsOfGateways: readonly GatewayPort[],
): NewBalancer {
  const { httpPort, httpsPort } = context.options;
  const isShared = httpsPort === httpPort && httpPort !== 0;
  if (isShared) {
    const message = `the options httpPort and httpsPort are both ${String(httpPort)}; HTTPS is not served`;
    context.diagnostics.report({ code: "PORT_CONFLICT", message });
  }
  const selection = selectsByOptions(context);
  const isLeft = (port: number, protocols: readonly string[]): boolean => {
    const wanted = portsOfGateways.filter((each) => each.port === port);
    if (wanted.length === 0) return true;
    const ingresses = context.resources
      .list("Ingress")
      .filter(({ closed }) => closed === undefined);
    const oldest = oldestOf(ingresses.filter(selection.selects));
    return isLeftFor(oldest, wanted, protocols);
  };
  const http = isLeft(httpPort, ["HTTP"]) ? portByOption(httpPort, "httpPort") : undefined;
  const https =
    !isShared && isLeft(httpsPort, ["HTTPS", "TLS"])
      ? portByOption(httpsPort, "httpsPort")
      : undefined;
  return {
    ports: [http, https].flatMap((port) => port ?? []).sort((a, b) => a.port - b.port),
    streams: [],
    ingress: {
      ...(http && { http }),
      ...(https && { https }),
      ...selection,
    },
    ...prioritised([], context),
  };
}

/**
 * Whether Ingresses can use a port that Gateways want too. They can't if there is no Ingress, or if a listener that can't share the port
 * is older than every Ingress, so that a new Ingress takes no port from a Gateway.
 */
function isLeftFor(
  oldest: KubernetesObject | undefined,
  wanted: readonly GatewayPort[],
  protocols: readonly string[],
): boolean {
  if (oldest === undefined) return wanted.length === 0;
  const age = ageKey(oldest.metadata.creationTimestamp);
  return !wanted.some(
    ({ isShared, isForEveryHost, protocol, claimant }) =>
      isShared &&
      (isForEveryHost || !protocols.includes(protocol)) &&
      ageKey(claimant.metadata.creationTimestamp) < age,
  );
}

function portByOption(port: number, option: "httpPort" | "httpsPort"): EntryPort | undefined {
  if (port === 0) return undefined;
  return {
    port,
    tls: option === "httpsPort",
    server: serverId(port),
    listener: `ingress/${String(port)}`,
    inherited: NOTHING_INHERITED,
  };
}

/**
 * The status of each ALB2 that is served: Running if it has its ports, Warning if it has none or some get no sockets. `refused` holds
 * the ids of listeners without sockets.
 */
export function albStatuses(
  balancers: readonly LoadBalancer[],
  refused: ReadonlySet<string>,
): readonly ObjectStatus[] {
  return balancers.flatMap((balancer) => {
    const { alb } = balancer;
    const ports = allPorts(balancer);
    const lost = ports.filter(({ listener }) => refused.has(listener)).length;
    let reason = ports.length === 0 ? "no port is served" : "";
    if (lost > 0) reason = `${String(lost)} ports are not served: no sockets are left`;
    if (alb === undefined) return [];
    if (alb.closed !== undefined) reason = `every port answers 503: ${alb.closed.message}`;
    const { apiVersion, kind, metadata } = alb;
    return {
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: metadata.namespace },
      status: { state: reason === "" ? "Running" : "Warning", reason },
    };
  });
}
