/** The whole product under test: `albc run` on a folder of manifests, with a real nginx. */
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AlbcProcess, type LogLine } from "./albc-process.js";
import { type ControlStatus, controlStatus, isServedByAll, writtenVersion } from "./control.js";
import { freePort } from "./free-port.js";
import { Connection, type Request, type Target, send } from "./http-client.js";
import type { HttpResponse } from "./http-message.js";
import { processesIn } from "./processes.js";
import type { Closable } from "./scene.js";
import { makeTempFolder, removeFolder } from "./temp-folder.js";
import { testNginx } from "./test-nginx.js";
import { waitFor } from "./wait.js";

export interface GatewayOptions {
  /** Manifests by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** Files of the run folder that are there before it starts. */
  readonly runFiles?: Readonly<Record<string, string>>;
  /** Ports for Ingresses; free ones when not given. */
  readonly httpPort?: number;
  readonly httpsPort?: number;
  /** Further flags of `albc run`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The built command, when it is another checkout's. */
  readonly main?: string | undefined;
  /** Words before the command, such as those of setpriv. */
  readonly within?: readonly string[];
  /** Errors, and warnings of nginx about its configuration, that the test brings about; any other makes its end fail. */
  readonly errors?: readonly RegExp[];
}

export class Gateway implements Closable {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly manifests: string;
  readonly runFolder: string;
  readonly albc: AlbcProcess;
  readonly #folder: string;
  readonly #errors: RegExp[];
  #closed = false;
  /** What was waited for last: nginx is reloaded only for another nginx.conf. */
  #settled: { readonly status: ControlStatus; readonly configuration: string } | undefined;

  private constructor(
    folder: string,
    ports: { readonly http: number; readonly https: number },
    options: GatewayOptions,
  ) {
    this.httpPort = ports.http;
    this.httpsPort = ports.https;
    this.#folder = folder;
    this.manifests = join(folder, "manifests");
    this.runFolder = join(folder, "run");
    this.#errors = [...(options.errors ?? [])];
    const words = [
      ...["run", "-f", this.manifests, "--dir", this.runFolder, "--nginx", testNginx()],
      ...["--http-port", String(ports.http), "--https-port", String(ports.https)],
      ...["--workers", "2", "--drain-timeout", "10s", ...(options.flags ?? [])],
    ];
    const { env, main, within } = options;
    this.albc = new AlbcProcess(words, {
      ...{ cwd: folder, main },
      ...(env && { env }),
      ...(within && { within }),
    });
  }

  /** Starts it and waits until every worker serves the manifests. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    const folder = await realpath(await makeTempFolder());
    await mkdir(join(folder, "manifests"));
    for (const [name, text] of Object.entries(options.files)) {
      await writeManifest(join(folder, "manifests", name), text);
    }
    for (const [name, text] of Object.entries(options.runFiles ?? {})) {
      await writeManifest(join(folder, "run", name), text);
    }
    const http = options.httpPort ?? (await freePort());
    const https = options.httpsPort ?? (await freePort());
    const gateway = new Gateway(folder, { http, https }, options);
    try {
      await gateway.#ready();
    } catch (error: unknown) {
      const { log } = gateway.albc;
      await gateway.#end();
      throw new Error(`the gateway did not start: ${String(error)}\n${log}`, { cause: error });
    }
    return gateway;
  }

  // ---- Requests ----

  target(over: Partial<Target> = {}): Target {
    return { port: over.tls ? this.httpsPort : this.httpPort, ...over };
  }

  /** One request on a connection of its own, to the HTTP port or, with `tls`, to the HTTPS port. */
  async send(request: Request & Partial<Target>): Promise<HttpResponse> {
    return send(this.target(request), request);
  }

  /** A connection for several requests. */
  async connect(over: Partial<Target> = {}): Promise<Connection> {
    return Connection.open(this.target(over));
  }

  /** Polls a request until `holds` of its answer, and what one worker serves all do. */
  async until(
    what: string,
    request: Request & Partial<Target>,
    holds: (response: HttpResponse) => boolean,
  ): Promise<HttpResponse> {
    const found = await waitFor(what, async () => {
      const response = await this.send(request);
      return holds(response) && response;
    });
    await waitFor("the other workers follow", async () => isServedByAll(await this.status()));
    return found;
  }

  // ---- Manifests ----

  /** Replaces a manifest as careful tools do: written beside and renamed. */
  async write(name: string, text: string): Promise<void> {
    await writeManifest(join(this.manifests, name), text);
  }

