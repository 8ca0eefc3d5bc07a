import type {
  Gateway,
  GrpcRoute,
  HttpRoute,
  ListenerSet,
  ParentReference,
} from "../../../api/gateway.js";
import type { RoutingResources } from "../../../input/resources.js";
import { GATEWAY_GROUP } from "../model.js";
import type { GatewayState, ListenerState } from "../model.js";

/** What a parentRef names. */
export type Parent =
  /** A Service: routes of a mesh are not served. */
  | { readonly kind: "mesh" }
  /** Nothing of ours: another controller's, or not there. */
  | { readonly kind: "foreign" }
  | GatewayParent;

/** A Gateway of ours, or a ListenerSet of one. */
export interface GatewayParent {
  readonly kind: "gateway";
  readonly gateway: Gateway;
  /** Such as `Gateway default/gw`. */
  readonly title: string;
  readonly accepted: boolean;
  /** The parent's own, in order. */
  readonly listeners: readonly ListenerState[];
}

/** Finds what parentRefs name; built once for all routes. */
export class Parents {
  readonly #resources: RoutingResources;
  readonly #states = new Map<string, GatewayState>();
  /** By the object that the listener stands in. */
  readonly #listeners = new Map<string, ListenerState[]>();

  readonly #defaults: readonly GatewayParent[];

  constructor(states: readonly GatewayState[], resources: RoutingResources) {
    this.#resources = resources;
    for (const state of states) {
      this.#states.set(titleOf(state.gateway), state);
      for (const listener of state.listeners) {
        const title = titleOf(listener.parent);
        const listeners = this.#listeners.get(title);
        if (listeners === undefined) this.#listeners.set(title, [listener]);
        else listeners.push(listener);
      }
    }
    this.#defaults = states
      .filter(({ gateway }) => gateway.spec.defaultScope === "All")
      .map((state) => this.#gatewayParent({ object: state.gateway, state }));
  }

  /** Gateways for routes that ask for a default one. */
  get defaults(): readonly GatewayParent[] {
    return this.#defaults;
  }

  find(route: HttpRoute | GrpcRoute, reference: ParentReference): Parent {
    const { group = GATEWAY_GROUP, kind = "Gateway", name } = reference;
    const namespace = reference.namespace ?? route.metadata.namespace;
    if (group === "" && kind === "Service") return { kind: "mesh" };
    if (group !== GATEWAY_GROUP) return { kind: "foreign" };
    const found = this.#owner(kind, namespace, name);
    return found === undefined ? { kind: "foreign" } : this.#gatewayParent(found);
  }

  #gatewayParent({ object, state }: Owner): GatewayParent {
    const { gateway } = state;
    const title = titleOf(object);
    const listeners = this.#listeners.get(title) ?? [];
    // A ListenerSet that its Gateway does not allow has none of its listeners there.
    const accepted = state.accepted && (object === gateway || listeners.length > 0);
    return { kind: "gateway", gateway, title, accepted, listeners };
  }

  /** The parent itself, and the Gateway that it is or that its listeners join. */
  #owner(kind: string, namespace: string, name: string): Owner | undefined {
    if (kind === "Gateway") {
      const state = this.#states.get(title("Gateway", namespace, name));
      return state && { object: state.gateway, state };
    }
    if (kind !== "ListenerSet") return undefined;
    const set = this.#resources.get("ListenerSet", namespace, name);
    if (set === undefined) return undefined;
    const { name: gateway, namespace: other = namespace } = set.spec.parentRef;
    const state = this.#states.get(title("Gateway", other, gateway));
    return state && { object: set, state };
  }
}

interface Owner {
  readonly object: Gateway | ListenerSet;
  readonly state: GatewayState;
}

function titleOf({ kind, metadata }: Gateway | ListenerSet): string {
  return title(kind, metadata.namespace, metadata.name);
}

function title(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
