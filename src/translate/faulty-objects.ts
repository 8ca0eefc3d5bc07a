/**
 * A bug of ours costs one object. Where translating throws, the object that makes it throw is looked for and closed; everything else is
 * translated as usual. Nothing is paid for it as long as nothing throws.
 */
import type { KindMap } from "../api/kinds.js";
import type { KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import type { RoutingKind, RoutingResources } from "../input/resources.js";
import { ROUTING_KINDS } from "../input/resources.js";
import { TooManyFaults } from "../support/too-many-faults.js";
import { resourceRef } from "./place.js";
import { internalError } from "./reasons.js";

/** What is closed in place of an object; undefined: there is nothing that could be. */
export type CloseObject = <K extends RoutingKind>(
  kind: K,
  object: KindMap[K],
) => KindMap[K] | undefined;

/**
 * More of them are no matter of single objects, and each costs some translations of everything. Then the error goes on to the caller:
 * what is served stays, and at the start nothing is.
 */
const MOST_FAULTY = 100;

/** Objects in their place; undefined: left out. */
type Replaced = ReadonlyMap<KubernetesObject, KubernetesObject | undefined>;

/** Translates the resources, less what makes it throw. Throws where no object is to blame. */
export function withoutFaulty<T>(
  resources: RoutingResources,
  close: CloseObject,
  translate: (resources: RoutingResources, faults: readonly Report[]) => T,
): T {
  const replaced = new Map<KubernetesObject, KubernetesObject | undefined>();
  const faults: Report[] = [];
  for (;;) {
    try {
      return translate(replacing(resources, replaced), faults);
    } catch (error: unknown) {
      const throws = (part: RoutingResources): boolean => !succeeds(() => translate(part, []));
      if (replaced.size >= MOST_FAULTY)
        throw new TooManyFaults(`translating more than ${String(MOST_FAULTY)} objects fails`, {
          cause: error,
        });
      const faulty = firstFaulty(resources, replaced, throws);
      if (faulty === undefined) throw error;
      const { kind, object } = faulty;
      if (!replaced.has(object))
        faults.push(internalError(resourceRef(object), "translating it", error));
      // Its closed form may throw, too: then it is left out.
      const isTried = replaced.has(object);
      replaced.set(object, undefined);
      if (!isTried) succeeds(() => replaced.set(object, close(kind, object)));
    }
  }
}

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

interface Entry<K extends RoutingKind = RoutingKind> {
  readonly kind: K;
  readonly object: KindMap[K];
}

/** The last of the shortest part of all objects that throws, found by halving. */
function firstFaulty(
  resources: RoutingResources,
  replaced: Replaced,
  throws: (part: RoutingResources) => boolean,
): Entry | undefined {
  const entries = ROUTING_KINDS.flatMap((kind): readonly Entry[] =>
    resources.list(kind).map((object) => ({ kind, object })),
  );
  const throwsWith = (count: number): boolean => {
    const left = new Map(entries.slice(count).map(({ object }) => [object, undefined] as const));
    return throws(replacing(resources, new Map([...replaced, ...left])));
  };
  let [fine, faulty] = [0, entries.length];
  while (faulty - fine > 1) {
    const middle = Math.floor((fine + faulty) / 2);
    if (throwsWith(middle)) faulty = middle;
    else fine = middle;
  }
  return entries[faulty - 1];
}

function replacing(resources: RoutingResources, replaced: Replaced): RoutingResources {
  if (replaced.size === 0) return resources;
  const inPlaceOf = <K extends RoutingKind>(object: KindMap[K]): KindMap[K] | undefined =>
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- CloseObject gives objects of the same kind
    replaced.has(object) ? (replaced.get(object) as KindMap[K] | undefined) : object;
  const lists = new Map<RoutingKind, unknown>();
  return {
    list: <K extends RoutingKind>(kind: K): readonly KindMap[K][] => {
      const list =
        lists.get(kind) ?? resources.list(kind).flatMap((each) => inPlaceOf<K>(each) ?? []);
      lists.set(kind, list);
      // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- made a line above
      return list as readonly KindMap[K][];
    },
    get: (kind, namespace, name) => {
      const object = resources.get(kind, namespace, name);
      return object && inPlaceOf<typeof kind>(object);
    },
    // What is left out counts as refused: it may be an auth that others count on.
    refused: [...resources.refused, ...leftOut(replaced)],
  };
}

function leftOut(replaced: Replaced): readonly ResourceRef[] {
  return [...replaced].flatMap(([object, now]) => (now === undefined ? resourceRef(object) : []));
}
