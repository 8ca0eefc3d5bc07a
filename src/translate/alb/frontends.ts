import { routeTimeouts } from "../../model/route.js";
import { filled } from "../../support/json-object.js";
import type { Frontend } from "../../api/alb.js";
import { ANY_HOST } from "../../model/values.js";
import type { Redirect } from "../../model/filters.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { EntryPort, LoadBalancer } from "../load-balancer.js";
import { bindWholePort } from "../load-balancer.js";
import { placeOf, sourceRef } from "../place.js";
import { NO_RULE } from "../reasons.js";
import { listenerRank } from "../precedence.js";
import { addServerCertificate } from "../server-certificates.js";
import { albNameOf, configOf } from "./alb-settings.js";
import { frontendRedirect } from "./frontend-port.js";
import { translateServiceGroup } from "./service-group.js";

/** What Frontends do themselves: their redirect before every rule, their service group after all, their certificate. */
export function translateFrontends(balancers: readonly LoadBalancer[], context: AuthContext): void {
  for (const balancer of balancers) {
    for (const port of balancer.ports) {
      if (port.frontend !== undefined) translateFrontend(port.frontend, port, context);
    }
    addDefaultCertificate(balancer, context);
  }
  reportUnattached(context);
}

/** defaultSSLCert is for the HTTPS port of Ingresses, unless its Frontend names another. */
function addDefaultCertificate({ alb, ingress }: LoadBalancer, context: AuthContext): void {
  const port = ingress.https;
  if (alb === undefined || port === undefined || hasCertificate(port.frontend)) return;
  const reference = configOf(alb).defaultSSLCert ?? "";
  if (reference === "") return;
  const place = placeOf(alb, "spec", "config", "defaultSSLCert");
  addServerCertificate(reference, ANY_HOST, { port, place, context });
}

function translateFrontend(frontend: Frontend, port: EntryPort, context: AuthContext): void {
  const redirect = frontendRedirect(frontend, context);
  const hasServices = (frontend.spec.serviceGroup?.services ?? []).length > 0;
  if (redirect !== undefined && redirect.unlessScheme === undefined) {
    bindRedirect(frontend, redirect, { port, context, rank: "first" });
  }
  if (hasServices) {
    bindServiceGroup(frontend, port, context);
  } else if (redirect?.unlessScheme !== undefined) {
    // Its Rules redirect by themselves; this is for what no Rule matches.
    bindRedirect(frontend, redirect, { port, context, rank: "default" });
  }
  if (port.tls && hasCertificate(frontend)) {
    const place = placeOf(frontend, "spec", "certificate_name");
    const reference = frontend.spec.certificate_name ?? "";
    addServerCertificate(reference, ANY_HOST, { port, place, context });
  }
}

interface RedirectPlace {
  readonly port: EntryPort;
  readonly context: AuthContext;
  /** Before every Rule, or after. */
  readonly rank: "first" | "default";
}

function bindRedirect(
  frontend: Frontend,
  redirect: Redirect,
  { port, context: { config }, rank }: RedirectPlace,
): void {
  const route = config.addRoute(
    {
      id: `${frontendId(frontend)}/redirect`,
      source: sourceRef(placeOf(frontend, "spec", "config", "redirect")),
      redirect,
      ...routeTimeouts(port.inherited.timeouts),
      // For clients that came by that scheme already.
      ...(rank === "default" && {
        backends: [{ weight: 1, protocol: port.inherited.protocol, refuse: NO_RULE }],
      }),
    },
    port.port,
  );
  bindWholePort(port, route, listenerRank(rank, frontend), config);
}

/** The default backend has the auth that the Frontend has, as every route of it. */
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

function hasCertificate(frontend: Frontend | undefined): boolean {
  return (frontend?.spec.certificate_name ?? "") !== "";
}

/** A Frontend whose labels name no ALB2 is nobody's, and its port stays closed. */
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
