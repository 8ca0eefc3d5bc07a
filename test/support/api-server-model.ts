/**
 * A model of an API server for one process: objects with versions, lists, watches, status writes for one version, leases, and kinds whose
 * served versions change. When a request arrives and when its answer comes is up to `Link`, so that a test decides about every interleaving.
 */
import { type KindName, KIND_NAMES } from "../../src/api/kinds.js";
import { kindTable } from "../../src/input/kind-table.js";
import { type ApiCall, type ApiClient, ApiError } from "../../src/kubernetes/api-client.js";
import { type RawObject, basePath, pluralOf } from "../../src/kubernetes/raw-object.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { isSameJson } from "../../src/status/object-status.js";

export const TABLE = kindTable(DEFAULT_OPTIONS.domains.group);

interface Change {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly kind: KindName;
  readonly object: RawObject;
}

/** The network between a client and the model. */
export interface Link {
  /** Resolves when the message gets through; rejects when its connection breaks. */
  readonly pass: (what: string) => Promise<void>;
  /** Counts how often all connections broke. */
  readonly epoch: number;
}

/** What a path asks for. */
interface Target {
  readonly kind: KindName;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
  readonly isStatus: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export class ApiServerModel {
  #objects = new Map<string, { readonly kind: KindName; readonly object: RawObject }>();
  #leases = new Map<string, RawObject>();
  #history: readonly Change[] = [];
  #compacted = 0;
  #version = 1;
  #created = 0;
  #backup = () => undefined;
  readonly #served = new Map<KindName, readonly string[]>();
  readonly #streams = new Set<Stream>();
  /** Writes of statuses that were taken. */
  statusWrites = 0;
  /** Those that were created. */
  readonly events: RawObject[] = [];

  constructor(kinds: readonly KindName[]) {
    for (const kind of kinds) this.#served.set(kind, TABLE[kind].versions.slice(0, 1));
  }

  get objects(): readonly { readonly kind: KindName; readonly object: RawObject }[] {
    return [...this.#objects.values()];
  }

  get(kind: KindName, namespace: string, name: string): RawObject | undefined {
    return this.#objects.get(keyOf(kind, namespace, name))?.object;
  }

  /** As a user applies it; the status stays. */
  put(kind: KindName, object: RawObject): void {
    const { namespace = "", name } = object.metadata;
    const before = this.get(kind, namespace, name);
    const generation = before?.metadata.generation ?? 0;
    const isSameSpec = before !== undefined && isSameJson(before["spec"], object["spec"]);
    this.#store(kind, before, {
      ...object,
      metadata: {
        ...object.metadata,
        uid: before?.metadata.uid ?? `uid-${String((this.#created += 1))}`,
        generation: isSameSpec ? generation : generation + 1,
      },
      ...(before?.status !== undefined && { status: before.status }),
    });
  }

  putStatus(kind: KindName, namespace: string, name: string, status: unknown): void {
    const before = this.get(kind, namespace, name);
    if (before !== undefined) this.#store(kind, before, { ...before, status });
  }

  delete(kind: KindName, namespace: string, name: string): void {
    const object = this.get(kind, namespace, name);
    if (object === undefined) return;
    this.#objects.delete(keyOf(kind, namespace, name));
    this.#record({ version: ++this.#version, type: "DELETED", kind, object });
  }

