/**
 * The containers of a pod without a container runtime: each has the file system of the image that .ci/image.js builds, read-only, and
 * namespaces of its own for mounts and process ids, its user and its volumes, as the pod says. Needs root on Linux.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { waitFor } from "../harness/wait.js";
import { type ContainerSpec, type PodSpec, containerOf } from "./deployed-pod.js";

const IMAGE =
  process.env["ALBC_TEST_IMAGE"] ?? fileURLToPath(new URL("../../.image", import.meta.url));

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

export class Containers implements Closable {
  readonly pod: PodSpec;
  readonly #folder: string;
  readonly #log: string;
  /** Commands that enter the pod's network; none: this process's network. */
  readonly #network: readonly string[];
  readonly #running = new Map<string, ChildProcess>();
  /** nginx overwrites what /proc says of its own. */
  readonly #environments = new Map<string, Readonly<Record<string, string>>>();

  private constructor(pod: PodSpec, folder: string, network: readonly string[]) {
    this.pod = pod;
    this.#folder = folder;
    this.#log = join(folder, "log");
    this.#network = network;
  }

  /** `netns`: name of the network namespace of the pod. */
  static async create(pod: PodSpec, netns?: string): Promise<Containers> {
    if (!existsSync(join(IMAGE, "config.json")))
      throw new Error("no image: run `make build-image`");
    const network = netns === undefined ? [] : ["nsenter", `--net=/run/netns/${netns}`];
    const containers = new Containers(pod, await makeTempFolder(), network);
    for (const { name } of pod.volumes) await containers.#makeVolume(name);
    await chmod(containers.#folder, 0o755);
    // nginx opens /dev/stdout again, as its own user, which a socket (what Node makes for a child's output) does not allow.
    await writeFile(containers.#log, "");
    await chmod(containers.#log, 0o666);
    return containers;
  }

  /** All that they wrote. */
  get log(): string {
    return readFileSync(this.#log, "utf8");
  }

  /** A folder of this machine that is the volume. */
  volume(name: string): string {
    return join(this.#folder, "volumes", name);
  }

  /** A file that the kubelet writes into a volume: only the pod's group can read it. */
  async writeFile(volume: string, name: string, text: string): Promise<void> {
    const path = join(this.volume(volume), name);
    await writeFile(path, text, { mode: 0o640 });
    await chown(path, 0, this.pod.securityContext.fsGroup ?? 0);
  }

  /** With its own command and environment, the arguments or the given ones, and more variables. */
  start(name: string, args?: readonly string[], env: Readonly<Record<string, string>> = {}): void {
    const spec = containerOf(this.pod, name);
    const separate = this.pod.shareProcessNamespace === true ? [] : ["--pid"];
    const words = [...(spec.command ?? entrypoint()), ...(args ?? spec.args)];
    const enter = `exec ${this.#asUser(name)} /bin/sh -c 'cd "$0" && exec "$@"' ${spec.workingDir ?? "/"} "$@"`;
    const script = [...this.#mounts(spec), enter];
    const given = (spec.env ?? []).flatMap((each) =>
      each.value === undefined ? [] : [[each.name, each.value] as const],
    );
    const environment = { PATH, ...Object.fromEntries(given), ...env };
    this.#environments.set(name, environment);
    const [command = "", ...rest] = [
      ...this.#network,
      ...["unshare", "--mount", "--fork", ...separate],
      ...["--", "/bin/sh", "-ec", script.join("\n"), name, ...words],
    ];
    const output = openSync(this.#log, "a");
    const child = spawn(command, rest, {
      env: environment,
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    this.#running.set(name, child);
  }

  isRunning(name: string): boolean {
    const child = this.#running.get(name);
    return child?.exitCode === null && child.signalCode === null;
  }

  /** To its first process; resolves when the container has ended. */
  async end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(name);
    if (child === undefined || !this.isRunning(name)) return;
    const ended = once(child, "exit");
    const pid = await this.pidOf(name).catch(() => undefined);
    try {
      if (pid !== undefined && this.isRunning(name)) process.kill(pid, signal);
    } catch (error: unknown) {
      // It may end meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
    await ended;
  }

  /** As a container ends whose first process is killed. */
  async kill(name: string): Promise<void> {
    await this.end(name, "SIGKILL");
  }

  /** Its first process, as this machine numbers it. Rejects if the container has ended. */
  async pidOf(name: string): Promise<number> {
    const parent = String(this.#running.get(name)?.pid);
    const ended = -1;
    const pid = await waitFor(`${name} runs`, async () => {
      if (!this.isRunning(name)) return ended;
      const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
      return children === "" ? false : Number(children);
    });
    if (pid === ended) throw new Error(`the container ${name} has ended`);
    return pid;
  }

  /** A command in the container, as its user, in its folder, with its environment. */
  async run(name: string, words: readonly string[]): Promise<Outcome> {
    const spaces = this.pod.shareProcessNamespace === true ? [] : ["--pid"];
    const pid = await this.pidOf(name);
    const flags = [`--target=${String(pid)}`, "--mount", ...spaces, "--root", "--wd"];
    const user = this.#asUser(name, "").split(" ");
    return run("nsenter", [...flags, ...user, ...words], this.#environments.get(name));
  }

  /** A shell script in the container. */
  async exec(name: string, script: string): Promise<Outcome> {
    return this.run(name, ["/bin/sh", "-c", script]);
  }

  /** A shell script that sees the process ids of the whole machine, as the container's user. */
  async execOutside(name: string, script: string): Promise<Outcome> {
    const [command = "", ...flags] = this.#asUser(name, "").split(" ");
    return run(command, [...flags, "/bin/sh", "-c", script]);
  }

  async close(): Promise<void> {
    for (const name of this.#running.keys()) await this.kill(name);
    await removeFolder(this.#folder);
  }

  #asUser(name: string, root = '"$root"'): string {
    const { securityContext } = containerOf(this.pod, name);
    const { runAsUser, runAsGroup, fsGroup } = { ...this.pod.securityContext, ...securityContext };
    const ids = `--reuid ${String(runAsUser)} --regid ${String(runAsGroup)}`;
    const chroot = root === "" ? "" : `chroot ${root} `;
    return `${chroot}setpriv ${ids} --groups ${String(fsGroup)} --no-new-privs --bounding-set=-all --inh-caps=-all`;
  }

  /** Shell commands that make its file system. Nothing of it is seen outside its namespace. */
  #mounts({ volumeMounts }: ContainerSpec): readonly string[] {
    const lines = [
      `root='${join(IMAGE, "root")}'`,
      // Mount points of volumes, as a runtime makes them.
      ...volumeMounts
        .filter(
          ({ mountPath }) => !mountPath.startsWith("/run/") && !mountPath.startsWith("/var/run/"),
        )
        .map(({ mountPath }) => `mkdir -p "$root${mountPath}"`),
      'mount --bind "$root" "$root"',
      'mount -o remount,bind,ro "$root"',
      'mount -t proc proc "$root/proc"',
      'mount --rbind /dev "$root/dev"',
      'mount -t tmpfs -o mode=755 tmpfs "$root/run"',
    ];
    for (const { name, mountPath, readOnly } of volumeMounts) {
      const path = `"$root${mountPath.replace(/^\/var\/run\//, "/run/")}"`;
      lines.push(`mkdir -p ${path} && mount --bind '${this.volume(name)}' ${path}`);
      if (readOnly === true) lines.push(`mount -o remount,bind,ro ${path}`);
    }
    return [...lines, 'mount -o remount,bind,ro "$root/run"'];
  }

  /** As the kubelet makes an emptyDir for a pod with an fsGroup. */
  async #makeVolume(name: string): Promise<void> {
    await mkdir(this.volume(name), { recursive: true });
    await chown(this.volume(name), 0, this.pod.securityContext.fsGroup ?? 0);
    await chmod(this.volume(name), 0o2777);
  }
}

function entrypoint(): readonly string[] {
  const text = readFileSync(join(IMAGE, "config.json"), "utf8");
  return (JSON.parse(text) as { readonly entrypoint: readonly string[] }).entrypoint;
}

function run(
  command: string,
  words: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, words, { env: { ...(env ?? process.env) } }, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : Number(error !== null);
      resolve({ code, output: stdout + stderr });
    });
  });
}
