/**
 * Endpoints of the Service ports that routing asked for. They change all the time and decide nothing else, so they are looked up
 * after all else, and only where the slices of a Service have changed.
 */
import type { EndpointSlice } from "../api/wire.js";
import type { Report } from "../diagnostics/sink.js";
import type { Resources } from "../input/resources.js";
import type { Endpoint, Upstream } from "../model/upstream.js";
import { memoized, sameElements } from "../support/collections.js";
import type { UpstreamPlan } from "./backends.js";
import type { HealthAddress } from "./endpoints.js";
import { isOwnPort, serviceEndpoints } from "./endpoints.js";
import { placeOf } from "./place.js";
import { internalError } from "./reasons.js";
import { MOST_ENDPOINTS, UNCOUNTED_PORTS } from "./size-limits.js";

interface Known {
  readonly port: UpstreamPlan["port"];
  readonly slices: readonly EndpointSlice[];
  readonly share: Share;
  readonly upstream: Upstream;
  readonly reports: readonly Report[];
}

/** Whether a port gets endpoints; of those that don't, the first is reported. */
type Share = "served" | "first refused" | "refused";

const NONE: readonly EndpointSlice[] = [];

/** How many ports of a Service with these slices get endpoints. */
const mostPorts = memoized((slices: readonly EndpointSlice[]) => {
  try {
    const size = slices.reduce((sum, { endpoints }) => sum + 1 + endpoints.length, 0);
    return Math.max(UNCOUNTED_PORTS, Math.floor(MOST_ENDPOINTS / size));
  } catch {
    // Looking the endpoints up fails in the same way, and is reported.
    return UNCOUNTED_PORTS;
  }
});

/** Remembers what it gave last: an upstream whose Service port and slices are the same objects is the same object. */
export class Upstreams {
  #plans: readonly UpstreamPlan[] = [];
  #known: readonly Known[] = [];
  #last: readonly Upstream[] = [];

  /** What is wrong with endpoints of the upstreams that were resolved last. */
  get reports(): readonly Report[] {
    return this.#known.flatMap(({ reports }) => reports);
  }

  /** In the order of the plans; the same list when nothing has changed. `health` never changes while albc runs. */
  resolve(
    plans: readonly UpstreamPlan[],
    resources: Pick<Resources, "endpointSlices">,
    health: HealthAddress,
  ): readonly Upstream[] {
    const before = plans === this.#plans ? this.#known : this.#knownOf(plans);
    const shares = new Shares();
    const known = plans.map((plan, i) => {
      const { namespace, service, port } = plan;
      const slices = port === undefined ? NONE : resources.endpointSlices(namespace, service);
      return resolved(plan, before[i], { slices, share: shares.next(slices) }, health);
    });
    const upstreams = known.map(({ upstream }) => upstream);
    if (!sameElements(upstreams, this.#last)) this.#last = upstreams;
    this.#plans = plans;
    this.#known = known;
    return this.#last;
  }

  #knownOf(plans: readonly UpstreamPlan[]): readonly (Known | undefined)[] {
    const byId = new Map(this.#known.map((known) => [known.upstream.id, known]));
    return plans.map(({ id }) => byId.get(id));
  }
}

/** Counts the ports of each Service. */
class Shares {
  readonly #counts = new Map<readonly EndpointSlice[], number>();

  next(slices: readonly EndpointSlice[]): Share {
    if (slices.length === 0) return "served";
    const count = this.#counts.get(slices) ?? 0;
    this.#counts.set(slices, count + 1);
    const most = mostPorts(slices);
    if (count < most) return "served";
    return count === most ? "first refused" : "refused";
  }
}

function resolved(
  plan: UpstreamPlan,
  known: Known | undefined,
  { slices, share }: Pick<Known, "slices" | "share">,
  health: HealthAddress,
): Known {
  const { id, namespace, service, port } = plan;
  if (known?.port === port && known?.share === share && sameElements(known.slices, slices)) {
    return known;
  }
  const found = { port, slices, share };
  if (share !== "served") {
    const reports = share === "refused" ? [] : [tooLarge(plan, mostPorts(slices))];
    return { ...found, upstream: { id, endpoints: [] }, reports };
  }
  try {
    return { ...found, ...lookedUp(id, port, slices, health) };
  } catch (error: unknown) {
    const resource = { apiVersion: "v1", kind: "Service", namespace, name: service };
    const reports = [internalError(resource, "looking up its endpoints", error)];
    return { ...found, upstream: { id, endpoints: [] }, reports };
  }
}

function tooLarge({ id, namespace, service }: UpstreamPlan, most: number): Report {
  const message = `Service ${namespace}/${service} has so many endpoints that only ${most} of the ports that routes name get them: ${id} and the ports after it have none`;
  const resource = { apiVersion: "v1", kind: "Service", namespace, name: service };
  return { code: "SERVICE_TOO_LARGE", message, resource };
}

function lookedUp(
  id: string,
  port: UpstreamPlan["port"],
  slices: readonly EndpointSlice[],
  health: HealthAddress,
): Pick<Known, "upstream" | "reports"> {
  const all = port === undefined ? [] : serviceEndpoints(slices, port);
  const own = all.filter((endpoint) => isOwnPort(endpoint, health));
  const endpoints = own.length === 0 ? all : all.filter((endpoint) => !own.includes(endpoint));
  const reports = own.flatMap((endpoint) => ownPortReports(endpoint, slices));
  return { upstream: { id, endpoints }, reports };
}

function ownPortReports(
  [address, port]: Endpoint,
  slices: readonly EndpointSlice[],
): readonly Report[] {
  const message = `${address} with port ${String(port)} is the health address of albc`;
  return slices
    .filter(({ endpoints }) => endpoints.some(({ addresses }) => addresses.includes(address)))
    .map((slice) => ({ code: "ENDPOINT_REFUSED", message, ...placeOf(slice, "endpoints") }));
}
