/**
 * The containers of deploy/base without a container runtime: each has namespaces of its own for mounts and process ids, its user and
 * its volumes, as the manifest says. Needs root on Linux.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { findNginx } from "../../src/output/nginx-binary.js";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { testNginx } from "../harness/test-nginx.js";
import { waitFor } from "../harness/wait.js";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
/** Below a folder that every container has as its own: what its image would bring. */
export const IMAGE = "/run/image";

interface Security {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly fsGroup?: number;
}

interface ContainerSpec {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: Security;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
}

interface PodSpec {
  readonly shareProcessNamespace?: boolean;
  readonly securityContext: Security;
  readonly containers: readonly ContainerSpec[];
  readonly volumes: readonly { readonly name: string }[];
}

function podOf(path: string): PodSpec {
  const { spec } = load(readFileSync(join(REPOSITORY, path), "utf8")) as {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  };
  return spec.template.spec;
}

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

export class Containers implements Closable {
  readonly pod = podOf("deploy/base/deployment.yaml");
  /** All that they wrote to standard error. */
  log = "";
  readonly #folder: string;
  /** Folder of the program that is tested. */
  #nginx = "";
  readonly #running = new Map<string, ChildProcess>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<Containers> {
    const containers = new Containers(await makeTempFolder());
    for (const { name } of containers.pod.volumes) await containers.#makeVolume(name);
    await containers.#makeImage();
    return containers;
  }

  /** A folder of this machine that is the volume. */
  volume(name: string): string {
    return join(this.#folder, "volumes", name);
  }

  specOf(name: string): ContainerSpec {
    const found = this.pod.containers.find((container) => container.name === name);
    if (found === undefined) throw new Error(`the pod has no container ${name}`);
    return found;
  }

  start(name: string, words: readonly string[], env: Readonly<Record<string, string>>): void {
    const separate = this.pod.shareProcessNamespace === true ? [] : ["--pid", "--mount-proc"];
    const flags = ["--mount", "--fork", ...separate];
    const script = [...this.#mounts(this.specOf(name)), `exec ${this.#asUser(name)} "$@"`];
    const child = spawn(
      "unshare",
      [...flags, "--", "/bin/sh", "-ec", script.join("\n"), name, ...words],
      { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] },
    );
    child.stderr.on("data", (bytes: Buffer) => (this.log += bytes.toString()));
    this.#running.set(name, child);
  }

  /** As a container ends whose first process is killed. */
  async kill(name: string): Promise<void> {
    const child = this.#running.get(name);
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    process.kill(await this.pidOf(name), "SIGKILL");
    await ended;
  }

  /** Its first process, as this machine numbers it. */
  async pidOf(name: string): Promise<number> {
    const parent = String(this.#running.get(name)?.pid);
    return waitFor(`${name} runs`, async () => {
      const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
      return children === "" ? false : Number(children);
    });
  }

  /** A shell script in the container, as its user. */
  async exec(name: string, script: string): Promise<Outcome> {
    const spaces = this.pod.shareProcessNamespace === true ? ["--mount"] : ["--mount", "--pid"];
    const target = String(await this.pidOf(name));
    return run("nsenter", [
      "--target",
      target,
      ...spaces,
      "--",
      "/bin/sh",
      "-c",
      this.#as(name, script),
    ]);
  }

  /** A shell script that sees the process ids of the whole machine, as the container's user. */
  async execOutside(name: string, script: string): Promise<Outcome> {
    return run("/bin/sh", ["-c", this.#as(name, script)]);
  }

  async close(): Promise<void> {
    for (const name of this.#running.keys()) await this.kill(name);
    await removeFolder(this.#folder);
  }

  #as(name: string, script: string): string {
    return `exec ${this.#asUser(name)} /bin/sh -c '${script.replaceAll("'", "'\\''")}'`;
  }

  #asUser(name: string): string {
    const { securityContext } = this.specOf(name);
    const { runAsUser, runAsGroup, fsGroup } = { ...this.pod.securityContext, ...securityContext };
    const ids = `--reuid ${String(runAsUser)} --regid ${String(runAsGroup)}`;
    return `setpriv ${ids} --groups ${String(fsGroup)} --no-new-privs --bounding-set=-all --inh-caps=-all`;
  }

  /** Shell commands that make its file system. Nothing of it is seen outside its namespace. */
  #mounts({ volumeMounts, workingDir }: ContainerSpec): readonly string[] {
    const lines = [
      "mount -t tmpfs -o mode=755 tmpfs /run",
      `mkdir -p ${IMAGE} /run/own && mount --rbind '${this.#folder}' /run/own`,
      `for part in albc nginx bin; do mkdir ${IMAGE}/$part; done`,
      `mount --bind '${REPOSITORY}' ${IMAGE}/albc`,
      `mount --bind '${this.#nginx}' ${IMAGE}/nginx`,
      `touch ${IMAGE}/node && mount --bind '${process.execPath}' ${IMAGE}/node`,
      `mount --bind /run/own/bin ${IMAGE}/bin`,
    ];
    for (const { name, mountPath, readOnly } of volumeMounts) {
      lines.push(`mkdir -p ${mountPath} && mount --bind /run/own/volumes/${name} ${mountPath}`);
      if (readOnly === true) lines.push(`mount -o remount,bind,ro ${mountPath}`);
    }
    lines.push("umount -l /run/own", "mount -o remount,bind,ro /run", "mount -o remount,bind,ro /");
    return [...lines, `cd ${workingDir ?? "/"}`, `PATH=${IMAGE}/bin:$PATH`];
  }

  /** As the kubelet makes an emptyDir for a pod with an fsGroup. */
  async #makeVolume(name: string): Promise<void> {
    await mkdir(this.volume(name), { recursive: true });
    await chown(this.volume(name), 0, this.pod.securityContext.fsGroup ?? 0);
    await chmod(this.volume(name), 0o2777);
  }

  /** The programs of both images: `node` and `openresty`. */
  async #makeImage(): Promise<void> {
    const binary = await findNginx({ given: testNginx(), path: "" });
    this.#nginx = dirname(await realpath(testNginx()));
    const inImage = (text: string) => text.replaceAll(this.#nginx, `${IMAGE}/nginx`);
    const variables = Object.entries(binary.variables).map(
      ([k, v]) => `export ${k}='${inImage(v)}'`,
    );
    const directives = inImage(binary.directives);
    await mkdir(join(this.#folder, "bin"));
    // The words of deploy/base: -e stderr -p PREFIX -c nginx.conf -g DIRECTIVES.
    const openresty = [
      "#!/bin/sh",
      ...variables,
      `exec ${IMAGE}/nginx/nginx "$1" "$2" "$3" "$4" "$5" "$6" "$7" "${directives} $8"`,
    ];
    await writeFile(join(this.#folder, "bin/openresty"), `${openresty.join("\n")}\n`, {
      mode: 0o755,
    });
    await chmod(this.#folder, 0o755);
  }
}

function run(command: string, words: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, words, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : Number(error !== null);
      resolve({ code, output: stdout + stderr });
    });
  });
}
