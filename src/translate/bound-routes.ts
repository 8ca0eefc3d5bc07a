import type { BindingPlaces, Route, RouteBinding } from "../model/route.js";
import { getOrInsert } from "../support/collections.js";

/** Routes, each once, and where they are bound. */
export class BoundRoutes {
  readonly #routes = new Map<string, Route>();
  readonly #bindings: RouteBinding[] = [];

  get routes(): Iterable<Route> {
    return this.#routes.values();
  }

  get bindings(): readonly RouteBinding[] {
    return this.#bindings;
  }

  route(id: string): Route | undefined {
    return this.#routes.get(id);
  }

  /**
   * Adds a route and gives the id it got. Ports and listeners may inherit differently, so the same rule can give different routes
   * on two of them: then the later one is `<id>@<place>`.
   */
  addRoute(route: Route, place: number | string): string {
    const existing = this.#routes.get(route.id);
    if (existing === undefined || existing === route || isEqual(existing, route)) {
      if (existing === undefined) this.#routes.set(route.id, route);
      return route.id;
    }
    const id = `${route.id}@${place}`;
    this.#routes.set(id, { ...route, id });
    return id;
  }

  bind(binding: RouteBinding): void {
    this.#bindings.push(binding);
  }
}

/** Those of the listeners that are kept. */
export function onListeners(
  bindings: readonly RouteBinding[],
  isKept: (listener: string) => boolean,
): readonly RouteBinding[] {
  const kept = new Map<RouteBinding["at"], RouteBinding["at"]>();
  return bindings.flatMap((binding) => {
    const { at } = binding;
    if (at.every(({ listeners }) => listeners.every(isKept))) return [binding];
    const places = getOrInsert(kept, at, () => placesOn(at, isKept));
    return places.length === 0 ? [] : [{ ...binding, at: places }];
  });
}

function placesOn(
  at: readonly BindingPlaces[],
  isKept: (listener: string) => boolean,
): readonly BindingPlaces[] {
  return at
    .map(({ listeners, hosts }) => ({ listeners: listeners.filter(isKept), hosts }))
    .filter(({ listeners }) => listeners.length > 0);
}

/** Routes are plain data whose fields are written in one order. */
function isEqual(a: Route, b: Route): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
