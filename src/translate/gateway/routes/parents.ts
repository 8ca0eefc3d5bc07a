import type { Gateway, ListenerSet, ParentReference } from "../../../api/gateway.js";
import { GATEWAY_GROUP } from "../../../api/wire.js";
import { hostKey } from "../../../model/values.js";
import { addTo, getOrInsert } from "../../../support/collections.js";
import type { TranslateContext } from "../../context.js";
import { nameOf } from "../../place.js";
import { type ObjectName, objectKey } from "../../keys.js";
import type { AttachableRoute, GatewayState, ListenerState } from "../model.js";

/** A Gateway of ours, or a ListenerSet of one. */
export interface Parent {
  readonly gateway: Gateway;
  /** Such as `Gateway default/gw`. */
  readonly title: string;
  readonly accepted: boolean;
  readonly body: GatewayState["body"];
  /** Id of the certificate that the Gateway shows to backends. */
  readonly clientCertificate: string | undefined;
  /** The object's own, in order. */
  readonly listeners: readonly ListenerState[];
}

/** Why a parentRef has no parent: it names a Service, an object of another controller, or no object. */
type NoParent = "mesh" | "foreign" | "missing";

/** A listener by its object, such as `Gateway default/gw`, and its position there. */
export interface ListenerPlace {
  readonly parent: string;
  readonly index: number;
}

/** The status of a route has room for this many parents (Gateway API, RouteStatus.parents). */
const MOST_DEFAULTS = 32;

/** Finds the parents that parentRefs name; one for all routes. */
export class Parents {
  readonly #context: Pick<TranslateContext, "resources">;
  /** By key. */
  readonly #states: ReadonlyMap<string, GatewayState>;
  readonly #listeners = new Map<string, ListenerState[]>();
  readonly #parents = new Map<string, Parent | NoParent>();
  /** Gateways for routes that ask for default ones. */
  readonly defaults: readonly Parent[];

  constructor(states: readonly GatewayState[], context: Pick<TranslateContext, "resources">) {
    this.#context = context;
    this.#states = new Map(states.map((state) => [nameOf(state.gateway), state]));
    for (const listener of states.flatMap(({ listeners }) => listeners)) {
      addTo(this.#listeners, nameOf(listener.parent), listener);
    }
    this.defaults = states
      .filter(({ gateway }) => gateway.spec.defaultScope === "All")
      .slice(0, MOST_DEFAULTS)
      .map((state) => this.#parentOf(state.gateway, state));
  }

  find(route: AttachableRoute, reference: ParentReference): Parent | NoParent {
    const { group = GATEWAY_GROUP, kind = "Gateway", name } = reference;
    const { namespace = route.metadata.namespace } = reference;
    if (group === "" && kind === "Service") return "mesh";
    return group === GATEWAY_GROUP ? this.#parent({ kind, namespace, name }) : "foreign";
  }

  #parent(object: ObjectName): Parent | NoParent {
    return getOrInsert(this.#parents, objectKey(object), () => this.#found(object));
  }

  #found({ kind, namespace, name }: ObjectName): Parent | NoParent {
    // Objects of other kinds are not read, so they may exist.
    if (kind !== "Gateway" && kind !== "ListenerSet") return "foreign";
    const object = this.#context.resources.get(kind, namespace, name);
    if (object === undefined) return "missing";
    const state = this.#states.get(gatewayTitle(object));
    return state === undefined ? "foreign" : this.#parentOf(object, state);
  }

  #parentOf(object: Gateway | ListenerSet, state: GatewayState): Parent {
    const { gateway, body, clientCertificate } = state;
    const title = nameOf(object);
    const listeners = this.#listeners.get(title) ?? [];
    // The listeners of a ListenerSet that its Gateway does not allow are not among those of the Gateway.
    const accepted = state.accepted && (object.kind === "Gateway" || listeners.length > 0);
    return { gateway, title, accepted, body, clientCertificate, listeners };
  }

  placeOf(listener: ListenerState): ListenerPlace {
    const parent = nameOf(listener.parent);
    return { parent, index: this.#listeners.get(parent)?.indexOf(listener) ?? -1 };
  }

  /**
   * Everything that routes of the namespace `from` read of a parent, or, without `object`, of the default Gateways: equal texts mean equal
   * translations.
   */
  describe(from: string, object?: ObjectName): ParentFacts {
    if (object === undefined) {
      const all = this.defaults.map((each) => describedParent(each, from));
      return { text: JSON.stringify(all), listeners: [] };
    }
    const parent = this.#parent(object);
    return typeof parent === "string"
      ? { text: parent, listeners: [] }
      : describedParent(parent, from);
  }
}

interface ListenerFacts extends Pick<ListenerState, "name" | "hostname"> {
  readonly text: string;
}

/** `text`: everything but the listeners, of which it has the names. */
export interface ParentFacts {
  readonly text: string;
  readonly listeners: readonly ListenerFacts[];
}

/** The listeners that differ, before and now; undefined: more than that differs. */
export function changedListeners(
  before: ParentFacts,
  now: ParentFacts,
): readonly ListenerFacts[] | undefined {
  if (before.text !== now.text) return undefined;
  return before.listeners.flatMap((old, i) => {
    const listener = now.listeners[i];
    return listener === undefined || listener.text === old.text ? [] : [old, listener];
  });
}

/** The Gateway that the object is, or whose listeners the ListenerSet extends. */
function gatewayTitle(object: Gateway | ListenerSet): string {
  const { spec, metadata } = object;
  if (!("parentRef" in spec)) return nameOf(object);
  const { namespace = metadata.namespace, name } = spec.parentRef;
  return `Gateway ${namespace}/${name}`;
}

function describedParent(parent: Parent, from: string): ParentFacts {
  const { title, gateway, accepted, body, clientCertificate = "" } = parent;
  const listeners = parent.listeners.map((listener): ListenerFacts => {
    const { name, port, hostname, tls, kinds, serves, errorPages } = listener;
    const allows = listener.allowsNamespace(from);
    const closed = (listener.parent.closed ?? gateway.closed)?.message;
    const text = JSON.stringify([
      ...[port, hostKey(hostname), tls, kinds, allows, serves, errorPages, closed],
    ]);
    return { name, hostname, text };
  });
  const own = [title, nameOf(gateway), accepted, body, clientCertificate];
  return { text: JSON.stringify([own, listeners.map(({ name }) => name)]), listeners };
}
