import type { Backend, BackendFilters, Mirror, Refusal } from "../../model/upstream.js";
import { memoized } from "../../support/memoized.js";
import { filled, given, present } from "../../support/fields.js";
import type { PolicyBackend, PolicyBackendFilters, PolicyMirror } from "./policy-document.js";

export function policyRefusal({ status, reason }: Refusal): readonly [number, string] {
  return [status, reason];
}

/** A rule has one list on all listeners, whatever auth it inherits there. */
export const policyBackends = memoized((backends: readonly Backend[]) =>
  backends.map(policyBackend),
);

function policyBackend(backend: Backend): PolicyBackend {
  return {
    ...present("upstream", backend.upstream),
    weight: backend.weight,
    protocol: backend.protocol,
    ...present("refuse", given(backend.refusal, policyRefusal)),
    ...present("tls", backend.tls),
    ...present("filters", given(backend.filters, policyBackendFilters)),
  };
}

/** Nothing for filters that do nothing. */
function policyBackendFilters(filters: BackendFilters): PolicyBackendFilters | undefined {
  const shard: PolicyBackendFilters = {
    ...present("redirect", filters.redirect),
    ...present("cors", filters.cors),
    ...filled("auth", filters.auth),
    ...present("rewrite", filters.rewrite),
    ...present("host", filters.upstreamHost),
    ...present("requestHeaders", filters.requestHeaders),
    ...present("responseHeaders", filters.responseHeaders),
    ...filled("mirrors", filters.mirrors?.map(policyMirror)),
  };
  return Object.keys(shard).length === 0 ? undefined : shard;
}

export function policyMirror(mirror: Mirror): PolicyMirror {
  return {
    upstream: mirror.upstream,
    protocol: mirror.protocol,
    ...present("tls", mirror.tls),
    numerator: mirror.numerator,
    denominator: mirror.denominator,
  };
}
