import type { RouteContext, RoutePolicies } from "../rule-scope.js";
import { GATEWAY_GROUP } from "../../../api/wire.js";
import type { Gateway, ListenerSet, ParentReference } from "../../../api/gateway.js";
import type { ObjectMeta } from "../../../api/wire.js";
import { hostKey } from "../../../model/values.js";
import { addTo, memoized } from "../../../support/collections.js";
import type { TranslateContext } from "../../context.js";
import { nameOf } from "../../place.js";
import type { ObjectName } from "../keys.js";
import type { AlikeGateways, AttachableRoute, GatewayState, ListenerState } from "../model.js";
import { parametersFor } from "../parameters.js";

/** What a parentRef names. */
export type Parent =
  /** A Service: routes of a mesh are not served. */
  | { readonly kind: "mesh" }
  /** Nothing of ours: another controller's, or not there. */
  | { readonly kind: "foreign" | "missing" }
  | GatewayParent;

/** Names of AlikeGateways. */
export type GatewayNames = readonly Pick<ObjectMeta, "namespace" | "name">[];

/** What a route learns of a parent; the same of another translation's parents when the text is the same. */
export type DescribeParent = (parents: Parents) => string;

/** Where a listener stands: its parent, such as `Gateway default/gw`, and its place among the parent's. */
export interface ListenerPlace {
  readonly parent: string;
  readonly index: number;
}

/** A Gateway of ours, or a ListenerSet of one. */
export interface GatewayParent {
  readonly kind: "gateway";
  readonly gateway: Gateway;
  /** Such as `Gateway default/gw`. */
  readonly title: string;
  readonly accepted: boolean;
  /** Bytes that a request's body may have; 0: any number. */
  readonly bodyLimit: number;
  /** Id of the certificate that it shows to backends. */
  readonly clientCertificate: string | undefined;
  /** The parent's own, in order. */
  readonly listeners: readonly ListenerState[];
}

/** A route's status has room for so many parents (Gateway API, RouteStatus.parents). */
const MOST_DEFAULTS = 32;

/** Finds what parentRefs name; built once for all routes. */
export class Parents {
  readonly #context: Pick<TranslateContext, "resources" | "options">;
  readonly #states = new Map<string, GatewayState>();
  /** By the object that the listener stands in. */
  readonly #listeners = new Map<string, ListenerState[]>();
  readonly #bodyLimits = new Map<Gateway, number>();
  readonly #defaults: readonly GatewayParent[];

  constructor(
    states: readonly GatewayState[],
    context: Pick<TranslateContext, "resources" | "options">,
  ) {
    this.#context = context;
    for (const state of states) {
      this.#states.set(nameOf(state.gateway), state);
      this.#bodyLimits.set(state.gateway, parametersFor(state.gateway, context).bodyLimit);
      for (const listener of state.listeners) {
        addTo(this.#listeners, nameOf(listener.parent), listener);
      }
    }
    this.#defaults = states
      .filter(({ gateway }) => gateway.spec.defaultScope === "All")
      .slice(0, MOST_DEFAULTS)
      .map((state) => this.#gatewayParent({ object: state.gateway, state }));
  }

  /** Gateways for routes that ask for a default one. */
  get defaults(): readonly GatewayParent[] {
    return this.#defaults;
  }

  find(route: AttachableRoute, reference: ParentReference): Parent {
    const { group = GATEWAY_GROUP, kind = "Gateway", name } = reference;
    const namespace = reference.namespace ?? route.metadata.namespace;
    if (group === "" && kind === "Service") return { kind: "mesh" };
    if (group !== GATEWAY_GROUP) return { kind: "foreign" };
    return this.#parent(kind, namespace, name);
  }

  #parent(kind: string, namespace: string, name: string): Parent {
    const found = this.#owner(kind, namespace, name);
    if (found !== undefined) return this.#gatewayParent(found);
    return { kind: this.#isThere(kind, namespace, name) ? "foreign" : "missing" };
  }

  /** Gateways that `find` has found before. */
  readonly gateways = memoized((names: GatewayNames): AlikeGateways =>
    names.map((name) => this.#gateway(name)),
  );

  #gateway({ namespace, name }: GatewayNames[number]): Gateway {
    const state = this.#states.get(title("Gateway", namespace, name));
    if (state === undefined) throw new Error(`no Gateway ${namespace}/${name}`);
    return state.gateway;
  }

  /** The listener at the place that `placeOf` gave, perhaps of other Parents that describe its parent alike. */
  listenerAt({ parent, index }: ListenerPlace): ListenerState {
    const listener = this.#listeners.get(parent)?.[index];
    if (listener === undefined) throw new Error(`no listener ${String(index)} of ${parent}`);
    return listener;
  }

  placeOf(listener: ListenerState): ListenerPlace {
    const parent = nameOf(listener.parent);
    return { parent, index: this.#listeners.get(parent)?.indexOf(listener) ?? -1 };
  }

  /** All that routes of the namespace `from` learn of what they name as parent: while the text is the same, so is that. */
  describe({ kind, namespace, name }: ObjectName, from: string): string {
    const parent = this.#parent(kind, namespace, name);
    return parent.kind === "gateway" ? described(parent, from) : parent.kind;
  }

  /** The same of default Gateways. */
  describeDefaults(from: string): string {
    return this.#defaults.map((parent) => described(parent, from)).join();
  }

  #gatewayParent({ object, state }: Owner): GatewayParent {
    const { gateway } = state;
    const title = nameOf(object);
    const listeners = this.#listeners.get(title) ?? [];
    // A ListenerSet that its Gateway does not allow has none of its listeners there.
    const accepted = state.accepted && (object === gateway || listeners.length > 0);
    const bodyLimit = this.#bodyLimits.get(gateway) ?? 0;
    const { clientCertificate } = state;
    const own = { title, accepted, bodyLimit, clientCertificate, listeners };
    return { kind: "gateway", gateway, ...own };
  }

  /** Of kinds that are not read, it may be. */
  #isThere(kind: string, namespace: string, name: string): boolean {
    if (kind !== "Gateway" && kind !== "ListenerSet") return true;
    return this.#context.resources.get(kind, namespace, name) !== undefined;
  }

  /** The parent itself, and the Gateway that it is or that its listeners join. */
  #owner(kind: string, namespace: string, name: string): Owner | undefined {
    if (kind === "Gateway") {
      const state = this.#states.get(title("Gateway", namespace, name));
      return state && { object: state.gateway, state };
    }
    if (kind !== "ListenerSet") return undefined;
    const set = this.#context.resources.get("ListenerSet", namespace, name);
    if (set === undefined) return undefined;
    const { name: gateway, namespace: other = namespace } = set.spec.parentRef;
    const state = this.#states.get(title("Gateway", other, gateway));
    return state && { object: set, state };
  }
}

function described(parent: GatewayParent, from: string): string {
  const { title, gateway, accepted, bodyLimit, clientCertificate = "" } = parent;
  const listeners = parent.listeners.map((listener) => [
    ...[listener.name, listener.port, hostKey(listener.hostname), listener.tls, listener.kinds],
    ...[listener.allowsNamespace(from), listener.serves],
  ]);
  const own = [nameOf(gateway), accepted, bodyLimit, clientCertificate];
  return JSON.stringify([title, ...own, listeners]);
}

interface Owner {
  readonly object: Gateway | ListenerSet;
  readonly state: GatewayState;
}

function title(kind: string, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}

/** What routes are translated with. */
export interface RouteSurroundings {
  readonly parents: Parents;
  readonly policies: RoutePolicies;
  readonly context: RouteContext;
}
