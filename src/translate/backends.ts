import { isIP } from "node:net";
import type { Service } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import { upstreamId } from "../model/upstream.js";
import { compareIds, memoized } from "../support/collections.js";
import { present } from "../support/json-object.js";
import type { TranslateContext } from "./context.js";
import type { Place } from "./place.js";

/** A port of a Service, by number or name. */
export interface ServicePortRef {
  readonly namespace: string;
  readonly name: string;
  readonly port: number | string;
  /** Absent: TCP. */
  readonly protocol?: "TCP" | "UDP";
  /** The Service's own address is the only endpoint, if it has one. */
  readonly byService?: boolean;
}

const MOST_SHOWN = 8;

export type ServicePort = NonNullable<NonNullable<Service["spec"]>["ports"]>[number];

/** An upstream without its endpoints, which are those of the Service's port. Without a port it has none. */
export interface UpstreamPlan {
  readonly id: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: ServicePort | undefined;
  /** The Service's own address, instead of its endpoints. */
  readonly address?: string;
}

/**
 * Turns references to Service ports into upstreams, each once. A reference that can't be resolved gives an upstream without endpoints,
 * which answers 503 `no peer`. So a Service that is created later changes the upstream, and no route.
 */
export class Backends {
  readonly #context: Pick<TranslateContext, "resources" | "diagnostics">;
  readonly #upstreams = new Map<string, UpstreamPlan>();

  constructor(context: Pick<TranslateContext, "resources" | "diagnostics">) {
    this.#context = context;
  }

  /** Returns the upstream's id. Problems are reported at `place`, those of the port at `portPlace`. */
  upstream(ref: ServicePortRef, place: Place, portPlace: Place): string {
    const problem = this.problemOf(ref);
    if (problem !== undefined) {
      const at = problem.code === "SERVICE_PORT_NOT_FOUND" ? portPlace : place;
      this.#context.diagnostics.report({ ...problem, ...at });
    }
    return this.add(ref);
  }

  /** Like `upstream`, for a reference whose problems are reported elsewhere. */
  add(ref: ServicePortRef): string {
    const service = this.#context.resources.get("Service", ref.namespace, ref.name);
    const port = service && findPort(service, ref.port, ref.protocol);
    return this.#add(upstreamPlan(ref, service, port));
  }

  #add(plan: UpstreamPlan): string {
    if (!this.#upstreams.has(plan.id)) this.#upstreams.set(plan.id, plan);
    return plan.id;
  }

  /** Every upstream that was asked for, by id. */
  collected(): readonly UpstreamPlan[] {
    return [...this.#upstreams.values()].sort(compareIds);
  }

  /** Why requests for the port get no answer. */
  problemOf({ namespace, name, port, protocol }: ServicePortRef): Report | undefined {
    const service = this.#context.resources.get("Service", namespace, name);
    const title = `${namespace}/${name}`;
    if (service === undefined) {
      return { code: "SERVICE_NOT_FOUND", message: `there is no Service ${title}` };
    }
    if (isExternalName(service)) {
      const message = `Service ${title} is of type ExternalName`;
      return { code: "SERVICE_EXTERNAL_NAME", message };
    }
    if (service.assumed || findPort(service, port, protocol) !== undefined) return undefined;
    const ports = portList(service, protocol);
    const message = `Service ${title} has no ${protocol ?? "TCP"} port ${JSON.stringify(port)}; it has ${ports}`;
    return { code: "SERVICE_PORT_NOT_FOUND", message };
  }
}

export function isExternalName(service: Service): boolean {
  return service.spec?.type === "ExternalName";
}

interface Ports {
  /** By number and by name. The first of two ports with one number or name counts. */
  readonly index: ReadonlyMap<number | string, ServicePort>;
  /** The first ports, for messages. */
  readonly list: string;
}

/** A Service may have thousands of ports, and an Ingress a path for each. */
const PORTS = {
  TCP: memoized((service: Service) => portsOf(service, "TCP")),
  UDP: memoized((service: Service) => portsOf(service, "UDP")),
};

/** TCP ports by targetPort as a text, the first of each. */
const TARGETS = memoized((service: Service) => {
  const ports = portsFor(service, "TCP").toReversed();
  return new Map(ports.map((each) => [String(each.targetPort ?? each.port), each.port]));
});

function portsFor(service: Service, transport: "TCP" | "UDP"): readonly ServicePort[] {
  return (service.spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === transport);
}

function portsOf(service: Service, transport: "TCP" | "UDP"): Ports {
  const ports = portsFor(service, transport);
  const index = new Map<number | string, ServicePort>();
  for (const port of ports) {
    const keys = port.name === undefined ? [port.port] : [port.port, port.name];
    for (const key of keys) if (!index.has(key)) index.set(key, port);
  }
  const shown = ports
    .slice(0, MOST_SHOWN)
    .map(({ name, port }) => (name === undefined ? String(port) : `${String(port)} (${name})`));
  if (ports.length > MOST_SHOWN) shown.push(`${String(ports.length - MOST_SHOWN)} more`);
  return { index, list: ports.length === 0 ? "none" : shown.join(", ") };
}

/** The port with the number or name. A stand-in has every number; its names are not known. */
export function findPort(
  service: Service,
  wanted: number | string,
  transport: "TCP" | "UDP" = "TCP",
): ServicePort | undefined {
  if (service.assumed && typeof wanted === "number") return { port: wanted, protocol: transport };
  return PORTS[transport](service).index.get(wanted);
}

/** How an Ingress may name a port: as the Service does, else by its targetPort, as in ingress-nginx. */
export function ingressPort(
  service: Service | undefined,
  wanted: number | string,
): number | string {
  if (service === undefined || findPort(service, wanted) !== undefined) return wanted;
  return TARGETS(service).get(String(wanted)) ?? wanted;
}

/** The number of a Service's first TCP port, which a reference without a port means; 80 of a Service that has none. */
export function firstPort(
  resources: Pick<TranslateContext["resources"], "get">,
  { namespace, name }: Pick<ServicePortRef, "namespace" | "name">,
): number {
  const service = resources.get("Service", namespace, name);
  return (service && portsFor(service, "TCP")[0]?.port) ?? 80;
}

export function portList(service: Service, transport: "TCP" | "UDP" = "TCP"): string {
  return PORTS[transport](service).list;
}

/** Named by the port's number, so that references by name and by number share one upstream. */
function upstreamPlan(
  { namespace, name, port: wanted, protocol, byService }: ServicePortRef,
  service: Service | undefined,
  port: ServicePort | undefined,
): UpstreamPlan {
  const id = upstreamId({ namespace, name, port: port?.port ?? wanted });
  const isServed = service !== undefined && !isExternalName(service);
  const { clusterIP = "None" } = service?.spec ?? {};
  const address = byService === true && isIP(clusterIP) !== 0 ? clusterIP : undefined;
  return {
    id: protocol === "UDP" ? `${id}/udp` : address === undefined ? id : `${id}/service`,
    ...present("address", address),
    namespace,
    service: name,
    port: isServed ? port : undefined,
  };
}
