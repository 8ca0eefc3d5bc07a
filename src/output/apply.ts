/**
 * Rendered files → a data plane that serves them. Changes of nginx.conf and lua/ are tested and need a reload; all others are swapped by
 * telling the workers, even if nginx refuses the new nginx.conf. After any other failure the last good files are restored.
 *
 * A swapped policy is sent first and written afterwards. A master that starts or reloads in between reads the old one, so what is served
 * is checked again after the new one is written (DataPlane.confirm).
 */
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type RenderedFile, type RenderedPolicy, mustFit } from "../render/rendered-file.js";
import { EnvironmentError } from "../support/errors.js";
import { errorText } from "../support/text.js";
import type { Draining } from "./control-client.js";
import { DataPlane, policyDelta } from "./data-plane.js";
import { fileError, writeChanged } from "./files.js";
import {
  isPolicy,
  isSafeBelowOld,
  isSameConfiguration,
  keepingConfiguration,
  needsReload,
  policyOf,
  textOf,
} from "./kept-configuration.js";
import { listensOf } from "./listens.js";
import { type Reloader, NginxRefused } from "./reloader.js";
import { LoadedMark, removeSockets } from "./run-folder.js";
import { WrittenFiles } from "./written-files.js";

/** `written`: no nginx answers; it reads the files when it starts. */
export interface Applied {
  readonly kind: "unchanged" | "written" | "swapped" | "reloaded";
  /** Version of the policy that is served now. */
  readonly version: string;
  /** Why nginx refused the new nginx.conf: the new policy and secrets are served with the old nginx.conf. */
  readonly refused?: string;
  /** The ports that nginx could not listen on, for CompileOptions. */
  readonly unavailablePorts?: readonly string[];
  /** The ports that it can open once a reload without them has closed a socket of its own. */
  readonly blockedPorts?: readonly string[];
  /** Where nginx listens now. */
  readonly listens?: readonly string[];
  /** The generation of workers that a reload replaced. */
  readonly replaced?: number;
  /** Why policy.json could not be written: the policy is served, but an nginx that starts now would serve an older one. */
  readonly unwritten?: string;
}

const STAGE = "stage";
const PROBE = "probe";
const STAGE_FOLDERS = ["control", "logs", "tmp", "environment"];

type Outcome = Pick<Applied, "kind" | "unwritten" | "replaced">;

/** Applies one change after the other: `apply` must not be called before the previous call has ended. */
export class Applier {
  readonly #folder: string;
  readonly #reloader: Reloader;
  readonly #group: number | undefined;
  readonly #isShared: boolean;
  readonly #dataPlane: DataPlane;
  readonly #disk: WrittenFiles;
  readonly #loaded: LoadedMark;
  /** The last good files, and their policy. */
  #files: readonly RenderedFile[] = [];
  #served: RenderedPolicy | undefined;
  /** What nginx refused last. */
  #refused: readonly RenderedFile[] | undefined;
  #isApplying = false;
  #isAwaited: () => boolean = () => false;
  #confirming: Promise<unknown> = Promise.resolve();

  constructor(options: {
    /** The run folder, absolute. */
    readonly folder: string;
    readonly reloader: Reloader;
    /** Group of nginx's workers if their user is not albc's own: they read our files as members of it. */
    readonly group?: number | undefined;
    /** Where nginx writes, if that is not the run folder: its user then reads our files as a member of our group. */
    readonly nginxFolder?: string | undefined;
  }) {
    this.#folder = options.folder;
    this.#reloader = options.reloader;
    this.#group = options.group;
    this.#isShared = options.nginxFolder !== undefined || options.group !== undefined;
    this.#dataPlane = new DataPlane(options.nginxFolder ?? options.folder);
    this.#disk = new WrittenFiles(options.folder, options.group);
    this.#loaded = new LoadedMark(options.folder);
  }

  /** `apply` may follow soon. Does not throw. */
  expect(): void {
    void this.#dataPlane.expect().catch(() => undefined);
  }

  /** Tests and writes the first files, for an nginx that does not run yet. Throws like apply. */
  async prepare(rendered: readonly RenderedFile[]): Promise<Applied> {
    const files = this.#isShared ? rendered.map(groupReadable) : rendered;
    mustFit(policyOf(files));
    await this.#test(files);
    await this.#loaded.clear();
    await this.#disk.write(policyLast(files));
    await this.#loaded.set();
    return this.#accept({ kind: "written" }, files, policyOf(files));
  }

