/**
 * A computed status put into the one that an object has. Several controllers write into one status: what is theirs stays byte for
 * byte, what is ours is replaced (Gateway API, status of routes and policies; Kubernetes' API conventions, conditions).
 */
import type { JsonObject } from "../support/json-object.js";
import { isObject, own } from "../support/json-object.js";
import { isSameJson, listOf } from "./json.js";
import type { ObjectStatus } from "./object-status.js";

interface MergeContext {
  /** Name under which our entries stand in status.parents and status.ancestors. */
  readonly controllerName: string;
  /** RFC 3339, for conditions whose status changes. Absent: nobody writes them, and ours are without lastTransitionTime. */
  readonly now?: string;
}

/** Fields that are ours alone: gone when they are not computed. */
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Gateway: ["addresses", "listeners", "attachedListenerSets"],
  ListenerSet: ["listeners"],
  GatewayClass: ["supportedFeatures"],
  Ingress: ["loadBalancer"],
};

/** Lists with an entry for each controller, and the field that names what the entry is about. */
const ENTRIES: Readonly<Record<string, string>> = {
  parents: "parentRef",
  ancestors: "ancestorRef",
};

/**
 * The whole status that the object is to have. Undefined: it has it, or it has one of ours about a later generation, since what was
 * computed is out of date then.
 */
export function mergeStatus(
  existing: unknown,
  computed: ObjectStatus,
  context: MergeContext,
): JsonObject | undefined {
  const before = isObject(existing) ? existing : {};
  if (isOutdated(before, computed.status, context)) return undefined;
  const merged = mergedStatus(before, computed, context);
  return isSameJson(merged, before) ? undefined : merged;
}

/** As `mergeStatus`, also where that changes nothing or is out of date. */
export function mergedStatus(
  existing: unknown,
  { kind, status }: ObjectStatus,
  context: MergeContext,
): JsonObject {
  const before = isObject(existing) ? existing : {};
  const replaced = own(OWN_FIELDS, kind) ?? [];
  const merged: Record<string, unknown> = Object.fromEntries(
    Object.entries(before).filter(([field]) => !replaced.includes(field)),
  );
  for (const [field, value] of Object.entries(status)) {
    merged[field] = mergeField(field, own(before, field), value, context);
  }
  return merged;
}

function mergeField(
  field: string,
  before: unknown,
  computed: unknown,
  context: MergeContext,
): unknown {
  const subject = own(ENTRIES, field);
  if (subject !== undefined) return mergeEntries(subject, before, computed, context);
  if (field === "conditions") return mergeConditions(before, computed, context.now);
  if (field === "listeners") return mergeListeners(before, computed, context);
  return computed;
}

/** In the order of the spec; listeners that are gone go. */
function mergeListeners(before: unknown, computed: unknown, { now }: MergeContext): unknown {
  const known = listOf(before).filter(isObject);
  return listOf(computed).map((entry) => {
    if (!isObject(entry)) return entry;
    const old = known.find(({ name }) => name === entry["name"]);
    return {
      ...entry,
      conditions: mergeConditions(old?.["conditions"], entry["conditions"], now),
    };
  });
}

/** Entries of other controllers stay where they are, ours too; those for what is not a subject any more go. */
function mergeEntries(
  subject: string,
  before: unknown,
  computed: unknown,
  context: MergeContext,
): readonly unknown[] {
  const missing = [...listOf(computed)].filter(isObject);
  const kept = listOf(before).flatMap((entry): readonly unknown[] => {
    if (!isOwn(entry, context)) return [entry];
    const index = missing.findIndex((candidate) =>
      isSameJson(own(candidate, subject), own(entry, subject)),
    );
    const [found] = index < 0 ? [] : missing.splice(index, 1);
    return found === undefined ? [] : [withConditions(found, entry, context)];
  });
  return [...kept, ...missing.map((entry) => withConditions(entry, {}, context))];
}

function withConditions(entry: JsonObject, before: JsonObject, { now }: MergeContext): JsonObject {
  return { ...entry, conditions: mergeConditions(before["conditions"], entry["conditions"], now) };
}

function isOwn(entry: unknown, { controllerName }: MergeContext): entry is JsonObject {
  return isObject(entry) && entry["controllerName"] === controllerName;
}

function isOutdated(before: JsonObject, status: JsonObject, context: MergeContext): boolean {
  if (hasNewerCondition(before["conditions"], status["conditions"])) return true;
  return Object.keys(ENTRIES).some((field) => {
    const computed = conditionsOf(listOf(own(status, field)).filter(isObject));
    return hasNewerCondition(
      conditionsOf(listOf(own(before, field)).filter((entry) => isOwn(entry, context))),
      computed,
    );
  });
}

function conditionsOf(entries: readonly JsonObject[]): readonly unknown[] {
  return entries.flatMap(({ conditions }) => listOf(conditions));
}

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
function mergeConditions(
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
function hasNewerCondition(existing: unknown, computed: unknown): boolean {
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

/** As Gateway API has them before any controller has come (Gateway, status.conditions). */
const NOBODY = {
  status: "Unknown",
  reason: "Pending",
  message: "Waiting for controller",
} as const;

/** What is left where everything was ours. */
const WITHDRAWN: Readonly<Record<string, readonly string[]>> = {
  Gateway: ["Accepted", "Programmed"],
  ListenerSet: ["Accepted", "Programmed"],
};

/**
 * The status of an object that this controller has said something of and that is somebody else's now, or nobody's: who follows the
 * addresses in it must not be sent here any more. Of statuses with an entry for each controller,
 * ours go. Undefined for other kinds.
 */
export function withdrawnStatus(said: ObjectStatus, generation?: number): ObjectStatus | undefined {
  if (said.kind === "Ingress") return { ...said, status: { loadBalancer: {} } };
  for (const field of Object.keys(ENTRIES))
    if (own(said.status, field) !== undefined) return { ...said, status: { [field]: [] } };
  const types = own(WITHDRAWN, said.kind);
  if (types === undefined) return undefined;
  const conditions = types.map((type) => ({
    type,
    ...NOBODY,
    ...(generation !== undefined && { observedGeneration: generation }),
  }));
  return { ...said, status: { conditions } };
}
