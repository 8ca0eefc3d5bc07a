import { hostKey } from "../../ir/host-pattern.js";
import type { PathMatch } from "../../ir/match.js";
import type { RouteBinding } from "../../ir/route.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { BuildContext } from "../build-context.js";
import type { LoadBalancer } from "../load-balancer.js";
import type { Place } from "../place.js";
import type { Specificity } from "../precedence.js";
import { INGRESS_PRIORITY, orderKey } from "../precedence.js";
import type { Ordered } from "./namespace-order.js";
import { orderOf } from "./namespace-order.js";

/** A binding whose order depends on the others of its namespace. */
export interface Claim extends Omit<RouteBinding, "order" | "when"> {
  readonly object: KubernetesObject;
  /** Inside the object, such as rule and path index. */
  readonly position: readonly number[];
  /** See origin-annotations.ts; absent: that of every Ingress. */
  readonly priority?: number;
  /** Inside the namespace. */
  readonly specificity: Specificity;
  /** Between namespaces; absent: the same. */
  readonly claim?: Specificity;
  /** What every path that it matches begins with. */
  readonly literal: string;
  /** Of a path, which no other should have. */
  readonly place?: Place;
}

type Keyed = Claim & Ordered;

/** Gathers the bindings of Ingresses, orders them, and reports paths that an earlier one for the same host and path hides. */
export class IngressBindings {
  readonly #claims: Keyed[] = [];
  readonly #context: BuildContext;
  readonly #prioritised: ReadonlySet<string>;

  constructor({ alb }: LoadBalancer, context: BuildContext) {
    this.#context = context;
    // Rules in the namespace of an ALB2 have priorities, too.
    const own = alb === undefined ? [] : [alb.metadata.namespace];
    this.#prioritised = new Set([...context.options.ingressPriorityNamespaces, ...own]);
  }

  add(claim: Claim): void {
    const { object, position, specificity, priority = INGRESS_PRIORITY } = claim;
    const { metadata } = object;
    const { namespace } = metadata;
    const rank = { class: "rule" as const, metadata, position };
    this.#claims.push({
      ...claim,
      namespace,
      inner: orderKey({ ...rank, priority, specificity }),
      outer: orderKey({
        ...rank,
        priority: this.#prioritised.has(namespace) ? priority : INGRESS_PRIORITY,
        specificity: claim.claim ?? specificity,
      }),
    });
  }

  bindAll(): void {
    const orders = orderOf(this.#claims);
    const first = new Map<string, Keyed>();
    const orderOfClaim = (claim: Keyed): string => orders.get(claim) ?? claim.outer;
    for (const claim of this.#claims) {
      const { listener, host, path, route } = claim;
      const order = orderOfClaim(claim);
      this.#context.config.bind({ listener, host, path, when: [], order, route });
      if (claim.place === undefined) continue;
      const known = first.get(placeKey(claim));
      if (known === undefined || order < orderOfClaim(known)) first.set(placeKey(claim), claim);
    }
    for (const claim of this.#claims) {
      const winner = first.get(placeKey(claim));
      if (winner !== undefined && winner !== claim) this.#reportHidden(claim, winner);
    }
  }

  #reportHidden({ place }: Keyed, { object: { metadata } }: Keyed): void {
    if (place === undefined) return;
    const message = `Ingress ${metadata.namespace}/${metadata.name} has the same host and path, and comes first`;
    this.#context.diagnostics.report({ code: "INGRESS_PATH_SHADOWED", message, ...place });
  }
}

function placeKey({ listener, host, path }: Claim): string {
  return `${listener}|${hostKey(host)}|${path.kind}|${pathValue(path)}`;
}

function pathValue(path: PathMatch): string {
  if (path.kind === "any") return "";
  return path.kind === "regex" ? path.pattern : path.value;
}