  /**
   * Makes the data plane serve these files (all of them: nginx.conf, policy.json, lua/, environment/, secrets), and waits until every
   * worker does. If nginx refuses nginx.conf, everything else is served nevertheless. Throws NginxRefused, PolicyTooLarge or another
   * EnvironmentError; then the files and the data plane are unchanged. `isAwaited`: see Reloader.
   */
  async apply(
    rendered: readonly RenderedFile[],
    isAwaited: () => boolean = () => false,
  ): Promise<Applied> {
    this.#isAwaited = isAwaited;
    const files = this.#isShared ? rendered.map(groupReadable) : rendered;
    mustFit(policyOf(files));
    this.#isApplying = true;
    await this.#confirming;
    try {
      const applied = await this.#applyOrKeep(files);
      return { ...applied, listens: listensOf(textOf(this.#files, "nginx.conf")) };
    } finally {
      this.#isApplying = false;
    }
  }

  /** Undefined: no nginx answers. */
  draining(): Promise<Draining | undefined> {
    return this.#dataPlane.draining();
  }

  /** Tests files that are not to be served, beside everything else. Throws NginxRefused. */
  probe(files: readonly RenderedFile[]): Promise<void> {
    return this.#test(files, PROBE);
  }

  /**
   * Makes sure that the last applied policy is still served: nginx may have been reloaded at the wrong moment. Does not throw; a failure
   * is repaired by a later call.
   */
  async confirm(): Promise<void> {
    const served = this.#served;
    if (this.#isApplying || served === undefined) return;
    this.#confirming = this.#dataPlane.confirm(served).catch(() => undefined);
    await this.#confirming;
  }

  async #applyOrKeep(files: readonly RenderedFile[]): Promise<Applied> {
    // A reload that is going to fail takes seconds, too long for a revoked password.
    const known = this.#refused !== undefined && isSameConfiguration(this.#refused, files);
    if (known) await this.#applyKept(files);
    try {
      const applied = await this.#applyAll(files);
      this.#refused = undefined;
      return applied;
    } catch (error: unknown) {
      if (!(error instanceof NginxRefused) || isSameConfiguration(files, this.#files)) throw error;
      this.#refused = files.filter(needsReload);
      const applied = await this.#applyKept(files);
      if (applied === undefined) throw error;
      const { message, unavailablePorts, blockedPorts } = error;
      return { ...applied, refused: message, unavailablePorts, blockedPorts };
    }
  }

  /** With the old nginx.conf; undefined if the new policy can't be served with it. */
  async #applyKept(files: readonly RenderedFile[]): Promise<Applied | undefined> {
    if (this.#served === undefined || !isSafeBelowOld(this.#served, policyOf(files))) return;
    return this.#applyAll(keepingConfiguration(this.#files, files));
  }

  async #applyAll(files: readonly RenderedFile[]): Promise<Applied> {
    const policy = policyOf(files);
    const changed = await this.#disk.changed(files);
    const isLoaded = await this.#loaded.isSet();
    if (changed.length === 0 && this.#served?.version === policy.version) {
      const kind = await this.#look(policy, isLoaded);
      if (kind !== undefined) return { kind, version: policy.version };
    }
    const body = policyDelta(this.#served, policy);
    const reloads = body === undefined || !isLoaded || changed.some(needsReload);
    if (reloads) await this.#test(files);
    let outcome: Outcome;
    try {
      outcome = reloads ? await this.#reload(files, policy) : await this.#swap(files, policy, body);
    } catch (error: unknown) {
      await this.#restore(files, error);
      // nginx still serves the previous files, which are on the disk again.
      if (isLoaded) await this.#loaded.set();
      throw error;
    }
    return this.#accept(outcome, files, policy);
  }

  /** For files that are on the disk already; undefined: an nginx runs, and must load them. */
  async #look(policy: RenderedPolicy, isLoaded: boolean): Promise<Applied["kind"] | undefined> {
    if (isLoaded) {
      return (await this.#dataPlane.ensure(policy)) === "served" ? "unchanged" : "written";
    }
    return (await this.#dataPlane.reach()) === undefined ? "written" : undefined;
  }

  async #accept(
    outcome: Outcome,
    files: readonly RenderedFile[],
    policy: RenderedPolicy,
  ): Promise<Applied> {
    this.#files = files;
    this.#served = policy;
    await this.#disk.keepOnly(files);
    return { ...outcome, version: policy.version };
  }

  /** Uses a separate folder with the layout of the run folder, because nginx -t runs our Lua and opens our logs. */
  async #test(files: readonly RenderedFile[], name = STAGE): Promise<void> {
    const stage = join(this.#folder, name);
    try {
      await rm(stage, { recursive: true, force: true });
      for (const each of STAGE_FOLDERS) await mkdir(join(stage, each), { recursive: true });
      await writeChanged(stage, files, { group: this.#group, sync: false });
      await this.#reloader.test(stage);
    } finally {
      await rm(stage, { recursive: true, force: true }).catch((error: unknown) => {
        throw fileError("remove", stage, error);
      });
    }
  }

  async #reload(files: readonly RenderedFile[], policy: RenderedPolicy): Promise<Outcome> {
    if (await this.#loaded.isSet()) {
      const live = await readFile(join(this.#folder, "nginx.conf"), "utf8").catch(() => undefined);
      if (live !== undefined) await removeSockets(this.#folder, live);
    }
    await this.#loaded.clear();
    await this.#disk.write(policyLast(files));
    const before = await this.#dataPlane.reach();
    if (before === undefined) return { kind: "written" };
    const generation = Math.max(0, ...before.workers.map((worker) => worker.generation));
    const watch = this.#dataPlane.watch(policy.version, generation);
    await this.#reloader.reload(() => watch.look(), this.#isAwaited);
    // The next start of nginx reads these files.
    if (watch.outcome === "absent") return { kind: "written" };
    await this.#loaded.set();
    return { kind: "reloaded", replaced: generation };
  }

  async #swap(
    files: readonly RenderedFile[],
    policy: RenderedPolicy,
    body: string,
  ): Promise<Outcome> {
    // Secrets first, because the policy names them.
    await this.#disk.write(files.filter((file) => !isPolicy(file)));
    const swapped = await this.#dataPlane.swap(body, policy);
    if (swapped === "absent") {
      await this.#disk.write(files);
      return { kind: await this.#swapLate(policy) };
    }
    const unwritten = await this.#writePolicy(files, body);
    const isThere = await this.#dataPlane.confirm(policy);
    const kind = isThere ? "swapped" : await this.#swapLate(policy);
    return { kind, ...(unwritten !== undefined && { unwritten }) };
  }

  /** For a data plane that is absent, and may have read policy.json before it was written. */
  async #swapLate(policy: RenderedPolicy): Promise<"swapped" | "written"> {
    if ((await this.#dataPlane.reach()) === undefined) return "written";
    return (await this.#dataPlane.ensure(policy)) === "absent" ? "written" : "swapped";
  }

  /** Returns why it failed. A failed write must not bring back a revoked password that every worker has dropped. */
  async #writePolicy(files: readonly RenderedFile[], body: string): Promise<string | undefined> {
    try {
      for (const file of files.filter(isPolicy))
        await this.#disk.writePolicy(file, body, this.#served?.version ?? "");
      return undefined;
    } catch (error: unknown) {
      if (error instanceof EnvironmentError) return error.message;
      throw error;
    }
  }

  /** Restores the previous files, and their policy in workers that may have taken the new one. */
  async #restore(failed: readonly RenderedFile[], cause: unknown): Promise<void> {
    if (this.#served === undefined) return;
    try {
      await this.#disk.write(policyLast(this.#files));
      await this.#disk.keepOnly(this.#files);
      const full = policyDelta(undefined, this.#served);
      if (full === undefined || policyOf(failed).version === this.#served.version) return;
      await this.#dataPlane.put(full, this.#served);
    } catch (error: unknown) {
      const message = `${errorText(cause)}; then the last good files could not be restored: ${errorText(error)}`;
      throw new EnvironmentError(message, { cause });
    }
  }
}

function groupReadable(file: RenderedFile): RenderedFile {
  return file.mode === 0o600 ? { ...file, mode: 0o640 } : file;
}

/** Secrets first, because policy.json names them. */
function policyLast(files: readonly RenderedFile[]): readonly RenderedFile[] {
  return [...files].sort((a, b) => Number(isPolicy(a)) - Number(isPolicy(b)));
}
