/**
 * A pod as deploy/ makes it, but for its users: `albc run --kubernetes --reload control:…`, and beside it an nginx that albc does not
 * run, each a process that can be killed and started again by itself.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findNginx, mainDirectives } from "../../src/output/nginx-binary.js";
import { AlbcProcess } from "../harness/albc-process.js";
import { freePort } from "../harness/free-port.js";
import { Health } from "../harness/health.js";
import { isAlive, processesIn } from "../harness/processes.js";
import type { Closable } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { testNginx } from "../harness/test-nginx.js";
import { waitFor } from "../harness/wait.js";
import { Answering } from "./answering.js";
import { containerOf, deployedPod } from "./deployed-pod.js";

export interface PodOptions {
  /** The only one that it looks at, and where it and others elect their leader. */
  readonly namespace: string;
  readonly flags?: readonly string[];
  /** By default that of the tests' cluster. */
  readonly kubeconfig?: string;
  /** Run folder; by default a temporary one. */
  readonly runFolder?: string;
}

export class Pod extends Answering implements Closable {
  readonly health: Health;
  /** Logs of all controllers that ever were, oldest first. */
  readonly controllers: AlbcProcess[] = [];
  /** What all the nginx that ever were wrote to standard error. */
  nginxLog = "";
  readonly #folder: string;
  readonly #options: PodOptions;
  #nginx: ChildProcess | undefined;

  private constructor(folder: string, ports: Ports, options: PodOptions) {
    super(ports.http, options.runFolder ?? join(folder, "run"), join(folder, "nginx"));
    this.#folder = folder;
    this.#options = options;
    this.health = new Health(ports.health);
  }

  /** A pod in which nothing runs yet. */
  static async create(options: PodOptions): Promise<Pod> {
    const ports = { http: await freePort(), health: await freePort() };
    return new Pod(await makeTempFolder(), ports, options);
  }

  /** Starts both and waits until the pod is ready. */
  static async start(options: PodOptions): Promise<Pod> {
    const pod = await Pod.create(options);
    try {
      pod.startController();
      await pod.startNginx();
      await pod.ready();
      return pod;
    } catch (error: unknown) {
      const logs = `${pod.controller.log}\n${pod.nginxLog}`;
      await pod.close();
      throw new Error(`the pod did not start: ${String(error)}\n${logs}`, { cause: error });
    }
  }

  // ---- Its two containers ----

  get controller(): AlbcProcess {
    const last = this.controllers.at(-1);
    if (last === undefined) throw new Error("no controller was started");
    return last;
  }

  /** What its controllers are started with, after `albc`. */
  get words(): readonly string[] {
    const { namespace, flags = [] } = this.#options;
    return [
      ...["run", "--kubernetes", "--dir", this.runFolder],
      ...["--reload", `control:${this.nginxFolder}`],
      ...["--http-port", String(this.port), "--https-port", "0"],
      ...["--workers", "2", "--ingress-without-class"],
      ...["--namespaces", namespace, "--secret-namespaces", "*"],
      ...["--controller-name", `example.com/${namespace}`],
      ...["--drain-timeout", "10s", ...this.health.flags, ...flags],
    ];
  }

  startController(): void {
    const { namespace, kubeconfig } = this.#options;
    const env = {
      POD_NAMESPACE: namespace,
      ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
    };
    this.controllers.push(new AlbcProcess(this.words, { cwd: this.#folder, env }));
  }

  /** Without a word to anybody; resolves when it is gone. */
  async killController(): Promise<void> {
    this.controller.signal("SIGKILL");
    await this.controller.exit();
  }

  /** By the command of deploy/base. */
  async startNginx(): Promise<void> {
    const binary = await findNginx({ given: testNginx(), path: "" });
    await mkdir(join(this.nginxFolder, "control"), { recursive: true });
    const child = spawn("/bin/sh", ["-c", nginxCommand()], {
      cwd: this.nginxFolder,
      env: {
        ...process.env,
        ...binary.variables,
        NGINX: binary.path,
        RUN: this.runFolder,
        OWN: this.nginxFolder,
        DIRECTIVES: mainDirectives(binary),
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.on("data", (bytes: Buffer) => (this.nginxLog += bytes.toString()));
    this.#nginx = child;
  }

  /** As a container ends whose first process is killed: with all that is in it. */
  async killNginx(): Promise<void> {
    // The master first, or it replaces the workers that die before it does.
    this.#nginx?.kill("SIGKILL");
    const pids = await processesIn(this.nginxFolder);
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    if (this.#nginx?.exitCode === null && this.#nginx.signalCode === null)
      await once(this.#nginx, "exit");
  }

  async nginxMaster(): Promise<number> {
    return Number(await readFile(join(this.nginxFolder, "nginx.pid"), "utf8"));
  }

  // ---- What it does ----

  async ready(): Promise<void> {
    await waitFor("the pod is ready", async () => (await this.health.ask("/readyz")) === "200 ok", {
      deadline: 30_000,
    });
  }

  /** Whether a controller of this pod has logged it. */
  hasLogged(pattern: RegExp): boolean {
    return this.controllers.some(({ lines }) => lines.some(({ text }) => pattern.test(text)));
  }

  async close(): Promise<void> {
    if (this.controllers.length > 0 && this.controller.ended === undefined) {
      this.controller.signal("SIGTERM");
      await this.controller.exit();
    }
    await this.killNginx();
    await this.#keepLogs();
    await removeFolder(this.#folder);
  }

  /** Beside those of the cluster: what a test that failed can't tell by itself. */
  async #keepLogs(): Promise<void> {
    const folder = join(dirname(process.env["KUBECONFIG"] ?? this.#folder), "pods");
    await mkdir(folder, { recursive: true });
    const logs = [...this.controllers.map(({ log }) => log), this.nginxLog];
    await writeFile(
      join(folder, `${this.#options.namespace}-${String(this.port)}.log`),
      logs.join("\n"),
    );
  }
}

interface Ports {
  readonly http: number;
  readonly health: number;
}

/** For another program, folder and directives than the image's. */
function nginxCommand(): string {
  const [script = ""] = containerOf(deployedPod(), "nginx").args;
  const ours = script
    .replace("command -v openresty", ":")
    .replace("exec openresty", 'exec "$NGINX"')
    .replaceAll("/run/albc", "$RUN")
    .replace("/run/nginx/", '"$OWN"/')
    .replace('"daemon off;"', '"$DIRECTIVES"');
  for (const word of [" : ", "$NGINX", "$RUN", "$OWN", "$DIRECTIVES"]) {
    if (!ours.includes(word)) throw new Error(`the command of deploy/ has changed: ${script}`);
  }
  return ours;
}
