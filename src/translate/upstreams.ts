/**
 * Endpoints of the Service ports that routing asked for. They change all the time and decide nothing else, so they are looked up
 * after all else, and only where the slices of a Service have changed.
 */
import type { EndpointSlice } from "../api/core.js";
import type { Resources } from "../input/resources.js";
import type { Upstream } from "../ir/upstream.js";
import { sameElements } from "../support/same-elements.js";
import type { UpstreamPlan } from "./backends.js";
import { serviceEndpoints } from "./endpoints.js";

interface Known {
  readonly port: UpstreamPlan["port"];
  readonly slices: readonly EndpointSlice[];
  readonly upstream: Upstream;
}

const NONE: readonly EndpointSlice[] = [];

/** Remembers what it gave last: an upstream whose Service port and slices are the same objects is the same object. */
export class Upstreams {
  #plans: readonly UpstreamPlan[] = [];
  #known: readonly Known[] = [];
  #last: readonly Upstream[] = [];

  /** In the order of the plans; the same list when nothing has changed. */
  resolve(
    plans: readonly UpstreamPlan[],
    resources: Pick<Resources, "endpointSlices">,
  ): readonly Upstream[] {
    const before = plans === this.#plans ? this.#known : this.#knownOf(plans);
    const known = plans.map((plan, i) => resolved(plan, before[i], resources));
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
): Known {
  const slices = port === undefined ? NONE : resources.endpointSlices(namespace, service);
  if (known?.port === port && known !== undefined && sameElements(known.slices, slices)) {
    return known;
  }
  const endpoints = port === undefined ? [] : serviceEndpoints(slices, port);
  return { port, slices, upstream: { id, endpoints } };
}