  /** Writes into the file itself, as careless editors do: readers may see any part of it. */
  async writeInPlace(name: string, text: string): Promise<void> {
    await writeFile(join(this.manifests, name), text);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.manifests, name));
  }

  /** Replaces a manifest and waits until every worker serves another policy than before. */
  async change(name: string, text: string): Promise<void> {
    const before = (await this.status()).version;
    await this.write(name, text);
    await this.settled(before);
  }

  /** Waits until every worker serves the same policy, one that is not `before`, and the nginx.conf of now. */
  async settled(before?: string): Promise<ControlStatus> {
    const settled = await waitFor("every worker serves the new policy", async () => {
      const configuration = await this.readRunFile("nginx.conf");
      const status = await this.status();
      const isServed = status.version !== before && this.#isLive(status, configuration);
      return isServed && { status, configuration };
    });
    this.#settled = settled;
    return settled.status;
  }

  /** Workers that are about to be replaced may take a policy too, before those listen that follow them. */
  #isLive(status: ControlStatus, configuration: string): boolean {
    const { workers } = status;
    const before = this.#settled;
    const isReloaded = before !== undefined && configuration !== before.configuration;
    const old = isReloaded ? Math.max(...before.status.workers.map(generationOf)) : 0;
    return isServedByAll(status) && workers.every((one) => one.generation > old);
  }

  // ---- Insight ----

  async status(): Promise<ControlStatus> {
    return controlStatus(join(this.runFolder, "control/control.sock"));
  }

  /** Pids of the workers that report themselves, in order. */
  async workerPids(): Promise<number[]> {
    return (await this.status()).workers.map(({ pid }) => pid).sort((a, b) => a - b);
  }

  async masterPid(): Promise<number> {
    return Number(await readFile(join(this.runFolder, "nginx.pid"), "utf8"));
  }

  async readRunFile(name: string): Promise<string> {
    return readFile(join(this.runFolder, name), "utf8");
  }

  /** Access log entries, oldest first. */
  async accessLog(): Promise<Record<string, unknown>[]> {
    const text = await this.readRunFile("logs/access.log");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits for a log line of albc that matches. */
  async logged(pattern: RegExp): Promise<LogLine> {
    return waitFor(`albc logs ${String(pattern)}`, () =>
      this.albc.lines.find((line) => pattern.test(line.text)),
    );
  }

  /** From now on, error lines that match are what the test brings about. */
  expectErrors(...patterns: readonly RegExp[]): void {
    this.#errors.push(...patterns);
  }

  // ---- The end ----

  /** Stops it as a service manager does. Throws unless it went quietly, completely and with status 0. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const early = this.albc.endedEarly;
    const { exit, left } = await this.#end();
    const unexpected = this.albc.lines.filter(
      (line) => isProblem(line) && !this.#errors.some((pattern) => pattern.test(line.text)),
    );
    const problems = [
      ...(early ? ["albc ended before it was told to"] : []),
      ...(exit.code === 0 ? [] : [`albc ended with ${exit.code ?? exit.signal}`]),
      ...(left.length === 0 ? [] : [`these processes were left: ${left.join()}`]),
      ...unexpected.map(({ text }) => `albc logged ${text}`),
    ];
    if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${this.albc.log}`);
  }

  /** Ends albc, and whatever it leaves, and removes the folder. */
  async #end(): Promise<{ exit: { code: number | null; signal: string | null }; left: number[] }> {
    this.#closed = true;
    this.albc.signal("SIGTERM");
    const exit = await this.albc.exit().catch(() => ({ code: null, signal: "the deadline" }));
    const left = await processesIn(this.runFolder);
    for (const pid of left) process.kill(pid, "SIGKILL");
    await removeFolder(this.#folder);
    return { exit, left };
  }

  async #ready(): Promise<void> {
    const serves = async (): Promise<string | false> => {
      if (this.albc.ended) return "ended";
      if (!this.albc.lines.some(({ msg }) => msg === "serving")) return false;
      const written = writtenVersion(await this.readRunFile("policy.json"));
      const configuration = await this.readRunFile("nginx.conf");
      const status = await this.status();
      if (status.version !== written) return false;
      if (!this.#isLive(status, configuration)) return false;
      this.#settled = { status, configuration };
      return "ready";
    };
    const state = await waitFor("nginx serves", serves, { deadline: START_LIMIT });
    if (state === "ended") throw new Error(`albc ended with ${String(this.albc.ended?.code)}`);
  }
}

/** Warnings of nginx that concern a request, or unix sockets that a reload leaves behind; others are about what was rendered. */
const HARMLESS = /, (?:client|context): |"deleting socket /;

function isProblem({ level, text }: LogLine): boolean {
  return level === "warn"
    ? text.includes('"from":"nginx"') && !HARMLESS.test(text)
    : ["error", "fatal", "unreadable"].includes(level);
}

function generationOf({ generation }: ControlStatus["workers"][number]): number {
  return generation;
}

/** Written beside (a name that is no manifest) and renamed, so that no reader ever sees a part. */
async function writeManifest(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** Milliseconds. Node starts albc, and albc nginx, twice: on a machine that does ten other things that takes its time. */
const START_LIMIT = 120_000;
