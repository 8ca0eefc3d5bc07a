/**
 * Merges a computed status into the status that an object has. Several controllers write into one status: our entries are replaced, all
 * others stay unchanged (Gateway API, status of routes and policies; Kubernetes API conventions, conditions).
 */
import { type JsonObject, isObject, own } from "../support/json-object.js";
import { type ObjectStatus, isSameJson, listOf } from "./object-status.js";

interface MergeContext {
  /** `controllerName` of our entries in status.parents and status.ancestors. */
  readonly controllerName: string;
  /** RFC 3339, for conditions whose status changes. Absent: the status is not written, so our conditions have no lastTransitionTime. */
  readonly now?: string;
}

/** Fields that only this controller writes; removed if they are not computed. */
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Gateway: ["addresses", "listeners", "attachedListenerSets"],
  ListenerSet: ["listeners"],
  GatewayClass: ["supportedFeatures"],
  Ingress: ["loadBalancer"],
};

/** Lists with an entry per controller, and the field that names the subject of an entry. */
const ENTRIES: Readonly<Record<string, string>> = {
  parents: "parentRef",
  ancestors: "ancestorRef",
};

/** The new status of the object. Undefined: the object has it already, or has our status of a later generation. */
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

/** Like `mergeStatus`, but never undefined. */
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

/** In the order of the spec; entries of removed listeners are removed. */
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

/** All entries keep their places; ours for former subjects are removed. */
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

/** Condition types of this controller; removed if they are not computed. Other types belong to other controllers and stay unchanged. */
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

/** Computed conditions replace those of their type; new ones come last. lastTransitionTime is `now` only if the status changes. */
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

/** Whether the list has a condition of ours for a later generation than the computed conditions. */
function hasNewerCondition(existing: unknown, computed: unknown): boolean {
  const known = Math.max(...objects(computed).map(generationOf));
  return (
    known > 0 &&
    objects(existing).some((entry) => OWN_TYPES.has(entry["type"]) && generationOf(entry) > known)
  );
}

/** Generations start at 1; 0: none. */
function generationOf(condition: JsonObject): number {
  const generation = condition["observedGeneration"];
  return typeof generation === "number" ? generation : 0;
}

function objects(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}

/** Gateway API's default before any controller has written (Gateway, status.conditions). */
const PENDING = {
  status: "Unknown",
  reason: "Pending",
  message: "Waiting for controller",
} as const;

/** Condition types of kinds without an entry per controller. */
const WITHDRAWN: Readonly<Record<string, readonly string[]>> = {
  Gateway: ["Accepted", "Programmed"],
  ListenerSet: ["Accepted", "Programmed"],
};

/**
 * The status of an object that this controller no longer serves: its addresses must not lead here any more. Our entries are removed from
 * lists with an entry per controller. Undefined for other kinds.
 */
export function withdrawnStatus(
  written: ObjectStatus,
  generation?: number,
): ObjectStatus | undefined {
  if (written.kind === "Ingress") return { ...written, status: { loadBalancer: {} } };
  for (const field of Object.keys(ENTRIES))
    if (own(written.status, field) !== undefined) return { ...written, status: { [field]: [] } };
  const types = own(WITHDRAWN, written.kind);
  if (types === undefined) return undefined;
  const conditions = types.map((type) => ({
    type,
    ...PENDING,
    ...(generation !== undefined && { observedGeneration: generation }),
  }));
  return { ...written, status: { conditions } };
}
