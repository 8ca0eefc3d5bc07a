import type { JsonObject } from "../support/json-object.js";
import { isObject } from "../support/json-object.js";
import { listOf } from "./json.js";

/**
 * Condition types that we write. One of them that was not computed does not hold any more and goes; every other type is another
 * controller's and stays as it is.
 */
const OWN_TYPES: ReadonlySet<unknown> = new Set([
  "Accepted",
  "Conflicted",
  "DefaultGateway",
  "InsecureFrontendValidationMode",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
  "Programmed",
  "ResolvedRefs",
  "SupportedVersion",
]);

/**
 * The list as it is to be written: computed conditions in the places of those of their types, new ones last. lastTransitionTime is
 * `now` only where the status changes; without `now` computed ones have none.
 */
export function mergeConditions(
  existing: unknown,
  computed: unknown,
  now: string | undefined,
): readonly unknown[] {
  const missing = new Map(objects(computed).map((condition) => [condition["type"], condition]));
  const kept = listOf(existing).flatMap((entry): readonly unknown[] => {
    if (!isObject(entry)) return [entry];
    const type = entry["type"];
    const condition = missing.get(type);
    if (condition === undefined) return OWN_TYPES.has(type) ? [] : [entry];
    missing.delete(type);
    return [withTime(condition, entry, now)];
  });
  return [...kept, ...[...missing.values()].map((condition) => withTime(condition, {}, now))];
}

function withTime(condition: JsonObject, before: JsonObject, now: string | undefined): JsonObject {
  if (now === undefined) return condition;
  const time = before["lastTransitionTime"];
  const isSame = before["status"] === condition["status"] && typeof time === "string";
  return { ...condition, lastTransitionTime: isSame ? time : now };
}

/** Whether one of ours in the list is about a later generation than the computed ones are about. */
export function hasNewerCondition(existing: unknown, computed: unknown): boolean {
  const known = Math.max(...objects(computed).map(generationOf));
  return (
    known > 0 &&
    objects(existing).some((entry) => OWN_TYPES.has(entry["type"]) && generationOf(entry) > known)
  );
}

/** Generations count from 1; 0: none. */
function generationOf(condition: JsonObject): number {
  const generation = condition["observedGeneration"];
  return typeof generation === "number" ? generation : 0;
}

function objects(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}
