/**
 * One of several replicas is the leader, by a Lease (coordination.k8s.io/v1) that it renews. Only the leader writes statuses; all
 * serve. Who can't renew in time stops being leader before another may become it, whatever the clocks say: each replica measures with
 * its own how long a record has not changed.
 */
import type { ApiClient, ApiCall } from "./api-client.js";
import { ApiError } from "./api-client.js";

export interface LeaderElectionOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly name: string;
  /** Of this replica; unique. */
  readonly identity: string;
  readonly onChange: (isLeader: boolean) => void;
  readonly onError: (error: unknown) => void;
  /** Milliseconds, for tests. */
  readonly duration?: number;
}

/** Milliseconds that a record which nobody renews is still believed. This and the shares of it are client-go's. */
const DURATION = 15_000;
/** The leader stops when it could not renew for so long: 10 s. */
const RENEW_DEADLINE = 10 / 15;
/** Between two tries: 2 s. Who does not lead waits up to `JITTER` times as long on top, so that replicas don't move in step. */
const RETRY_PERIOD = 2 / 15;
const JITTER = 1.2;
const CONFLICT = 409;
const NOT_FOUND = 404;

interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
}

interface Lease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: LeaseSpec;
}

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #duration: number;
  readonly #path: string;
  #seen = { version: "", at: 0, holder: "", duration: 0 };
  #renewedAt = -Infinity;
  #leading = false;
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#duration = options.duration ?? DURATION;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
  }

  /** By the clock, too: a process that was paused may have lost the lease without a word. */
  get isLeader(): boolean {
    return this.#leading && performance.now() - this.#renewedAt < this.#term;
  }

  /** Milliseconds. */
  get #term(): number {
    return this.#duration * RENEW_DEADLINE;
  }

  start(): void {
    void this.#turn();
  }

  /** Gives the lease up, so that another replica need not wait for its end. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
    if (!this.#leading) return;
    this.#lead(false);
    await this.#release().catch((error: unknown) => {
      this.#report(error);
    });
  }

  async #turn(): Promise<void> {
    const asked = performance.now();
    try {
      const held = await this.#acquireOrRenew();
      if (held) this.#renewed(asked);
      if (!this.#closed) this.#lead(held);
    } catch (error: unknown) {
      this.#report(error);
      if (this.#leading && !this.isLeader) this.#lead(false);
    }
    if (this.#closed) return;
    const jitter = this.#leading ? 0 : JITTER * Math.random();
    const pause = this.#duration * RETRY_PERIOD * (1 + jitter);
    this.#timer = setTimeout(() => void this.#turn(), pause);
    this.#timer.unref();
  }

  /** Counted from when it was asked for: the answer may have taken long. An API server that hangs must not keep it. */
  #renewed(at: number): void {
    this.#renewedAt = at;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => {
      if (!this.isLeader) this.#lead(false);
    }, this.#term);
    this.#expiry.unref();
  }

  #lead(leading: boolean): void {
    if (this.#leading === leading) return;
    this.#leading = leading;
    this.#options.onChange(leading);
  }

  async #acquireOrRenew(): Promise<boolean> {
    const { identity, name } = this.#options;
    const lease = await this.#read();
    if (lease === undefined) {
      await this.#call({ method: "POST", path: this.#path, body: this.#lease({ transitions: 0 }) });
      return true;
    }
    const now = performance.now();
    const { resourceVersion } = lease.metadata;
    const holder = lease.spec.holderIdentity ?? "";
    if (resourceVersion !== this.#seen.version) {
      const duration = (lease.spec.leaseDurationSeconds ?? this.#duration / 1000) * 1000;
      this.#seen = { version: resourceVersion, at: now, holder, duration };
    }
    const isOurs = holder === identity;
    if (holder !== "" && !isOurs && now - this.#seen.at < this.#seen.duration) return false;
    const transitions = (lease.spec.leaseTransitions ?? 0) + (isOurs ? 0 : 1);
    const acquireTime = isOurs ? (lease.spec.acquireTime ?? undefined) : undefined;
    const body = this.#lease({ transitions, acquireTime, resourceVersion });
    await this.#call({ method: "PUT", path: `${this.#path}/${name}`, body });
    return true;
  }

  async #release(): Promise<void> {
    const { identity, name } = this.#options;
    const lease = await this.#read();
    if (lease?.spec.holderIdentity !== identity) return;
    const transitions = lease.spec.leaseTransitions ?? 0;
    const { resourceVersion } = lease.metadata;
    const body = this.#lease({ transitions, resourceVersion, holder: "" });
    await this.#call({ method: "PUT", path: `${this.#path}/${name}`, body });
  }

  async #read(): Promise<Lease | undefined> {
    try {
      return asLease(await this.#call({ path: `${this.#path}/${this.#options.name}` }));
    } catch (error: unknown) {
      if (error instanceof ApiError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** An answer that does not come leaves time for another try before the term ends. */
  #call(call: ApiCall): Promise<unknown> {
    return this.#options.client.call({ ...call, deadline: this.#term / 2 });
  }

  /** Another write that was quicker is no fault; the next turn tells whose it was. */
  #report(error: unknown): void {
    if (!(error instanceof ApiError && error.status === CONFLICT)) this.#options.onError(error);
  }

  #lease({ transitions, acquireTime, resourceVersion, holder }: Claim): object {
    const { name, namespace, identity } = this.#options;
    const now = microTime();
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace, ...(resourceVersion !== undefined && { resourceVersion }) },
      spec: {
        holderIdentity: holder ?? identity,
        leaseDurationSeconds: Math.ceil(this.#duration / 1000),
        acquireTime: acquireTime ?? now,
        renewTime: now,
        leaseTransitions: transitions,
      },
    };
  }
}

/** What a Lease is to say. */
interface Claim {
  readonly transitions: number;
  /** Absent: now. */
  readonly acquireTime?: string | undefined;
  /** Of the record that it replaces; absent when there is none. */
  readonly resourceVersion?: string;
  /** Absent: this replica. */
  readonly holder?: string;
}

/** As Kubernetes writes its MicroTime. */
function microTime(): string {
  return new Date().toISOString().replace(/Z$/, "000Z");
}

function asLease(value: unknown): Lease | undefined {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return undefined;
  const { metadata } = value;
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const version =
    "resourceVersion" in metadata && typeof metadata.resourceVersion === "string"
      ? metadata.resourceVersion
      : "";
  const spec: LeaseSpec =
    "spec" in value && typeof value.spec === "object" && value.spec !== null ? value.spec : {};
  return { metadata: { resourceVersion: version }, spec };
}
