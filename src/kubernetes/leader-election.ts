/**
 * Elects one of several replicas as leader, by a Lease (coordination.k8s.io/v1) that the leader renews. Only the leader writes statuses;
 * all replicas serve. A leader that can't renew in time steps down before another replica may take over. Clocks need not agree: each
 * replica measures with its own clock how long the Lease has not changed.
 */
import { type ApiCall, type ApiClient, ApiError } from "./api-client.js";
import { getObject } from "./raw-object.js";

/** Milliseconds for which a Lease is valid without renewal. This value and the fractions of it below are client-go's. */
const DURATION = 15_000;
/** The leader steps down if it could not renew for 10 s. */
const RENEW_DEADLINE = 10 / 15;
/** 2 s between two tries. Other replicas wait up to `JITTER` times as long in addition, so that they do not act in step. */
const RETRY_PERIOD = 2 / 15;
const JITTER = 1.2;

export class LeaderElection {
  readonly #options: ConstructorParameters<typeof LeaderElection>[0];
  readonly #duration: number;
  readonly #path: string;
  #seen = { version: "", at: 0, holder: "", duration: 0 };
  #renewedAt = -Infinity;
  #leading = false;
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #closed = false;
  /** The turn under way. */
  #turning = Promise.resolve();

  constructor(options: {
    readonly client: ApiClient;
    readonly namespace: string;
    readonly name: string;
    /** Unique name of this replica. */
    readonly identity: string;
    readonly onChange: (isLeader: boolean) => void;
    readonly onError: (error: unknown) => void;
    /** Milliseconds, for tests. */
    readonly duration?: number;
  }) {
    this.#options = options;
    this.#duration = options.duration ?? DURATION;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
  }

  /** Checks the clock, too: a process that was paused may have lost the lease unnoticed. */
  get isLeader(): boolean {
    return this.#leading && performance.now() - this.#renewedAt < this.#term;
  }

  /** Milliseconds. */
  get #term(): number {
    return this.#duration * RENEW_DEADLINE;
  }

  start(): void {
    this.#turning = this.#turn();
  }

  /** Releases the lease, so that another replica need not wait for its end: after a renewal under way, which would undo the release. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
    this.#lead(false);
    await this.#turning;
    if (this.#renewedAt === -Infinity) return;
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
    this.#timer = setTimeout(() => {
      this.start();
    }, pause);
    this.#timer.unref();
  }

  /** `at`: when the request was sent, because its answer may have taken long. The timer ends leadership if the API server hangs. */
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
    const { version: resourceVersion } = lease;
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
    const { version: resourceVersion } = lease;
    const body = this.#lease({ transitions, resourceVersion, holder: "" });
    await this.#call({ method: "PUT", path: `${this.#path}/${name}`, body });
  }

  async #read(): Promise<
    | {
        readonly version: string;
        readonly spec: {
          readonly holderIdentity?: string | null;
          readonly leaseDurationSeconds?: number | null;
          readonly acquireTime?: string | null;
          readonly leaseTransitions?: number | null;
        };
      }
    | undefined
  > {
    const { client, name } = this.#options;
    const lease = await getObject(client, `${this.#path}/${name}`, { deadline: this.#term / 2 });
    if (lease === undefined) return undefined;
    const { metadata, spec } = lease;
    const known = typeof spec === "object" && spec !== null ? spec : {};
    return { version: metadata.resourceVersion ?? "", spec: known };
  }

  /** The deadline leaves time for another try before the term ends. */
  #call(call: ApiCall): Promise<unknown> {
    return this.#options.client.call({ ...call, deadline: this.#term / 2 });
  }

  /** A conflict is normal: another replica was faster, and the next turn reads its Lease. */
  #report(error: unknown): void {
    if (!(error instanceof ApiError && error.isConflict)) this.#options.onError(error);
  }

  /** Default values: `acquireTime` now, `holder` this replica. `resourceVersion`: of the Lease that is replaced. */
  #lease({
    transitions,
    acquireTime,
    resourceVersion,
    holder,
  }: {
    readonly transitions: number;
    readonly acquireTime?: string | undefined;
    readonly resourceVersion?: string;
    readonly holder?: string;
  }): object {
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

/** The time as a MicroTime of Kubernetes. */
function microTime(): string {
  return new Date().toISOString().replace(/Z$/, "000Z");
}
