/**
 * Endpoints of the Service ports that routes name. They change often and nothing else depends on them, so they are looked up last, and
 * only for Services whose EndpointSlices changed.
 */
import { isIP } from "node:net";
import type { EndpointSlice } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import type { Resources, ServiceSlices } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";
import type { Endpoint, Upstream } from "../model/upstream.js";
import {
  type Difference,
  compareBy,
  compareIds,
  compareStrings,
  listDifferences,
  memoized,
  patched,
  sameElements,
} from "../support/collections.js";
import { type Few, membersOf, withMember, withoutMember } from "../support/few.js";
import type { ServicePort, UpstreamPlan } from "./backends.js";
import { EndpointBudget } from "./endpoint-budget.js";
import type { OwnAddresses } from "./own-addresses.js";
import { placeOf } from "./place.js";
import { internalError } from "./reasons.js";
import { SHARED_SHAPE } from "../support/json-object.js";

/** Endpoints of one Service, counted once for each port that routes name, and how many ports are always allowed. */
const MOST_ENDPOINTS = 16_384;
const UNCOUNTED_PORTS = 8;

interface Known {
  readonly port: UpstreamPlan["port"];
  readonly address: UpstreamPlan["address"];
  readonly slices: Slices;
  readonly share: Share;
  readonly addresses: OwnAddresses;
  readonly upstream: Upstream;
  readonly reports: readonly Report[];
}

type Slices = readonly EndpointSlice[];

/** Whether a port gets endpoints. Of the ports that don't, the first is reported. */
type Share = "served" | "first refused" | "refused";

const NONE: Slices = [];

/** The number of ports of a Service with these slices that get endpoints. */
const mostPorts = memoized((slices: readonly EndpointSlice[]) => {
  try {
    const size = slices.reduce((sum, { endpoints }) => sum + 1 + endpoints.length, 0);
    return Math.max(UNCOUNTED_PORTS, Math.floor(MOST_ENDPOINTS / size));
  } catch {
    // Looking up the endpoints fails in the same way, and that is reported.
    return UNCOUNTED_PORTS;
  }
});

/** Keeps its last result, and looks only at Services whose plans or slices changed. */
export class Upstreams {
  #plans: readonly UpstreamPlan[] = [];
  #slices: ServiceSlices | undefined;
  /** Plans by Service. */
  readonly #services = new Map<string, Few<UpstreamPlan>>();
  #own: OwnAddresses | undefined;
  readonly #known = new Map<string, Known>();
  /** Of the upstreams that have reports. */
  readonly #reports = new Map<string, readonly Report[]>();
  #last: readonly Upstream[] = [];
  readonly #budget = new EndpointBudget();
  /** Of Services without a share. */
  #lost: readonly Report[] = [];

