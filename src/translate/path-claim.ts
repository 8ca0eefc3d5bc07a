import type { KubernetesObject } from "../api/wire.js";
import type { HostPattern } from "../model/host-pattern.js";
import type { RouteBinding } from "../model/route.js";
import type { Place } from "./place.js";
import type { Specificity } from "./precedence.js";

/** What a Rule or an Ingress wants to be bound. */
export interface Claim extends Omit<RouteBinding, "order" | "when" | "at"> {
  readonly listener: string;
  /** Distinct. Claims of one object for the same hosts have the very same list: what is done for each host is then done once. */
  readonly hosts: readonly HostPattern[];
  readonly object: KubernetesObject;
  /** Inside the object, such as rule and path index. */
  readonly position: readonly number[];
  /** Of a Rule, or see origin-annotations.ts; absent: that of every Ingress. */
  readonly priority?: number;
  readonly specificity: Specificity;
  readonly when?: RouteBinding["when"];
  /** Of a path, which no other should hide. */
  readonly place?: Place;
}

/** A claim for some or all of its hosts, and the text by which it is tried there. */
export interface OrderedClaim {
  readonly claim: Claim;
  readonly at: RouteBinding["at"];
  readonly order: string;
}
