import { KIND_NAMES } from "../api/kinds.js";
import type { Resources } from "../input/resources.js";

/** How many objects of each kind are compiled. */
export function countByKind(resources: Resources): ReadonlyMap<string, number> {
  return new Map(KIND_NAMES.map((kind) => [kind, resources.list(kind).length]));
}
