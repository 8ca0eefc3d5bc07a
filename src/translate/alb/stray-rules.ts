/** Rules that name no Frontend, because a label is missing or misspelt: wherever they may belong, what they are for is closed. */
import type { Rule } from "../../api/alb.js";
import type { Domains } from "../../model/options.js";
import { addTo, compareStrings, getOrInsert } from "../../support/collections.js";
import type { AuthContext } from "../auth/auth-policies.js";
import type { LoadBalancer } from "../load-balancer.js";
import { albNameOf, frontendNameOf, mayName, numberIn } from "./alb-settings.js";

/** Listeners of a load balancer. */
export interface StrayPlace {
  readonly balancer: LoadBalancer;
  /** The same list for all Rules with the same labels: what is made for each listener then is made once. */
  readonly listeners: readonly string[];
}

/** A port of a Frontend that Rules may name. */
interface NamedPort {
  readonly balancer: LoadBalancer;
  readonly alb: string;
  readonly frontend: string;
  readonly listener: string;
}

/** Names with the same number that a misspelt one is compared with. Where people number their Frontends there is one for each ALB2. */
const MOST_NAMES = 100;

export class StrayRules {
  /** By namespace, then by the number in the Frontend's name. */
  readonly #ports = new Map<string, Map<string, NamedPort[]>>();
  readonly #places = new Map<string, readonly StrayPlace[]>();
  readonly #resources: AuthContext["resources"];
  readonly #domains: Domains;

  constructor(
    balancers: readonly LoadBalancer[],
    { resources, options }: Pick<AuthContext, "resources" | "options">,
  ) {
    this.#resources = resources;
    this.#domains = options.domains;
    for (const balancer of balancers) {
      const { alb, ports } = balancer;
      for (const { frontend, listener } of ports) {
        if (alb === undefined || frontend === undefined) continue;
        const { namespace, name } = frontend.metadata;
        const numbered = getOrInsert(this.#ports, namespace, () => new Map<string, NamedPort[]>());
        const port = { alb: alb.metadata.name, frontend: name, listener, balancer };
        addTo(numbered, numberIn(name), port);
      }
    }
  }

  /** Where a Rule without a Frontend of its own may belong. */
  of(rule: Rule): readonly StrayPlace[] {
    const { namespace } = rule.metadata;
    const [alb, frontend] = [albNameOf(rule, this.#domains), frontendNameOf(rule, this.#domains)];
    return getOrInsert(this.#places, JSON.stringify([namespace, alb, frontend]), () => {
      const near = this.#compared(namespace, frontend).filter(
        (port) =>
          this.#mayBe("ALB2", namespace, alb, port.alb) &&
          this.#mayBe("Frontend", namespace, frontend, port.frontend),
      );
      const byBalancer = new Map<LoadBalancer, string[]>();
      for (const { balancer, listener } of near) addTo(byBalancer, balancer, listener);
      return [...byBalancer].map(([balancer, listeners]) => ({
        balancer,
        listeners: listeners.sort(compareStrings),
      }));
    });
  }

  #compared(namespace: string, frontend: string | undefined): readonly NamedPort[] {
    const numbered = this.#ports.get(namespace);
    if (frontend === undefined) return [...(numbered?.values() ?? [])].flat();
    return numbered?.get(numberIn(frontend))?.slice(0, MOST_NAMES) ?? [];
  }

  /** A label that names an object means it. */
  #mayBe(
    kind: "ALB2" | "Frontend",
    namespace: string,
    label: string | undefined,
    name: string,
  ): boolean {
    const names = label !== undefined && this.#resources.get(kind, namespace, label) !== undefined;
    return names ? label === name : mayName(label, name);
  }
}
