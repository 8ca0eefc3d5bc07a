import type { RouteFilter } from "../../../api/gateway.js";
import type { BackendFilters } from "../../../model/filters.js";
import type { Refusal } from "../../../model/upstream.js";
import type { Place } from "../../place.js";
import { within } from "../../place.js";
import type { FilterScope } from "../rule-scope.js";

/** What the filters of a rule or a backendRef do. */
export interface FilterEffects extends BackendFilters {
  /** A filter can't be resolved: its requests are answered with this, since it must not be skipped. */
  readonly refuse?: Refusal;
}

/** A filter of a route, and what those before it do. */
export interface FilterStep {
  readonly filter: RouteFilter;
  readonly place: Place;
  readonly scope: FilterScope;
  readonly effects: FilterEffects;
}

/** A type of filter. index.ts has the list. */
export interface FilterType {
  readonly type: string;
  /** GRPCRoutes have it too. */
  readonly isForGrpc: boolean;
  /** A redirect answers before anything else is done, so what would have to come before it can't be done. */
  readonly isBesideRedirect: boolean;
  /** What it adds to the effects of those before it. */
  apply(step: FilterStep): FilterEffects;
}

interface Definition<K extends keyof RouteFilter> extends Partial<
  Pick<FilterType, "isForGrpc" | "isBesideRedirect">
> {
  readonly type: string;
  /** The field that belongs to the type. */
  readonly field: K;
  /** `place` is the field's, that of `step` the filter's. */
  apply(spec: NonNullable<RouteFilter[K]>, place: Place, step: FilterStep): FilterEffects;
}

/** A type of filter by what it does with its field. It is for HTTPRoutes alone, and can stand beside a redirect, unless told. */
export function filterType<K extends Exclude<keyof RouteFilter, "type">>(
  definition: Definition<K>,
): FilterType {
  const { field, isForGrpc = false, isBesideRedirect = true } = definition;
  return {
    type: definition.type,
    isForGrpc,
    isBesideRedirect,
    apply(step) {
      const spec = step.filter[field];
      if (spec !== undefined) return definition.apply(spec, within(step.place, field), step);
      step.scope.problems.unsupported(`a filter of this type needs ${field}`, step.place);
      return {};
    },
  };
}
