/** What is said about changes that wait for a reload: in diagnostics, in changes.json and in statuses. */
import type { Compilation } from "../compile.js";
import type { Diagnostic, ResourceRef } from "../diagnostics/diagnostic.js";
import { DiagnosticSink } from "../diagnostics/sink.js";
import type { Resources } from "../input/resources.js";
import type { WaitingChange } from "../output/recent-changes.js";
import { type Condition, type ObjectStatus, isSameJson } from "../status/object-status.js";
import { type JsonObject, fieldsOf, itemsOf } from "../support/json-object.js";
import type { Waiting } from "./reload-turns.js";

/** Objects that are named for each namespace. */
const MOST_NAMED = 10;

/** Milliseconds: shorter waits are not worth a warning. */
const SHORTEST = 1000;

/** Kinds whose changes rarely need a reload. */
const RARE: readonly string[] = ["Secret", "ConfigMap", "Service", "EndpointSlice", "Namespace"];

/** The objects that probably need the reload. */
function objectsOf({ changes }: Waiting): readonly ResourceRef[] {
  const likely = changes.filter(({ kind }) => !RARE.includes(kind));
  return (likely.length > 0 ? likely : changes)
    .flatMap(({ kind, namespace, name, before, now }) => {
      const { apiVersion } = now ?? before ?? {};
      return apiVersion === undefined ? [] : [{ apiVersion, kind, namespace, name }];
    })
    .slice(0, MOST_NAMED);
}

function untilOf({ wait }: Waiting): string {
  return `${new Date(Date.now() + wait).toISOString().slice(0, -5)}Z`;
}

/** For changes.json. */
export function waitOf(waiting: Waiting): WaitingChange {
  const objects = objectsOf(waiting).map(
    ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`,
  );
  return { namespace: waiting.namespace, until: untilOf(waiting), objects };
}

/** Milliseconds until one of them may go on; undefined: nothing waits. */
export function leastWait(
  waiting: readonly Waiting[],
  other: number | undefined,
): number | undefined {
  const least = Math.min(other ?? Infinity, ...waiting.map(({ wait }) => wait));
  return least === Infinity ? undefined : least;
}

export function waitingDiagnostics(
  waiting: readonly Waiting[],
  { locate }: Resources,
): readonly Diagnostic[] {
  const late = waiting.filter(({ urgency, wait }) => urgency === "prompt" && wait > SHORTEST);
  if (late.length === 0) return [];
  const sink = new DiagnosticSink();
  for (const each of late) {
    const message =
      "what needs a reload of nginx in its last change waits, at most a minute: old workers of this namespace's reloads still drain";
    sink.addAll(
      objectsOf(each).map((resource) => ({ code: "RELOAD_WAITS", message, resource }) as const),
    );
  }
  return sink.sorted(locate);
}

/** Kinds whose listeners have statuses. */
const LISTENING: readonly string[] = ["Gateway", "ListenerSet"];

type Difference = Waiting["changes"][number];

/** The compilation that is loaded, but with the newest statuses of Gateways and ListenerSets whose changes wait: not programmed yet. */
export function withPendingStatuses<C extends Pick<Compilation, "statuses">>(
  loadable: C,
  newest: Pick<Compilation, "statuses">,
  waiting: readonly Waiting[],
): C {
  const pending = new Map(
    waiting.flatMap((each) =>
      each.changes
        .filter(({ kind, now }) => now !== undefined && LISTENING.includes(kind))
        .map((change) => [placeOf(change.kind, change), change] as const),
    ),
  );
  if (pending.size === 0) return loadable;
  const of = ({ kind, metadata }: ObjectStatus): Difference | undefined =>
    pending.get(placeOf(kind, metadata));
  const statuses = newest.statuses.flatMap((each) => {
    const change = of(each);
    return change === undefined ? [] : [pendingStatus(each, change)];
  });
  const others = loadable.statuses.filter((each) => of(each) === undefined);
  return { ...loadable, statuses: [...others, ...statuses] };
}

function placeOf(
  kind: string,
  { namespace, name }: Pick<ResourceRef, "namespace" | "name">,
): string {
  return `${kind} ${namespace}/${name}`;
}

/** Listeners that were loaded as they are stay programmed. */
function pendingStatus(written: ObjectStatus, change: Difference): ObjectStatus {
  const [before, now] = [listenersOf(change.before), listenersOf(change.now)];
  const listeners = itemsOf(written.status["listeners"])
    .map(fieldsOf)
    .map((listener) => {
      const { name } = listener;
      return isSameJson(named(before, name), named(now, name))
        ? listener
        : { ...listener, ...pendingConditions(listener) };
    });
  const conditions = pendingConditions(written.status);
  const status = { ...written.status, ...conditions, ...(listeners.length > 0 && { listeners }) };
  return { ...written, status };
}

function listenersOf(object: Difference["now"]): readonly JsonObject[] {
  const { spec } = fieldsOf(object);
  return itemsOf(fieldsOf(spec)["listeners"]).map(fieldsOf);
}

function named(listeners: readonly JsonObject[], name: unknown): JsonObject | undefined {
  return listeners.find((listener) => listener["name"] === name);
}

function pendingConditions(holder: JsonObject): JsonObject {
  const pending: Pick<Condition, "status" | "reason" | "message"> = {
    ...{ status: "False", reason: "Pending" },
    message: "waits for a reload of nginx, at most a minute: see RELOAD_WAITS",
  };
  const conditions = itemsOf(holder["conditions"])
    .map(fieldsOf)
    .map((condition) =>
      condition["type"] === "Programmed" && condition["status"] === "True"
        ? { ...condition, ...pending }
        : condition,
    );
  return { conditions };
}
