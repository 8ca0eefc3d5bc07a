/**
 * Rendered files → a data plane that serves them. What only nginx.conf and lua/ can say is tested before and needs a
 * reload; everything else is swapped by telling the workers, also when nginx refuses the new nginx.conf. On any other
 * failure the last good files are put back.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RenderedFile } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/environment-error.js";
import type { DataPlaneStatus } from "./control-client.js";
import { ControlClient, ControlError } from "./control-client.js";
import { fileError } from "./file-error.js";
import type { Owner } from "./file-writer.js";
import { changedFiles, contentsOf, removeStale, writeChanged } from "./file-writer.js";
import {
  isSafeBelowOld,
  keepingConfiguration,
  needsReload,
  reloadPart,
} from "./kept-configuration.js";
import { policyDelta } from "./policy-delta.js";
import type { PolicyShards } from "./policy-shards.js";
import { policyShards } from "./policy-shards.js";
import { poll } from "./poll.js";
import type { Reloader } from "./reloader.js";
import { NginxRefused } from "./reloader.js";

/** `written`: on disk, but no nginx was there to be told; it reads the files when it starts. */
export interface Applied {
  readonly kind: "unchanged" | "written" | "swapped" | "reloaded";
  /** Version of the policy that is served now. */
  readonly version: string;
  /** Why nginx would not have the new nginx.conf: the policy and the secrets are the new ones, nginx.conf is the old one. */
  readonly refused?: string;
  /** What it could not listen on, as CompileOptions has it. */
  readonly unavailablePorts?: readonly string[];
}

export interface ApplierOptions {
  /** The run folder, absolute. */
  readonly folder: string;
  readonly reloader: Reloader;
  /** User of nginx's workers, when it is not albc's own. */
  readonly owner?: Owner;
}

/** Milliseconds in which every worker must have taken a policy; one that is restarted needs the most. */
const SERVED_LIMIT = 15_000;
/** One that has just died is started again in this time; where nobody runs one, this is how long a change waits for it. */
const ABSENT_LIMIT = 2000;
const STAGE = "stage";
const STAGE_FOLDERS = ["control", "logs", "tmp", "environment"];

/** Not to be used by two callers at once: changes are applied one after the other. */
export class Applier {
  readonly #folder: string;
  readonly #reloader: Reloader;
  readonly #owner: Owner | undefined;
  readonly #control: ControlClient;
  /** What is on disk; undefined when that is not known. */
  #written: readonly RenderedFile[] | undefined;
  /** The last good files, and their policy. */
  #files: readonly RenderedFile[] = [];
  #served: PolicyShards | undefined;
  /** What nginx refused last, see reloadPart. */
  #refused: string | undefined;

  constructor(options: ApplierOptions) {
    this.#folder = options.folder;
    this.#reloader = options.reloader;
    this.#owner = options.owner;
    this.#control = new ControlClient(options.folder);
  }

  /** The first files, for an nginx that is not started yet: tested and written. Throws as apply does. */
  async prepare(files: readonly RenderedFile[]): Promise<Applied> {
    await this.#test(files);
    await this.#write(files);
    return this.#accept("written", files, policyOf(files));
  }

