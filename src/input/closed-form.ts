/** What is closed in place of an object that can't be served: as much of it as can be read, in the shape of its kind. */
import type { KindMap, KindName } from "../api/kinds.js";
import { kindTable } from "./kind-table.js";
import type { KindDefinition } from "./kind-table.js";
import { salvaged } from "./salvage.js";
import { DEFAULT_INPUT_OPTIONS } from "./source.js";

/** Shapes of kinds are the same in every group. */
const TABLE = kindTable(DEFAULT_INPUT_OPTIONS.albGroup);

/** Undefined: nothing of it could be closed. `what`: see Closed. `isWhole`: no field is out of place. */
export function closedForm<K extends KindName>(
  kind: K,
  object: object,
  what = "internal error",
  isWhole = true,
): KindMap[K] | undefined {
  const definition: KindDefinition<KindMap[K]> = TABLE[kind];
  const read = salvaged(kind, { ...object }, isWhole);
  const checked = read && definition.validate(read.value);
  // Without what can't be read exactly there is less that could be wrong.
  if (checked?.valid === false && isWhole) return closedForm(kind, object, what, false);
  if (checked?.valid !== true) return undefined;
  return { ...checked.value, closed: { what, extent: read?.extent ?? "namespace" } };
}
