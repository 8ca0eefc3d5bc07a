import type { Alb2, Frontend } from "../../api/alb.js";
import { compareBy } from "../../support/collections.js";
import { isSet } from "../../support/text.js";
import type { TranslateContext } from "../context.js";
import { serverId } from "../load-balancer.js";
import { type Place, nameOf, placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { configOf, servesIngresses, transportOf } from "./alb-settings.js";
import { albNameOf } from "./labels.js";

/** The wish of a Frontend, or of an ALB2 for its Ingresses, to listen on a port. */
export interface PortClaim {
  readonly alb: Alb2;
  readonly port: number;
  readonly tls: boolean;
  /** Absent: the port is for Ingresses only. */
  readonly frontend?: Frontend;
  readonly place: Place;
}

type IngressPortField = "ingressHTTPPort" | "ingressHTTPSPort";

const DEFAULT_PORT: Readonly<Record<IngressPortField, number>> = {
  ingressHTTPPort: 80,
  ingressHTTPSPort: 443,
};

export const INGRESS_PORTS = ["ingressHTTPPort", "ingressHTTPSPort"] as const;

/** The port of an ALB2's Ingresses; 0 if it has none. If both fields name one port, it is for HTTP. */
export function ingressPortOf(alb: Alb2, field: IngressPortField): number {
  if (!servesIngresses(alb)) return 0;
  return field === "ingressHTTPSPort" && sharesIngressPort(alb) ? 0 : writtenPort(alb, field);
}

function writtenPort(alb: Alb2, field: IngressPortField): number {
  return configOf(alb)[field] ?? DEFAULT_PORT[field];
}

function sharesIngressPort(alb: Alb2): boolean {
  const port = writtenPort(alb, "ingressHTTPPort");
  return port !== 0 && port === writtenPort(alb, "ingressHTTPSPort");
}

/**
 * The granted claims, one for each port: the oldest ALB2 wins, and within an ALB2 the oldest Frontend. If Ingresses and a Frontend of
 * one ALB2 want a port, it is the Frontend's and serves both, even a closed one's, whose auth is unknown. Other ports of closed objects are
 * those that are left, except those in `taken`. Refused claims are reported.
 */
export function grantPorts(
  albs: readonly Alb2[],
  context: TranslateContext,
  taken: ReadonlySet<number>,
): readonly PortClaim[] {
  const granted = new Map<string, PortClaim>();
  const claims = [...albs].sort(compareAge).flatMap((alb) => claimsOf(alb, context));
  for (const claim of claims.filter((each) => !yields(each))) {
    const winner = granted.get(socketOf(claim));
    if (winner === undefined) granted.set(socketOf(claim), claim);
    else reportConflict(claim, winner, context);
  }
  for (const claim of claims.filter(yields)) {
    const socket = socketOf(claim);
    if (!granted.has(socket) && !taken.has(claim.port)) granted.set(socket, claim);
  }
  return [...granted.values()];
}

/** UDP has ports of its own. */
function socketOf({ port, frontend }: PortClaim): string {
  return serverId(port, frontend && transportOf(frontend));
}

/** Whether a claim comes after those of all other objects. */
function yields({ alb, frontend, port }: PortClaim): boolean {
  if (alb.closed !== undefined) return true;
  const isOfIngresses = INGRESS_PORTS.some((field) => ingressPortOf(alb, field) === port);
  return frontend?.closed !== undefined && !isOfIngresses;
}

function claimsOf(alb: Alb2, context: TranslateContext): readonly PortClaim[] {
  if (servesIngresses(alb) && sharesIngressPort(alb)) reportSharedPort(alb, context);
  const frontends = frontendsOf(alb, context);
  const declared = frontends.map((frontend): PortClaim => ({
    alb,
    port: frontend.spec.port,
    tls: isTls(frontend),
    frontend,
    place: placeOf(frontend, "spec", "port"),
  }));
  const taken = new Set(declared.map(socketOf));
  const forIngresses = INGRESS_PORTS.map((field): PortClaim => ({
    alb,
    port: ingressPortOf(alb, field),
    tls: field === "ingressHTTPSPort",
    place: placeOf(alb, "spec", "config", field),
  })).filter((claim) => claim.port !== 0 && !taken.has(socketOf(claim)));
  return [...declared, ...forIngresses];
}

/** The Frontends in its namespace whose label names it, oldest first, closed ones last. */
function frontendsOf(alb: Alb2, { resources, options }: TranslateContext): readonly Frontend[] {
  return resources
    .list("Frontend")
    .filter(
      (frontend) =>
        frontend.metadata.namespace === alb.metadata.namespace &&
        albNameOf(frontend, options.domains) === alb.metadata.name,
    )
    .sort(
      compareBy(
        (a, b) => Number(a.closed !== undefined) - Number(b.closed !== undefined),
        compareAge,
      ),
    );
}

/** A grpc Frontend uses TLS if it has a certificate, otherwise HTTP/2 in clear text. */
function isTls({ spec }: Frontend): boolean {
  return spec.protocol === "https" || (spec.protocol === "grpc" && isSet(spec.certificate_name));
}

function reportSharedPort(alb: Alb2, { diagnostics }: TranslateContext): void {
  const port = String(ingressPortOf(alb, "ingressHTTPPort"));
  diagnostics.report({
    code: "PORT_CONFLICT",
    message: `ingressHTTPPort and ingressHTTPSPort are both ${port}; Ingresses have one of the two only`,
    ...placeOf(alb, "spec", "config", "ingressHTTPSPort"),
  });
}

function reportConflict(
  loser: PortClaim,
  winner: PortClaim,
  { diagnostics }: TranslateContext,
): void {
  diagnostics.report({
    code: "PORT_CONFLICT",
    message: `port ${String(loser.port)} belongs to ${nameOf(winner.frontend ?? winner.alb)}`,
    ...loser.place,
  });
}
