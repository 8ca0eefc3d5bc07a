import type { Alb2, Frontend } from "../../api/alb.js";
import type { TranslateContext } from "../context.js";
import type { Place } from "../place.js";
import { nameOf, placeOf } from "../place.js";
import { compareAge } from "../precedence.js";
import { albNameOf, configOf, servesIngresses } from "./alb-settings.js";

/** A Frontend, or an ALB2 for its Ingresses, wants to listen on a port. */
export interface PortClaim {
  readonly alb: Alb2;
  readonly port: number;
  readonly tls: boolean;
  /** Absent: the port is for Ingresses alone. */
  readonly frontend?: Frontend;
  readonly place: Place;
}

export type IngressPortField = "ingressHTTPPort" | "ingressHTTPSPort";

const DEFAULT_PORT: Readonly<Record<IngressPortField, number>> = {
  ingressHTTPPort: 80,
  ingressHTTPSPort: 443,
};

/** The port of an ALB2's Ingresses; 0 when it has none. One that is for HTTP and HTTPS is HTTP's. */
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
 * The claims that hold, one for each port: those of the oldest ALB2, and of one ALB2 those of the oldest Frontend. A port that
 * Ingresses and a Frontend of one ALB2 want is the Frontend's, and serves both. Who loses is reported.
 */
export function grantPorts(albs: readonly Alb2[], context: TranslateContext): readonly PortClaim[] {
  const granted = new Map<number, PortClaim>();
  for (const alb of [...albs].sort(compareAge)) {
    const claims = claimsOf(alb, context);
    for (const claim of claims) {
      const winner = granted.get(claim.port);
      if (winner === undefined) granted.set(claim.port, claim);
      else reportConflict(claim, winner, context);
    }
  }
  return [...granted.values()];
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
  const taken = new Set(declared.map(({ port }) => port));
  const forIngresses = (["ingressHTTPPort", "ingressHTTPSPort"] as const)
    .map((field): PortClaim => ({
      alb,
      port: ingressPortOf(alb, field),
      tls: field === "ingressHTTPSPort",
      place: placeOf(alb, "spec", "config", field),
    }))
    .filter(({ port }) => port !== 0 && !taken.has(port));
  return [...declared, ...forIngresses];
}

/** Those of its namespace that its name is on, oldest first. */
function frontendsOf(alb: Alb2, { resources, options }: TranslateContext): readonly Frontend[] {
  return resources
    .list("Frontend")
    .filter(
      (frontend) =>
        frontend.metadata.namespace === alb.metadata.namespace &&
        albNameOf(frontend, options.domains) === alb.metadata.name,
    )
    .sort(compareAge);
}

/** A grpc Frontend speaks TLS when it has a certificate, else HTTP/2 in clear text. */
function isTls({ spec }: Frontend): boolean {
  const certificate = spec.certificate_name ?? "";
  return spec.protocol === "https" || (spec.protocol === "grpc" && certificate !== "");
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
