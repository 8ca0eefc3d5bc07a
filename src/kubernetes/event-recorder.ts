/**
 * Events on objects for what is wrong with them, as `kubectl describe` shows them. One that is said again counts up; one that stands
 * is not repeated while nothing changes.
 */
import { createHash } from "node:crypto";
import type { ResourceRef } from "../diagnostics/diagnostic.js";
import type { ApiClient } from "./api-client.js";
import { ApiError } from "./api-client.js";
import { now } from "./now.js";

export interface ObjectEvent {
  readonly resource: ResourceRef;
  readonly uid?: string;
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
  readonly type: "Warning" | "Normal";
}

const ALREADY_EXISTS = 409;
const LONGEST_MESSAGE = 1024;
/** Events that one change may write; more would only hide each other. */
const MOST = 200;

export class EventRecorder {
  readonly #client: ApiClient;
  readonly #component: string;
  #known: ReadonlySet<string> = new Set();
  #latest: readonly ObjectEvent[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(client: ApiClient, component: string) {
    this.#client = client;
    this.#component = component;
  }

  /**
   * All that is wrong now: what was not said the last time is said. Throws the first ApiError; what could not be said is said the next
   * time. Updates take turns, or two would write one event; one that was replaced while it waited is skipped.
   */
  update(events: readonly ObjectEvent[]): Promise<void> {
    this.#latest = events;
    const turn = this.#turn.then(() => (events === this.#latest ? this.#say(events) : undefined));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #say(events: readonly ObjectEvent[]): Promise<void> {
    const now = new Map(events.map((event) => [nameOf(event), event]));
    const fresh = [...now].filter(([name]) => !this.#known.has(name)).slice(0, MOST);
    const said = new Set<string>();
    const errors: unknown[] = [];
    for (const [name, event] of fresh) {
      try {
        await this.#write(name, event);
        said.add(name);
      } catch (error: unknown) {
        errors.push(error);
      }
    }
    this.#known = new Set(
      [...now.keys()].filter((name) => said.has(name) || this.#known.has(name)),
    );
    if (errors.length > 0) throw errors[0];
  }

  async #write(name: string, event: ObjectEvent): Promise<void> {
    const namespace = event.resource.namespace === "" ? "default" : event.resource.namespace;
    const path = `/api/v1/namespaces/${namespace}/events`;
    const body = this.#body(name, namespace, event);
    try {
      await this.#client.call({ method: "POST", path, body });
    } catch (error: unknown) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isOfDyingNamespace) return;
      if (error.status !== ALREADY_EXISTS) throw error;
      await this.#countUp(`${path}/${name}`);
    }
  }

  async #countUp(path: string): Promise<void> {
    const known = await this.#client.call({ path });
    const count =
      typeof known === "object" &&
      known !== null &&
      "count" in known &&
      typeof known.count === "number"
        ? known.count
        : 1;
    const body = { count: count + 1, lastTimestamp: now() };
    await this.#client.call({ method: "PATCH", path, body });
  }

  #body(name: string, namespace: string, event: ObjectEvent): object {
    const { resource, uid, reason, message, type } = event;
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
      type,
      source: { component: this.#component },
      reportingComponent: this.#component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }
}

/** The same for the same thing said of the same object, so that the API server keeps one of it. */
function nameOf({ resource, uid, reason, message }: ObjectEvent): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([resource, uid, reason, message]))
    .digest("hex");
  return `${resource.name.slice(0, 200)}.${digest.slice(0, 16)}`;
}
