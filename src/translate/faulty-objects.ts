/**
 * A bug in albc costs one object. If translating throws, the objects that make it throw are searched and closed; everything else is
 * translated as usual. Nothing is paid for it as long as nothing throws.
 */
import type { KindMap } from "../api/kinds.js";
import type { Closed, KubernetesObject } from "../api/wire.js";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/sink.js";
import {
  BY_KIND,
  type Entry,
  ROUTING_KINDS,
  type RoutingKind,
  type RoutingResources,
  entriesOf,
  grantsIn,
} from "../input/resources.js";
import type { RefusedObject } from "../model/options.js";
import { getOrInsert } from "../support/collections.js";
import { TooManyFaults } from "../support/errors.js";
import { failingAmong, searched } from "../support/halving.js";
import { resourceRef } from "./place.js";
import { internalError } from "./reasons.js";

/** Returns a closed object to use in place of an object; undefined: no form of it can be closed. */
type CloseObject = <K extends RoutingKind>(
  kind: K,
  object: KindMap[K],
  reason: Pick<Closed, "what" | "message">,
) => KindMap[K] | undefined;

/**
 * How often faulty objects are searched, each time all of one kind. If translating still throws then, no single object is to blame, and
 * the caller gets the error: the previous configuration keeps serving; at the start there is none.
 */
const MOST_ROUNDS = 100;
/** Parts of one kind that are tried alone. After that many, a part of one namespace that throws is closed as a whole. */
const MOST_PARTS = 4000;

/** Objects in their place; undefined: left out. */
type Replaced = ReadonlyMap<KubernetesObject, KubernetesObject | undefined>;

/** Translates the resources, less what nginx refuses and what makes it throw. Throws where no object is to blame. */
export function withoutFaulty<T>(
  resources: RoutingResources,
  { close, refused }: { readonly close: CloseObject; readonly refused: readonly RefusedObject[] },
  translate: (resources: RoutingResources, faults: readonly Report[]) => T,
): T {
  const { replaced, faults } = refusedByNginx(resources, refused, close);
  const forms: UntriedForms = new Map();
  for (let round = 0; ; round += 1) {
    try {
      return translate(replacing(resources, replaced), faults);
    } catch (error: unknown) {
      if (round === MOST_ROUNDS)
        throw new TooManyFaults("translating throws, whatever is left out", { cause: error });
      const throws = (part: RoutingResources): boolean => !succeeds(() => translate(part, []));
      const faulty = faultyObjects(resources, replaced, throws);
      if (faulty.length === 0) throw error;
      const fault = internalError("translating it", error);
      for (const { object } of faulty.filter((each) => !replaced.has(each.object))) {
        faults.push({ ...fault, resource: resourceRef(object) });
      }
      for (const entry of faulty)
        replaced.set(entry.object, nextForm(entry, forms, { close, ...fault }));
    }
  }
}

/** The objects that nginx refuses, closed or left out, and their reports. */
function refusedByNginx(
  resources: RoutingResources,
  refused: readonly RefusedObject[],
  close: CloseObject,
): {
  readonly replaced: Map<KubernetesObject, KubernetesObject | undefined>;
  readonly faults: Report[];
} {
  const replaced = new Map<KubernetesObject, KubernetesObject | undefined>();
  const faults: Report[] = [];
  for (const { kind: name, namespace, name: own, reason, isLeftOut } of refused) {
    const kind = ROUTING_KINDS.find((each) => each === name);
    const object = kind && resources.get(kind, namespace, own);
    if (kind === undefined || object === undefined) continue;
    const message = `nginx refuses its configuration because of this object: ${reason}`;
    const what = "nginx refuses it";
    replaced.set(object, isLeftOut ? undefined : close(kind, object, { what, message }));
    faults.push({ code: "REFUSED_BY_NGINX", message, resource: resourceRef(object) });
  }
  return { replaced, faults };
}

/** The closed forms of each object that have not been tried yet. */
type UntriedForms = Map<KubernetesObject, (() => KubernetesObject | undefined)[]>;

/** Tries one closed form after the other, because they may throw, too; in the end the object is left out. */
function nextForm<K extends RoutingKind>(
  { kind, object }: Entry<K>,
  forms: UntriedForms,
  { close, message }: { readonly close: CloseObject; readonly message: string },
): KubernetesObject | undefined {
  const reason = { what: "internal error", message };
  const left = getOrInsert(forms, object, () => [
    () => close(kind, object, reason),
    () => close(kind, withoutAnnotations(object), reason),
  ]);
  let form: KubernetesObject | undefined;
  while (left.length > 0 && !succeeds(() => (form = left.shift()?.())));
  return form;
}

function withoutAnnotations<T extends KubernetesObject>(object: T): T {
  const { [CLASS]: name } = object.metadata.annotations ?? {};
  const annotations = name === undefined ? {} : { [CLASS]: name };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const CLASS = "kubernetes.io/ingress.class";

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** The objects of one kind that make translating throw. */
function faultyObjects(
  resources: RoutingResources,
  replaced: Replaced,
  throws: (part: RoutingResources) => boolean,
): readonly Entry[] {
  const entries = entriesOf(resources);
  return searched(failingAmong(entries, { ...BY_KIND, mostParts: MOST_PARTS }), (kept) => {
    const those = new Set(kept.map(({ object }) => object));
    const left = entries.filter(({ object }) => !those.has(object));
    const without = new Map([
      ...replaced,
      ...left.map((each) => [each.object, undefined] as const),
    ]);
    return throws(replacing(resources, without));
  });
}

function replacing(resources: RoutingResources, replaced: Replaced): RoutingResources {
  if (replaced.size === 0) return resources;
  const inPlaceOf = <K extends RoutingKind>(object: KindMap[K]): KindMap[K] | undefined =>
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- CloseObject gives objects of the same kind
    replaced.has(object) ? (replaced.get(object) as KindMap[K] | undefined) : object;
  const lists = new Map<RoutingKind, unknown>();
  const listOf = <K extends RoutingKind>(kind: K): readonly KindMap[K][] => {
    const list =
      lists.get(kind) ?? resources.list(kind).flatMap((each) => inPlaceOf<K>(each) ?? []);
    lists.set(kind, list);
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- made a line above
    return list as readonly KindMap[K][];
  };
  return {
    list: listOf,
    grants: (namespace) => grantsIn(listOf("ReferenceGrant"), namespace),
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
