/**
 * Endpoints of the Service ports that routing asked for. They change all the time and decide nothing else, so they are looked up
 * after all else, and only where the slices of a Service have changed.
 */
import type { EndpointSlice } from "../api/core.js";
import type { Resources } from "../input/resources.js";
import type { Endpoint, Upstream } from "../ir/upstream.js";
import { sameElements } from "../support/same-elements.js";
import type { UpstreamPlan } from "./backends.js";
import { serviceEndpoints } from "./endpoints.js";

interface Known {
  readonly plan: UpstreamPlan;
  readonly slices: readonly EndpointSlice[];
  readonly upstream: Upstream;
}

const NONE: readonly EndpointSlice[] = [];

/** Remembers what it gave last: an upstream whose Service port and slices are the same objects is the same object. */
export class Upstreams {
  #known = new Map<string, Known>();
  #last: readonly Upstream[] = [];

  /** In the order of the plans; the same list when nothing has changed. */
  resolve(
    plans: readonly UpstreamPlan[],
    resources: Pick<Resources, "endpointSlices">,
  ): readonly Upstream[] {
    const known = plans.map((plan) => this.#look(plan, resources));
    const upstreams = known.map(({ upstream }) => upstream);
    if (sameElements(upstreams, this.#last)) return this.#last;
    this.#known = new Map(known.map((entry) => [entry.plan.id, entry]));
    this.#last = upstreams;
    return upstreams;
  }

  #look(plan: UpstreamPlan, resources: Pick<Resources, "endpointSlices">): Known {
    const { id, namespace, service, port } = plan;
    const slices = port === undefined ? NONE : resources.endpointSlices(namespace, service);
    const known = this.#known.get(id);
    if (known?.plan.port === port && known !== undefined && sameElements(known.slices, slices)) {
      return known;
    }
    const endpoints: readonly Endpoint[] = port === undefined ? [] : serviceEndpoints(slices, port);
    return { plan, slices, upstream: { id, endpoints } };
  }
}
