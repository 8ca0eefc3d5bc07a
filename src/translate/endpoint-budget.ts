/**
 * Namespaces share the bytes of endpoints, in policy.json as in the file of the endpoints of streams: a quarter of the option policySize
 * (support/shares.ts). A Service without a share has no endpoints.
 */
import type { Report } from "../diagnostics/sink.js";
import type { Resources } from "../input/resources.js";
import type { CompileOptions } from "../model/options.js";
import type { Upstream } from "../model/upstream.js";
import { type Difference, compareIds, groupBy, memoized } from "../support/collections.js";
import { shareOut } from "../support/shares.js";
import type { UpstreamPlan } from "./backends.js";
import { Sum, usedUpKib } from "./policy-weight.js";

/** Upstreams without endpoints cost the objects that name them: see policy-weight.ts. */
const weightOf = memoized(({ id, endpoints }: Upstream): number =>
  endpoints.length === 0
    ? 0
    : endpoints.reduce((sum, [address]) => sum + address.length + 12, id.length + 30),
);

export class EndpointBudget {
  readonly #sum = new Sum<Upstream>(weightOf, compareIds);

  /** What replaces upstreams. `plans` are those of the upstreams. */
  share(
    upstreams: readonly Upstream[],
    plans: readonly UpstreamPlan[],
    resources: Pick<Resources, "get">,
    { policySize }: Pick<CompileOptions, "policySize">,
  ): { readonly changes: readonly Difference<Upstream>[]; readonly reports: readonly Report[] } {
    const whole = policySize / 4;
    if (this.#sum.of(upstreams) <= whole) return { changes: [], reports: [] };
    const services = new Map(plans.map((plan) => [plan.id, serviceOf(plan, resources)]));
    const claims = upstreams.flatMap((upstream) => {
      const [size, owner] = [weightOf(upstream), services.get(upstream.id)];
      return size === 0 || owner === undefined
        ? []
        : [{ owner, place: upstream.id, size, upstream }];
    });
    const { kept, used } = shareOut(claims, whole);
    const lost = claims.filter(({ place }) => !kept.has(place));
    const reports = [...groupBy(lost, ({ owner }) => owner).entries()].map(
      ([owner, own]): Report => {
        const { kind, metadata } = owner;
        const size = own.reduce((sum, claim) => sum + claim.size, 0);
        const shares = { used: used(metadata.namespace), size, whole };
        return {
          code: "POLICY_OVER_BUDGET",
          message: `${usedUpKib("endpoints", owner, shares)}, so it has no endpoints`,
          resource: { apiVersion: "v1", kind, namespace: metadata.namespace, name: metadata.name },
        };
      },
    );
    const changes = lost.map(({ upstream: before }) => {
      return { before, now: { id: before.id, endpoints: [] } };
    });
    return { changes, reports };
  }
}

/** The Service may not exist: its slices do. */
function serviceOf({ namespace, service: name }: UpstreamPlan, resources: Pick<Resources, "get">) {
  return (
    resources.get("Service", namespace, name) ?? { kind: "Service", metadata: { namespace, name } }
  );
}