  /**
   * Makes the data plane serve these files (all of them: nginx.conf, policy.json, lua/, environment/, secrets) and
   * waits until every worker does. When nginx refuses what it reads at a reload, all the rest is served all the same.
   * Throws NginxRefused with what nginx has against them, or EnvironmentError; then the files and the data plane are as
   * they were before.
   */
  async apply(files: readonly RenderedFile[]): Promise<Applied> {
    const part = reloadPart(files);
    // A reload that fails takes seconds, which a revoked password does not have.
    if (part === this.#refused) await this.#applyKept(files);
    try {
      const applied = await this.#applyAll(files);
      this.#refused = undefined;
      return applied;
    } catch (error: unknown) {
      if (!(error instanceof NginxRefused) || part === reloadPart(this.#files)) throw error;
      this.#refused = part;
      const applied = await this.#applyKept(files);
      if (applied === undefined) throw error;
      const { message, unavailablePorts } = error;
      return { ...applied, refused: message, unavailablePorts };
    }
  }

  /** Below the nginx.conf that nginx has; undefined when the new policy can't be served so. */
  async #applyKept(files: readonly RenderedFile[]): Promise<Applied | undefined> {
    if (this.#served === undefined || !isSafeBelowOld(this.#served, policyOf(files))) return;
    return this.#applyAll(keepingConfiguration(this.#files, files));
  }

  async #applyAll(files: readonly RenderedFile[]): Promise<Applied> {
    const policy = policyOf(files);
    const changed = await this.#changed(files);
    if (changed.length === 0 && this.#served?.version === policy.version) {
      return { kind: "unchanged", version: policy.version };
    }
    const body = policyDelta(this.#served, policy);
    const reloads = body === undefined || changed.some(needsReload);
    if (reloads) await this.#test(files);
    let applied: Applied["kind"];
    try {
      await this.#write(files);
      applied = reloads ? await this.#reload(policy) : await this.#swap(body, policy);
    } catch (error: unknown) {
      await this.#restore(files, error);
      throw error;
    }
    return this.#accept(applied, files, policy);
  }

  async #accept(
    kind: Applied["kind"],
    files: readonly RenderedFile[],
    policy: PolicyShards,
  ): Promise<Applied> {
    this.#files = files;
    this.#served = policy;
    await removeStale(this.#folder, files);
    return { kind, version: policy.version };
  }

  /** In a folder of its own, laid out like the run folder: nginx -t runs our Lua and opens our logs. */
  async #test(files: readonly RenderedFile[]): Promise<void> {
    const stage = join(this.#folder, STAGE);
    try {
      await rm(stage, { recursive: true, force: true });
      for (const name of STAGE_FOLDERS) await mkdir(join(stage, name), { recursive: true });
      await writeChanged(stage, files, { owner: this.#owner, sync: false });
      await this.#reloader.test(stage);
    } finally {
      await rm(stage, { recursive: true, force: true }).catch((error: unknown) => {
        throw fileError("remove", stage, error);
      });
    }
  }

  /** Once we have written them, our memory of the files is as good as the disk, and quicker. */
  async #changed(files: readonly RenderedFile[]): Promise<readonly RenderedFile[]> {
    if (this.#written === undefined) return changedFiles(this.#folder, files);
    const written = new Map(this.#written.map((file) => [file.path, contentsOf(file)]));
    return files.filter((file) => written.get(file.path) !== contentsOf(file));
  }

  /** Secrets first: policy.json names them. */
  async #write(files: readonly RenderedFile[]): Promise<void> {
    const changed = await this.#changed(files);
    const ordered = [...changed].sort((a, b) => Number(isNamer(a)) - Number(isNamer(b)));
    this.#written = undefined;
    await writeChanged(this.#folder, ordered, { owner: this.#owner, sync: true });
    this.#written = files;
  }

  async #reload(policy: PolicyShards): Promise<Applied["kind"]> {
    const before = await this.#reach();
    if (before === undefined) return "written";
    const generation = Math.max(0, ...before.workers.map((worker) => worker.generation));
    await this.#reloader.reload(() => this.#isServed(policy.version, generation));
    return "reloaded";
  }

  async #swap(body: string, policy: PolicyShards): Promise<Applied["kind"]> {
    if ((await this.#put(body, policy)) === "absent" && (await this.#reach()) === undefined) {
      return "written";
    }
    if (!(await poll(() => this.#isServed(policy.version, 0), { limit: SERVED_LIMIT }))) {
      throw new NginxRefused(`not every worker serves the policy after ${SERVED_LIMIT / 1000} s`);
    }
    return "swapped";
  }

  /** What the data plane says, if there is one. */
  async #reach(): Promise<DataPlaneStatus | undefined> {
    let status: DataPlaneStatus | undefined;
    const answers = async (): Promise<boolean> => {
      status = await this.#control.status().catch(withoutAnswer);
      return status !== undefined;
    };
    await poll(answers, { limit: ABSENT_LIMIT });
    return status;
  }

  /** Sends the change, or everything when the data plane serves something else than we think. */
  async #put(body: string, policy: PolicyShards): Promise<"accepted" | "absent"> {
    try {
      let outcome = await this.#control.put(body);
      if (outcome.kind !== "accepted") {
        outcome = await this.#control.put(policyDelta(undefined, policy) ?? body);
      }
      if (outcome.kind === "refused") throw new NginxRefused(`the data plane: ${outcome.reason}`);
      return "accepted";
    } catch (error: unknown) {
      if (error instanceof ControlError) return "absent";
      throw error;
    }
  }

  /** Every worker there should be, of a later generation than `generation`, serves the version. */
  async #isServed(version: string, generation: number): Promise<boolean> {
    const status = await this.#control.status().catch(withoutAnswer);
    if (status === undefined) return false;
    const ready = status.workers.filter(
      (worker) => worker.version === version && worker.generation > generation,
    );
    return ready.length >= status.expected;
  }

  /** The files that were served before, and their policy in the workers, which may have taken the new one. */
  async #restore(failed: readonly RenderedFile[], cause: unknown): Promise<void> {
    if (this.#served === undefined) return;
    try {
      await this.#write(this.#files);
      await removeStale(this.#folder, this.#files);
      const full = policyDelta(undefined, this.#served);
      if (full === undefined || policyOf(failed).version === this.#served.version) return;
      await this.#put(full, this.#served);
    } catch (error: unknown) {
      const then = error instanceof Error ? error.message : String(error);
      const first = cause instanceof Error ? cause.message : String(cause);
      throw new EnvironmentError(
        `${first}; then the last good files could not be restored: ${then}`,
        {
          cause,
        },
      );
    }
  }
}

function isNamer(file: RenderedFile): boolean {
  return file.path === "policy.json";
}

function policyOf(files: readonly RenderedFile[]): PolicyShards {
  const file = files.find(isNamer);
  if (file === undefined) throw new Error("no policy.json among the files");
  return policyShards(contentsOf(file));
}

function withoutAnswer(error: unknown): undefined {
  if (!(error instanceof ControlError)) throw error;
}
