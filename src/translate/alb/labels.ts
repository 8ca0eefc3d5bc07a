/** Which ALB2 and Frontend the labels of a Frontend or Rule name, and which ones misspelt labels may mean. */
import type { Rule } from "../../api/alb.js";
import type { KubernetesObject } from "../../api/wire.js";
import type { Domains } from "../../model/options.js";
import { addTo, compareStrings, getOrInsert } from "../../support/collections.js";
import { isNear } from "../../support/did-you-mean.js";
import { own } from "../../support/json-object.js";
import type { AuthContext } from "../auth/auth-context.js";
import type { LoadBalancer } from "../load-balancer.js";

/** The name of the ALB2, in its own namespace, that a Frontend or Rule belongs to. */
export function albNameOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `alb2.${labels}/name`);
}

/** The name of the Frontend, in its own namespace, that a Rule belongs to. */
export function frontendNameOf(object: KubernetesObject, { labels }: Domains): string | undefined {
  return own(object.metadata.labels, `alb2.${labels}/frontend`);
}

/** Whether the origin's controller made the Rule from an Ingress. */
export function isGenerated({ metadata, spec: { source } }: Rule, { labels }: Domains): boolean {
  return [own(metadata.labels, `alb2.${labels}/source-type`), source?.type].includes("ingress");
}

/** Whether a label may mean the name: it is missing, or close to it (isNear) with the same number. */
export function mayName(label: string | undefined, name: string): boolean {
  return label === undefined || (isNear(label, name) && numberIn(label) === numberIn(name));
}

/** All its digits, without leading zeros. */
function numberIn(text: string): string {
  return text.replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** Listeners of a load balancer. */
export interface StrayPlace {
  readonly balancer: LoadBalancer;
  /** The same list for all Rules with the same labels, so what is derived from it is derived once. */
  readonly listeners: readonly string[];
}

/** A port of a Frontend that Rules may name. */
interface NamedPort {
  readonly balancer: LoadBalancer;
  readonly alb: string;
  readonly frontend: string;
  readonly listener: string;
}

/** How many names with the same number a misspelt one is compared with. Where Frontends are numbered, each ALB2 has one of them. */
const MOST_NAMES = 100;

/** Finds where Rules may belong whose labels name no Frontend. Their hosts and paths are closed there. */
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

  of(rule: Rule): readonly StrayPlace[] {
    const { namespace } = rule.metadata;
    const [alb, frontend] = [albNameOf(rule, this.#domains), frontendNameOf(rule, this.#domains)];
    return getOrInsert(this.#places, JSON.stringify([namespace, alb, frontend]), () => {
      const byBalancer = new Map<LoadBalancer, string[]>();
      for (const port of this.#compared(namespace, frontend)) {
        const isNearBoth =
          this.#mayMean("ALB2", namespace, alb, port.alb) &&
          this.#mayMean("Frontend", namespace, frontend, port.frontend);
        if (isNearBoth) addTo(byBalancer, port.balancer, port.listener);
      }
      return Array.from(byBalancer, ([balancer, listeners]) => ({
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

  /** A label that names an existing object means that object only. */
  #mayMean(
    kind: "ALB2" | "Frontend",
    namespace: string,
    label: string | undefined,
    name: string,
  ): boolean {
    const names = label !== undefined && this.#resources.get(kind, namespace, label) !== undefined;
    return names ? label === name : mayName(label, name);
  }
}
