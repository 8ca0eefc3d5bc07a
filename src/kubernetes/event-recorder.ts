/**
 * Writes Events about problems of objects, which `kubectl describe` shows. A problem that stays is written once; one that comes back
 * increases the count of its Event.
 */
import { createHash } from "node:crypto";
import { type Diagnostic, type ResourceRef, formatFieldPath } from "../diagnostics/diagnostic.js";
import { memoized, sameElements } from "../support/collections.js";
import { shareOut } from "../support/shares.js";
import { errorText } from "../support/text.js";
import type { Log } from "../support/log.js";
import { type ApiClient, AGENT, ApiError, now } from "./api-client.js";
import type { ClusterWatch } from "./cluster-watch.js";
import { getObject } from "./raw-object.js";

/** A warning about an object. */
export interface ObjectEvent {
  readonly resource: ResourceRef;
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
}

const ALREADY_EXISTS = 409;
const LONGEST_MESSAGE = 1024;
/** Largest number of Events for one change; more would only hide each other. */
const MOST = 200;

export class EventRecorder {
  readonly #options: ConstructorParameters<typeof EventRecorder>[0];
  #known: ReadonlySet<string> = new Set();
  #latest: readonly ObjectEvent[] = [];
  /** The last events of which none is left to be written. */
  #said: readonly ObjectEvent[] = [];
  readonly #names = new WeakMap<ObjectEvent, { readonly uid: string; readonly name: string }>();
  #turn: Promise<void> = Promise.resolve();

  constructor(options: {
    readonly client: Pick<ApiClient, "call">;
    readonly watch: Pick<ClusterWatch, "get" | "isTerminating">;
    readonly log: Pick<Log, "warn">;
  }) {
    this.#options = options;
  }

  /**
   * All current problems: those that were not in the last update are written. A failed write is retried with the next update. Updates take
   * turns, because two could write the same Event; an update that was replaced while it waited is skipped. Does not throw.
   */
  update(events: readonly ObjectEvent[]): Promise<void> {
    this.#latest = events;
    this.#turn = this.#turn.then(() => (events === this.#latest ? this.#say(events) : undefined));
    return this.#turn;
  }

  async #say(events: readonly ObjectEvent[]): Promise<void> {
    if (sameElements(events, this.#said)) return;
    const { watch, log } = this.#options;
    const now = new Map(
      events
        .filter(({ resource }) => !watch.isTerminating(resource.namespace))
        .map((event) => [this.#nameOf(event), event]),
    );
    const fresh = sharedOut([...now].filter(([name]) => !this.#known.has(name)));
    const said = new Set<string>();
    const errors: string[] = [];
    for (const [name, event] of fresh) {
      try {
        await this.#write(name, event);
        said.add(name);
      } catch (error: unknown) {
        errors.push(errorText(error));
      }
    }
    this.#known = new Set(
      [...now.keys()].filter((name) => said.has(name) || this.#known.has(name)),
    );
    if (errors.length === 0 && fresh.length < MOST) this.#said = events;
    if (errors.length > 0)
      log.warn({ reason: errors[0] }, "could not write events; albc retries with the next change");
  }

  async #write(name: string, event: ObjectEvent): Promise<void> {
    const namespace = event.resource.namespace === "" ? "default" : event.resource.namespace;
    const path = `/api/v1/namespaces/${namespace}/events`;
    const body = this.#body(name, namespace, event);
    try {
      await this.#options.client.call({ method: "POST", path, body });
    } catch (error: unknown) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isOfDyingNamespace) return;
      if (error.status !== ALREADY_EXISTS) throw error;
      await this.#countUp(`${path}/${name}`);
    }
  }

  async #countUp(path: string): Promise<void> {
    const known = await getObject(this.#options.client, path);
    const count = Number(known?.["count"] ?? 1);
    const body = { count: count + 1, lastTimestamp: now() };
    await this.#options.client.call({ method: "PATCH", path, body });
  }

  #body(name: string, namespace: string, event: ObjectEvent): object {
    const { resource, reason, message } = event;
    const uid = this.#uidOf(resource);
    const time = now();
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace },
      involvedObject: {
        apiVersion: resource.apiVersion,
        kind: resource.kind,
        ...(resource.namespace !== "" && { namespace: resource.namespace }),
        name: resource.name,
        ...(uid !== undefined && { uid }),
      },
      reason,
      message: message.slice(0, LONGEST_MESSAGE),
      type: "Warning",
      source: { component: AGENT },
      reportingComponent: AGENT,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  /** The same name for the same problem of the same object, so that the API server keeps one Event for it. */
  #nameOf(event: ObjectEvent): string {
    const { resource, reason, message } = event;
    const uid = this.#uidOf(resource);
    const known = this.#names.get(event);
    if (known?.uid === (uid ?? "")) return known.name;
    const said = [resource, uid, reason, message];
    const digest = createHash("sha256").update(JSON.stringify(said)).digest("hex");
    const name = `${resource.name.slice(0, 200)}.${digest.slice(0, 16)}`;
    this.#names.set(event, { uid: uid ?? "", name });
    return name;
  }

  #uidOf({ kind, namespace, name }: ResourceRef): string | undefined {
    return this.#options.watch.get(kind, namespace, name)?.metadata.uid;
  }
}

/** At most MOST, in shares by namespace. */
function sharedOut(fresh: readonly (readonly [string, ObjectEvent])[]): typeof fresh {
  const claims = fresh.map(([place, { resource }]) => ({
    owner: { kind: resource.kind, metadata: resource },
    ...{ place, size: 1 },
  }));
  const { kept } = shareOut(claims, MOST);
  return fresh.filter(([name]) => kept.has(name));
}

/** Errors first, because a namespace's first events are written first. */
export function eventsOf(diagnostics: readonly Diagnostic[]): readonly ObjectEvent[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  return [...errors, ...warnings].flatMap((diagnostic) => eventOf(diagnostic) ?? []);
}

const eventOf = memoized(
  ({ code, message, field, hint, resource }: Diagnostic): ObjectEvent | undefined => {
    if (resource === undefined) return undefined;
    const place = field === undefined || field.length === 0 ? "" : `${formatFieldPath(field)}: `;
    const advice = hint === undefined ? "" : `; ${hint}`;
    return { resource, reason: camelCase(code), message: `${place}${message}${advice}` };
  },
);

/** `SERVICE_NOT_FOUND` as `ServiceNotFound`. */
function camelCase(code: string): string {
  return code
    .split("_")
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join("");
}
