/** What Frontends do themselves: their redirect before every Rule, their service group after all Rules, their certificate. */
import type { Frontend } from "../../api/alb.js";
import type { Redirect } from "../../model/filters.js";
import { routeTimeouts } from "../../model/route.js";
import { ANY_HOST } from "../../model/values.js";
import { filled } from "../../support/json-object.js";
import { isSet } from "../../support/text.js";
import type { AuthContext } from "../auth/auth-context.js";
import {
  type EntryPort,
  type Inherited,
  type LoadBalancer,
  bindWholePort,
} from "../load-balancer.js";
import { placeOf, sourceRef } from "../place.js";
import { listenerRank } from "../precedence.js";
import { NO_RULE } from "../reasons.js";
import { addServerCertificate } from "../server-certificates.js";
import { configOf } from "./alb-settings.js";
import { albNameOf } from "./labels.js";
import {
  overridden,
  parseBackendProtocol,
  parseRedirect,
  translateServiceGroup,
} from "./shared-settings.js";

/** What the routes of a Frontend inherit; undefined, with a report, if its protocol is not served. */
export function inheritedFromFrontend(
  frontend: Frontend,
  fromAlb: Inherited,
  context: AuthContext,
): Inherited | undefined {
  const { protocol = "http", backendProtocol = "", config } = frontend.spec;
  if (protocol !== "http" && protocol !== "https" && protocol !== "grpc") {
    const message = `protocol ${JSON.stringify(protocol)} is none of http, https, grpc, tcp, udp`;
    const place = placeOf(frontend, "spec", "protocol");
    context.diagnostics.report({ code: "PROTOCOL_UNSUPPORTED", message, ...place });
    return undefined;
  }
  const inherited = overridden(fromAlb, frontend, config, context);
  const standard = protocol === "grpc" ? "grpc" : "http";
  if (backendProtocol === "") return { ...inherited, protocol: standard };
  const parsed = parseBackendProtocol(backendProtocol);
  if (parsed.ok) return { ...inherited, protocol: parsed.value };
  const place = placeOf(frontend, "spec", "backendProtocol");
  context.diagnostics.report({ code: "SETTING_IGNORED", message: parsed.problem, ...place });
  return { ...inherited, protocol: standard };
}

/** The redirect of a Frontend. An invalid one is reported and ignored. */
export function frontendRedirect(
  frontend: Frontend,
  { diagnostics }: AuthContext,
): Redirect | undefined {
  const redirect = parseRedirect(frontend.spec.config?.redirect ?? {});
  if (redirect.ok) return redirect.value;
  const place = placeOf(frontend, "spec", "config", "redirect");
  diagnostics.report({ code: "SETTING_IGNORED", message: redirect.problem, ...place });
  return undefined;
}

export function translateFrontends(balancers: readonly LoadBalancer[], context: AuthContext): void {
  for (const balancer of balancers) {
    for (const port of balancer.ports) {
      if (port.frontend !== undefined) translateFrontend(port.frontend, port, context);
    }
    addDefaultCertificate(balancer, context);
  }
  reportUnattached(context);
}

/** defaultSSLCert is for the HTTPS port of Ingresses, unless a Frontend declares the port and names another. */
function addDefaultCertificate({ alb, ingress }: LoadBalancer, context: AuthContext): void {
  const port = ingress.https;
  if (alb === undefined || port === undefined) return;
  const reference = configOf(alb).defaultSSLCert;
  if (!isSet(reference) || isSet(port.frontend?.spec.certificate_name)) return;
  const place = placeOf(alb, "spec", "config", "defaultSSLCert");
  addServerCertificate(reference, ANY_HOST, { port, place, context });
}

function translateFrontend(frontend: Frontend, port: EntryPort, context: AuthContext): void {
  const { serviceGroup, certificate_name: certificate } = frontend.spec;
  const redirect = frontendRedirect(frontend, context);
  if (redirect !== undefined && redirect.unlessScheme === undefined) {
    bindRedirect(frontend, redirect, port, context);
  }
  if ((serviceGroup?.services ?? []).length > 0) bindServiceGroup(frontend, port, context);
  // Rules inherit a redirect to another scheme; this one is for requests that no Rule matches.
  else if (redirect?.unlessScheme !== undefined) bindRedirect(frontend, redirect, port, context);
  if (port.tls && isSet(certificate)) {
    const place = placeOf(frontend, "spec", "certificate_name");
    addServerCertificate(certificate, ANY_HOST, { port, place, context });
  }
}

/** Before every Rule; a redirect to another scheme comes after every Rule, and its own scheme finds no rule. */
function bindRedirect(
  frontend: Frontend,
  redirect: Redirect,
  port: EntryPort,
  { config }: AuthContext,
): void {
  const isLast = redirect.unlessScheme !== undefined;
  const { timeouts, protocol } = port.inherited;
  const route = config.addRoute(
    {
      id: `${frontendId(frontend)}/redirect`,
      source: sourceRef(placeOf(frontend, "spec", "config", "redirect")),
      redirect,
      ...routeTimeouts(timeouts),
      ...(isLast && { backends: [{ weight: 1, protocol, refuse: NO_RULE }] }),
    },
    port.port,
  );
  bindWholePort(port, route, listenerRank(isLast ? "default" : "first", frontend), config);
}

/** The default backend has the Frontend's auth, like each of its routes. */
function bindServiceGroup(frontend: Frontend, port: EntryPort, context: AuthContext): void {
  const { schemeRedirect, auth, timeouts, protocol, closed } = port.inherited;
  const place = placeOf(frontend, "spec", "serviceGroup");
  const group = frontend.spec.serviceGroup ?? {};
  const route = context.config.addRoute(
    {
      id: frontendId(frontend),
      source: sourceRef(place),
      ...(closed && { refuse: closed }),
      ...(schemeRedirect && { redirect: schemeRedirect }),
      ...filled("auth", auth),
      ...routeTimeouts(timeouts),
      ...translateServiceGroup(group, place, protocol, context),
    },
    port.port,
  );
  bindWholePort(port, route, listenerRank("default", frontend), context.config);
}

function frontendId({ metadata }: Frontend): string {
  return `frontend/${metadata.namespace}/${metadata.name}`;
}

/** The port of a Frontend whose labels name no ALB2 stays closed. */
function reportUnattached({ resources, options, diagnostics }: AuthContext): void {
  for (const frontend of resources.list("Frontend")) {
    const { namespace } = frontend.metadata;
    const name = albNameOf(frontend, options.domains);
    if (name !== undefined && resources.get("ALB2", namespace, name) !== undefined) continue;
    const message =
      name === undefined
        ? "its labels name no ALB2"
        : `there is no ALB2 ${namespace}/${name}, which its label names`;
    const place = placeOf(frontend, "metadata", "labels");
    diagnostics.report({ code: "FRONTEND_UNATTACHED", message, ...place });
  }
}