  /** The versions of a kind that are served; an API server that stores it anew ends its watches. */
  serve(kind: KindName, versions: readonly string[]): void {
    this.#served.set(kind, versions);
    for (const stream of this.#streams) if (stream.target.kind === kind) stream.end();
  }

  serves(kind: KindName, version: string): boolean {
    return this.#served.get(kind)?.includes(version) ?? false;
  }

  /** Watches cannot start before now any more. */
  compact(): void {
    this.#compacted = this.#version;
  }

  /** Keeps what is stored. */
  backUp(): void {
    const [objects, leases] = [new Map(this.#objects), new Map(this.#leases)];
    const [history, version] = [this.#history, this.#version];
    this.#backup = () => {
      [this.#objects, this.#leases] = [new Map(objects), new Map(leases)];
      [this.#history, this.#version] = [history, version];
      this.#compacted = Math.min(this.#compacted, version);
      return undefined;
    };
  }

  /** What was kept is there again, and everything since then is lost, versions too; all connections must break. */
  restore(): void {
    this.#backup();
  }

  /** Links have broken. */
  wake(): void {
    for (const stream of this.#streams) stream.wake();
  }

  /** What ApiClient is for a real one. */
  client(link: Link): ApiClient {
    const call = (asked: ApiCall): Promise<unknown> =>
      asked.deadline === undefined ? ask(asked) : within(asked.deadline, ask(asked));
    const ask = async (asked: ApiCall): Promise<unknown> => {
      await link.pass(`${asked.method ?? "GET"} ${asked.path}`);
      let answer: unknown;
      try {
        answer = this.#answer(asked);
      } catch (error: unknown) {
        answer = error;
      }
      await link.pass(`answer to ${asked.method ?? "GET"} ${asked.path}`);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const watch = async (asked: ApiCall, signal: AbortSignal): Promise<AsyncIterable<unknown>> => {
      await link.pass(`watch ${asked.path}`);
      const stream = this.#watch(asked, signal);
      await link.pass(`answer to watch ${asked.path}`);
      return stream.events(link);
    };
    // The class has private fields; nothing else of it is used.
    return { call, watch, close: () => undefined } as unknown as ApiClient;
  }

  /** Changes of a kind after a version. */
  after(version: number, kind: KindName): readonly Change[] {
    return this.#history.filter((change) => change.version > version && change.kind === kind);
  }

  get version(): number {
    return this.#version;
  }

  isCompacted(version: number): boolean {
    return version < this.#compacted;
  }

  #store(kind: KindName, before: RawObject | undefined, object: RawObject): void {
    const version = this.#version + 1;
    const stored: RawObject = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(version) },
    };
    if (before !== undefined && isSameButVersion(before, stored)) return;
    this.#version = version;
    const { namespace = "", name } = object.metadata;
    this.#objects.set(keyOf(kind, namespace, name), { kind, object: stored });
    this.#record({ version, type: before ? "MODIFIED" : "ADDED", kind, object: stored });
  }

  #record(change: Change): void {
    this.#history = [...this.#history, change];
    this.wake();
  }

  #answer({ method = "GET", path, body }: ApiCall): unknown {
    if (path.includes("/coordination.k8s.io/")) return this.#lease(method, path, body as RawObject);
    if (path.endsWith("/events")) return this.events.push(body as RawObject);
    const base = [...this.#bases()].find(([known]) => known === path);
    if (base !== undefined) return { resources: base[1].map((name) => ({ name })) };
    const target = this.#target(path);
    if (target.name === "") return this.#list(target);
    const object = this.get(target.kind, target.namespace, target.name);
    if (object === undefined) throw new ApiError(404, "NotFound", path);
    if (method === "PATCH" && target.isStatus) return this.#patchStatus(target, object, body);
    if (method !== "GET") throw new ApiError(405, "MethodNotAllowed", path);
    return withVersion(object, target.apiVersion);
  }

  #patchStatus(target: Target, object: RawObject, body: unknown): unknown {
    const [test, add] = body as readonly { readonly value: unknown }[];
    if (test?.value !== object.metadata.resourceVersion) throw new ApiError(409, "Conflict", "");
    this.statusWrites += 1;
    this.putStatus(target.kind, target.namespace, target.name, add?.value);
    const now = this.get(target.kind, target.namespace, target.name);
    return now && withVersion(now, target.apiVersion);
  }

  #list({ kind, apiVersion }: Target): unknown {
    const items = this.objects
      .filter((each) => each.kind === kind)
      .map(({ object }) => withVersion(object, apiVersion));
    return { items, metadata: { resourceVersion: String(this.#version) } };
  }

  #watch({ path, query }: ApiCall, signal: AbortSignal): Stream {
    const from = Number(query?.["resourceVersion"]);
    const target = this.#target(path);
    const stream = new Stream(this, target, { from, seconds: Number(query?.["timeoutSeconds"]) });
    this.#streams.add(stream);
    signal.addEventListener("abort", () => {
      stream.end();
    });
    stream.onEnd = () => this.#streams.delete(stream);
    return stream;
  }

  #bases(): ReadonlyMap<string, readonly string[]> {
    const bases = new Map<string, string[]>();
    for (const [kind, versions] of this.#served)
      for (const version of versions) {
        const base = basePath({ group: TABLE[kind].group, version });
        bases.set(base, [...(bases.get(base) ?? []), pluralOf(kind)]);
      }
    return bases;
  }

  #target(path: string): Target {
    for (const kind of KIND_NAMES)
      for (const version of this.#served.get(kind) ?? []) {
        const { group } = TABLE[kind];
        const pattern = new RegExp(
          `^${basePath({ group, version })}(?:/namespaces/([^/]+))?/${pluralOf(kind)}(?:/([^/]+))?(/status)?$`,
        );
        const found = pattern.exec(path);
        if (found === null) continue;
        const [, namespace = "", name = "", status] = found;
        const apiVersion = group === "" ? version : `${group}/${version}`;
        return { kind, apiVersion, namespace, name, isStatus: status !== undefined };
      }
    throw new ApiError(404, "NotFound", `the server could not find ${path}`);
  }

  #lease(method: string, path: string, body: RawObject | undefined): unknown {
    const at = method === "POST" ? `${path}/${body?.metadata.name ?? ""}` : path;
    const known = this.#leases.get(at);
    if (method === "GET") {
      if (known === undefined) throw new ApiError(404, "NotFound", at);
      return known;
    }
    const isWanted =
      method === "POST"
        ? known === undefined
        : known?.metadata.resourceVersion === body?.metadata.resourceVersion;
    if (!isWanted || body === undefined) throw new ApiError(409, "Conflict", at);
    const resourceVersion = String(++this.#version);
    const stored = { ...body, metadata: { ...body.metadata, resourceVersion } };
    this.#leases.set(at, stored);
    return stored;
  }
}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ApiError(0, "", "the answer is late"));
    }, milliseconds);
  });
  return Promise.race([answer, late]).finally(() => {
    clearTimeout(timer);
  });
}

