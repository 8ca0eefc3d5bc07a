/**
 * Endpoints of the Service ports that routing asked for. They change all the time and decide nothing else, so they are looked up
 * after all else, and only where the slices of a Service have changed.
 */
import type { EndpointSlice } from "../api/core.js";
import type { Report } from "../diagnostics/sink.js";
import type { Resources } from "../input/resources.js";
import type { Endpoint, Upstream } from "../ir/upstream.js";
import { sameElements } from "../support/same-elements.js";
import type { UpstreamPlan } from "./backends.js";
import type { HealthAddress } from "./endpoints.js";
import { isOwnPort, serviceEndpoints } from "./endpoints.js";
import { placeOf } from "./place.js";

interface Known {
  readonly port: UpstreamPlan["port"];
  readonly slices: readonly EndpointSlice[];
  readonly upstream: Upstream;
  readonly reports: readonly Report[];
}

const NONE: readonly EndpointSlice[] = [];

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
    const known = plans.map((plan, i) => resolved(plan, before[i], resources, health));
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

function resolved(
  { id, namespace, service, port }: UpstreamPlan,
  known: Known | undefined,
  resources: Pick<Resources, "endpointSlices">,
  health: HealthAddress,
): Known {
  const slices = port === undefined ? NONE : resources.endpointSlices(namespace, service);
  if (known?.port === port && known !== undefined && sameElements(known.slices, slices)) {
    return known;
  }
  const all = port === undefined ? [] : serviceEndpoints(slices, port);
  const own = all.filter((endpoint) => isOwnPort(endpoint, health));
  const endpoints = own.length === 0 ? all : all.filter((endpoint) => !own.includes(endpoint));
  const reports = own.flatMap((endpoint) => ownPortReports(endpoint, slices));
  return { port, slices, upstream: { id, endpoints }, reports };
}

function ownPortReports(
  { address, port }: Endpoint,
  slices: readonly EndpointSlice[],
): readonly Report[] {
  const message = `${address} with port ${String(port)} is the health address of albc`;
  return slices
    .filter(({ endpoints }) => endpoints.some(({ addresses }) => addresses.includes(address)))
    .map((slice) => ({ code: "ENDPOINT_REFUSED", message, ...placeOf(slice, "endpoints") }));
}