  /** Problems of the upstreams that were resolved last. */
  get reports(): readonly Report[] {
    return [...[...this.#reports.values()].flat(), ...this.#lost];
  }

  /**
   * Plans and upstreams are sorted by id; the list is the same object if nothing changed. `own`: addresses that no endpoint may be.
   */
  resolve(
    plans: readonly UpstreamPlan[],
    resources: Pick<Resources, "slices" | "get">,
    own: OwnAddresses,
    options: Pick<CompileOptions, "policySize">,
  ): readonly Upstream[] {
    const { slices } = resources;
    const addresses = this.#own?.text === own.text ? this.#own : own;
    const services = this.#changedServices(slices, addresses);
    const changes: Difference<Upstream>[] = [];
    const differing = listDifferences(this.#plans, plans, compareIds);
    for (const { before, now } of differing) {
      for (const plan of [before, now]) {
        if (plan === undefined) continue;
        const service = serviceOf(plan);
        const change = plan === now ? withMember : withoutMember;
        this.#services.set(service, change(this.#services.get(service), plan));
        services.add(service);
      }
      if (before && !now) changes.push({ before: this.#forget(before) });
    }
    for (const service of services) changes.push(...this.#look(service, slices, addresses));
    this.#plans = plans;
    this.#slices = slices;
    this.#own = addresses;
    this.#last = patched(this.#last, changes, compareIds);
    const shares = this.#budget.share(this.#last, plans, resources, options);
    this.#lost = shares.reports;
    return patched(this.#last, shares.changes, compareIds);
  }

  #changedServices(slices: ServiceSlices, addresses: OwnAddresses): Set<string> {
    if (addresses !== this.#own) return new Set(this.#services.keys());
    const changed = this.#slices?.differences(slices) ?? [];
    return new Set(changed.map(({ namespace, name }) => `${namespace}/${name}`));
  }

  #forget({ id }: UpstreamPlan): Upstream | undefined {
    const known = this.#known.get(id);
    this.#known.delete(id);
    this.#reports.delete(id);
    return known?.upstream;
  }

  #look(service: string, slices: ServiceSlices, addresses: OwnAddresses): Difference<Upstream>[] {
    const plans = [...membersOf(this.#services.get(service))].sort(compareIds);
    if (plans.length === 0) this.#services.delete(service);
    let count = 0;
    return plans.flatMap((plan) => {
      const { id, namespace, service: name, port } = plan;
      const own = port === undefined ? NONE : (slices.get(namespace, name) ?? NONE);
      const share = own.length === 0 ? "served" : shareOf(count++, mostPorts(own));
      const before = this.#known.get(id);
      const now = resolved(plan, before, { slices: own, share, addresses });
      if (now === before) return [];
      this.#known.set(id, now);
      if (now.reports.length > 0) this.#reports.set(id, now.reports);
      else this.#reports.delete(id);
      return [{ before: before?.upstream, now: now.upstream }];
    });
  }
}

/** The share of the port after `count` others. */
function shareOf(count: number, most: number): Share {
  if (count < most) return "served";
  return count === most ? "first refused" : "refused";
}

function serviceOf({ namespace, service }: UpstreamPlan): string {
  return `${namespace}/${service}`;
}

function resolved(
  plan: UpstreamPlan,
  known: Known | undefined,
  looked: Pick<Known, "slices" | "share" | "addresses">,
): Known {
  const { slices, share, addresses } = looked;
  const { id, namespace, service, port, address } = plan;
  if (
    known !== undefined &&
    known.port === port &&
    known.address === address &&
    known.share === share &&
    known.addresses === addresses &&
    sameElements(known.slices, slices)
  ) {
    return known;
  }
  const found = { port, address, ...looked };
  if (share !== "served") {
    const reports = share === "refused" ? [] : [tooLarge(plan, mostPorts(slices))];
    return { ...found, upstream: { id, endpoints: [] }, reports };
  }
  try {
    return { ...SHARED_SHAPE, ...found, ...lookedUp(plan, slices, addresses) };
  } catch (error: unknown) {
    const resource = { apiVersion: "v1", kind: "Service", namespace, name: service };
    const reports = [{ ...internalError("looking up its endpoints", error), resource }];
    return { ...found, upstream: { id, endpoints: [] }, reports };
  }
}

function tooLarge({ id, namespace, service }: UpstreamPlan, most: number): Report {
  const message = `Service ${namespace}/${service} has so many endpoints that only ${most} of the ports that routes name get them: ${id} and the ports after it have none`;
  const resource = { apiVersion: "v1", kind: "Service", namespace, name: service };
  return { code: "SERVICE_TOO_LARGE", message, resource };
}

function lookedUp(
  { id, port, address }: UpstreamPlan,
  slices: readonly EndpointSlice[],
  addresses: OwnAddresses,
): Pick<Known, "upstream" | "reports"> {
  const all = port === undefined ? [] : endpointsOf(slices, port, address);
  const own = new Map(
    all.flatMap((endpoint) => {
      const what = addresses.at(endpoint, port?.protocol);
      return what === undefined ? [] : [[endpoint, what]];
    }),
  );
  const endpoints = own.size === 0 ? all : all.filter((endpoint) => !own.has(endpoint));
  const reports = [...own].flatMap(([endpoint, what]) => ownAddressReports(endpoint, what, slices));
  return { upstream: { id, endpoints }, reports };
}

function endpointsOf(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  address: string | undefined,
): readonly Endpoint[] {
  return address === undefined ? serviceEndpoints(slices, port) : [[address, port.port]];
}

function ownAddressReports(
  [address, port]: Endpoint,
  what: string,
  slices: readonly EndpointSlice[],
): readonly Report[] {
  const message = `${address} with port ${String(port)} is ${what}`;
  return slices
    .filter(({ endpoints }) => endpoints.some(({ addresses }) => addresses.includes(address)))
    .map((slice) => ({ code: "ENDPOINT_REFUSED", message, ...placeOf(slice, "endpoints") }));
}

/**
 * The addresses behind one port of a Service: the ready ones or, if none is ready, those that terminate but still serve. As in
 * kube-proxy, the port's name finds its number in each slice, so named and numeric target ports work the same.
 */
function serviceEndpoints(
  slices: readonly EndpointSlice[],
  port: ServicePort,
): readonly Endpoint[] {
  const ready = endpointsWhere(slices, port, isReady);
  return ready.length > 0 ? ready : endpointsWhere(slices, port, isServingTerminating);
}

function endpointsWhere(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  accept: typeof isReady,
): readonly Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const slice of slices) {
    const number = portNumber(slice, port);
    if (number === undefined) continue;
    for (const endpoint of slice.endpoints) {
      if (!accept(endpoint)) continue;
      // All addresses of an endpoint reach the same pod, and clients may use the first only (discovery.k8s.io/v1, Endpoint.addresses).
      // The addresses of an FQDN slice are names, which get no connections.
      const [address = ""] = endpoint.addresses;
      if (isIP(address) !== 0) {
        found.set(`${address} ${String(number)}`, [address, number]);
      }
    }
  }
  return [...found.values()].sort(byAddressAndPort);
}

function portNumber(slice: EndpointSlice, port: ServicePort): number | undefined {
  const entry = slicePorts(slice).get(portKey(port));
  if (entry === undefined) return undefined;
  // A port without a number stands for every port: then the Service's target port says which.
  return entry.port ?? (typeof port.targetPort === "number" ? port.targetPort : port.port);
}

const portKey = ({ name = "", protocol = "TCP" }: Pick<ServicePort, "name" | "protocol">): string =>
  `${protocol} ${name}`;

/** A slice may have thousands of ports, and so may a Service. */
const slicePorts = memoized(
  ({ ports }: EndpointSlice) =>
    new Map([...(ports ?? [])].reverse().map((each) => [portKey(each), each])),
);

/** An unknown condition counts as ready (EndpointConditions, discovery.k8s.io/v1). */
function isReady({ conditions }: EndpointSlice["endpoints"][number]): boolean {
  return conditions?.ready ?? true;
}

function isServingTerminating({ conditions }: EndpointSlice["endpoints"][number]): boolean {
  return conditions?.serving === true && conditions.terminating === true;
}

const byAddressAndPort = compareBy<Endpoint>(
  ([a], [b]) => compareStrings(a, b),
  ([, a], [, b]) => a - b,
);