/** One watch: events in order, each when the link lets it through. */
class Stream {
  readonly target: Target;
  readonly #server: ApiServerModel;
  #position: number;
  #ended = false;
  #timer: NodeJS.Timeout;
  #wake: () => void = () => undefined;
  onEnd: () => void = () => undefined;

  constructor(
    server: ApiServerModel,
    target: Target,
    { from, seconds }: { readonly from: number; readonly seconds: number },
  ) {
    this.#server = server;
    this.target = target;
    this.#position = from;
    this.#timer = setTimeout(() => {
      this.end();
    }, seconds * 1000);
  }

  wake(): void {
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.onEnd();
    this.#wake();
  }

  async *events(link: Link): AsyncGenerator<Fields> {
    const { kind, apiVersion } = this.target;
    const label = `${apiVersion} ${kind}`;
    const { epoch } = link;
    try {
      if (this.#server.isCompacted(this.#position)) {
        await link.pass(`${label}: expired`);
        yield { type: "ERROR", object: { code: 410, reason: "Expired" } };
        return;
      }
      for (;;) {
        if (link.epoch !== epoch) throw new ApiError(0, "", "the connection broke");
        const [next] = this.#server.after(this.#position, kind);
        if (next !== undefined) {
          this.#position = next.version;
          await link.pass(`${label}: ${next.type} ${next.object.metadata.name}`);
          yield { type: next.type, object: changeObject(next, apiVersion) };
        } else if (this.#ended) {
          await link.pass(`${label}: end`);
          const resourceVersion = String(this.#position);
          yield { type: "BOOKMARK", object: { metadata: { resourceVersion } } };
          return;
        } else {
          await this.#news();
        }
      }
    } finally {
      this.end();
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** A deleted object comes with the version of its deletion. */
function changeObject({ object, version }: Change, apiVersion: string): RawObject {
  const resourceVersion = String(version);
  return withVersion({ ...object, metadata: { ...object.metadata, resourceVersion } }, apiVersion);
}

function withVersion(object: RawObject, apiVersion: string): RawObject {
  return { ...object, apiVersion };
}

function isSameButVersion(a: RawObject, b: RawObject): boolean {
  const { resourceVersion: _a, ...left } = a.metadata;
  const { resourceVersion: _b, ...right } = b.metadata;
  return isSameJson({ ...a, metadata: left }, { ...b, metadata: right });
}

function keyOf(kind: KindName, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
