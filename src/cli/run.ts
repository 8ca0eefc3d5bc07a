import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { type Logger, pino } from "pino";
import type { ClusterSource } from "../controller/cluster-source.js";
import { Controller } from "../controller/controller.js";
import { FileSource } from "../controller/file-source.js";
import { type Observe, startRunHealth } from "../health/run-health.js";
import { SourceFiles } from "../input/files.js";
import type { CompileOptions } from "../model/options.js";
import { Applier } from "../output/apply.js";
import { environmentFiles, luaBundle, machineFacts } from "../output/environment.js";
import {
  type NginxBinary,
  type WorkerUser,
  fileShortage,
  findNginx,
  mostSockets,
  workerUser,
} from "../output/nginx-binary.js";
import { logNginxLine } from "../output/nginx-log.js";
import { NginxProcess } from "../output/nginx-process.js";
import { RecentChanges, runIdentity } from "../output/recent-changes.js";
import { sidecar } from "../output/reloader.js";
import { lockRunFolder, makeRunFolder } from "../output/run-folder.js";
import type { RenderedFile } from "../render/rendered-file.js";
import type { Log } from "../support/log.js";
import type { CallOf } from "./command-call.js";
import { clusterOptions, openApi } from "./cluster.js";
import { type Settings, compileOptions, healthNames, ingressNginxLabels } from "./settings.js";
import { startSpans } from "./spans.js";
import { type ExitStatus, type Terminal, EXIT, readVersion } from "./terminal.js";

/** Milliseconds between checks of what the workers serve: nginx may have been reloaded by others while policy.json was written. */
const CONFIRM_INTERVAL = 5000;

/** The parts that all steps of one `albc run` use. */
interface Run {
  readonly call: CallOf<"run">;
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly log: Log;
  /** Absolute. */
  readonly folder: string;
  /** Undefined if albc does not run nginx. */
  readonly binary: NginxBinary | undefined;
  readonly observe: Observe;
}

/** `albc run`: serves files or a cluster until SIGTERM or SIGINT. Throws EnvironmentError if it can't start. */
export async function runRun(
  call: CallOf<"run">,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const signals = new StopSignals();
  const log = createLogger(settings.text("logLevel"));
  // nginx is found before anything is written, so that a machine without nginx is left unchanged.
  const binary = call.reload === undefined ? await find(call, terminal) : undefined;
  const shortage = binary && fileShortage();
  if (shortage !== undefined) log.warn({ reason: shortage }, "nginx serves fewer connections");
  const user = await workerUser(settings.text("nginxUser"));
  const nginxFolder = folderOfNginx(call);
  const folder = await makeRunFolder(call.dir, user, nginxFolder !== undefined);
  const lock = await lockRunFolder(folder);
  let health: Awaited<ReturnType<typeof startRunHealth>> | undefined;
  let spans: Awaited<ReturnType<typeof startSpans>> | undefined;
  try {
    const parts = { call, settings, terminal, log, folder, binary };
    health = await startHealth(parts);
    const { observe } = health;
    spans = await startSpans(settings, log, observe);
    const run: Run = { ...parts, observe };
    const nginx = binary && createNginx(run, { binary, user }, () => controller.nginxRestarted());
    const reloader = nginx ?? sidecar(call.reload ?? { kind: "control", folder }, folder);
    const applier = new Applier({ folder, nginxFolder, reloader, group: user?.gid });
    const { source, options } = await (call.kubernetes ? openCluster : openFiles)(run);
    const identity = runIdentity(readVersion(), terminal.variables);
    const changes = await RecentChanges.open(folder, nginxFolder !== undefined, identity);
    const controller = new Controller(source, {
      ...{ options, log, observe, changes, fixedFiles: await fixedFiles(run) },
      apply: (files, isAwaited) => applier.apply(files, isAwaited),
      nginx: applier,
      probe: nginx && ((files) => applier.probe(files)),
      expect: () => applier.expect(),
    });
    await serve(run, { controller, applier, nginx, signals });
  } finally {
    await spans?.close();
    await health?.close();
    await lock.release();
  }
  log.info({}, "stopped");
  return EXIT.fine;
}

function startHealth({
  call,
  settings,
  terminal,
  log,
  folder,
  binary,
}: Omit<Run, "observe">): ReturnType<typeof startRunHealth> {
  return startRunHealth(
    {
      address: settings.text("healthAddress"),
      names: healthNames(settings),
      folder: folderOfNginx(call) ?? folder,
      runFolder: folder,
      statusPage: settings.switch("statusPage"),
      version: readVersion(),
      nginxVersion: binary?.version,
      startWithErrors: settings.switch("startWithErrors"),
      ingressNginx: ingressNginxLabels(settings, terminal.variables),
    },
    (reason) => {
      log.error({ reason }, "the thread that answers probes failed and is restarted");
    },
  );
}

/** The folder that nginx writes to; undefined if it is the run folder. */
function folderOfNginx({ dir, reload }: CallOf<"run">): string | undefined {
  const folder = reload?.kind === "control" ? reload.folder : undefined;
  return folder === resolve(dir) ? undefined : folder;
}

function find({ nginx }: CallOf<"run">, { variables }: Terminal): Promise<NginxBinary> {
  const { NGINX_BIN, PATH = "" } = variables;
  return findNginx({ given: nginx ?? NGINX_BIN, path: PATH });
}

/** Files that are not compiled from objects: the Lua code, and facts about this machine. */
async function fixedFiles({ settings, binary, folder }: Run): Promise<readonly RenderedFile[]> {
  return [
    ...(await luaBundle()),
    ...(await environmentFiles({
      ...{ folder, resolver: settings.list("resolver"), caFile: settings.text("authCaFile") },
      ...(binary !== undefined && { nginx: binary.version }),
    })),
  ];
}

function createNginx(
  { settings, folder, log, observe }: Run,
  nginx: { readonly binary: NginxBinary; readonly user: WorkerUser | undefined },
  onRestart: () => void,
): NginxProcess {
  return new NginxProcess({
    ...nginx,
    folder,
    drainTimeout: settings.number("drainTimeout"),
    onLine: (line) => {
      logNginxLine(line, log);
    },
    onDeath: (reason, delay) => {
      observe("nginxDied");
      log.error({ reason, delay }, "nginx ended and is restarted");
    },
    onRestart: () => {
      log.info({}, "nginx runs again");
      // A change in the meantime found no nginx to notify.
      onRestart();
    },
  });
}

async function serve(
  run: Run,
  {
    controller,
    applier,
    nginx,
    signals,
  }: {
    readonly controller: Controller;
    readonly applier: Applier;
    readonly nginx: NginxProcess | undefined;
    readonly signals: StopSignals;
  },
): Promise<void> {
  const { log, observe } = run;
  const stop = signals.first.then(() => {
    observe("stop");
    return "stop" as const;
  });
  try {
    const known = controller.start();
    if ((await Promise.race([known, stop])) === "stop") return;
    const started = nginx
      ? controller.startNginx({
          prepare: (files) => applier.prepare(files),
          start: () => nginx.start(),
        })
      : controller.refresh();
    if ((await Promise.race([started, stop])) !== "stop") {
      void reportServing(run, controller);
      controller.open();
      const guard = setInterval(() => void applier.confirm(), CONFIRM_INTERVAL);
      try {
        await signals.first;
        await stepAside(run, signals);
      } finally {
        clearInterval(guard);
      }
    }
    log.info({}, "stopping: waiting for requests in flight");
  } finally {
    await controller.close();
    await stopNginx(nginx, signals);
  }
}

/** An nginx that albc does not run may start later than albc, or never. */
async function reportServing({ log, folder, binary }: Run, controller: Controller): Promise<void> {
  if (binary === undefined) {
    log.info({ folder }, "waiting for an nginx that serves from this folder");
    await controller.firstServed;
  }
  const { ports, objects } = controller.served;
  log.info({ folder, ...(binary && { nginx: binary.version }), ports, objects }, "serving");
}

/** Keeps serving for the shutdown delay, so that clients can notice that it is not ready any longer. */
async function stepAside({ settings, log }: Run, signals: StopSignals): Promise<void> {
  const delay = settings.number("shutdownDelay");
  if (delay === 0) return;
  log.info({ delay }, "not ready any longer; requests that still arrive are served");
  const waiting = new AbortController();
  const passed = pause(delay, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([passed, signals.second]);
  waiting.abort();
}

async function stopNginx(nginx: NginxProcess | undefined, signals: StopSignals): Promise<void> {
  if (nginx === undefined) return;
  const stopped = nginx.stop();
  await Promise.race([stopped, signals.second.then(() => nginx.stop(0))]);
  await stopped;
}

/** SIGTERM and SIGINT: the first one asks for a graceful end, the second one for a quick end. */
class StopSignals {
  #onFirst: () => void = () => undefined;
  #onSecond: () => void = () => undefined;
  readonly first = new Promise<void>((resolve) => (this.#onFirst = resolve));
  readonly second = new Promise<void>((resolve) => (this.#onSecond = resolve));

  constructor() {
    let count = 0;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        count++;
        if (count === 1) this.#onFirst();
        else this.#onSecond();
      });
    }
  }
}

/**
 * Percent by which the heap may grow before it is collected. Node's default is 100, and most of a large heap stays alive. From files, 10
 * makes changes slower, because each of them replaces the text of a file.
 */
const HEAP_GROWTH = { cluster: 10, files: 20 };

/** Also keeps the nursery at the size that it starts with, 1 MiB, where Node allows 16 to 64: most objects of a large heap stay. */
function limitHeapGrowth(percent: number): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString(`--heap-growing-percent=${String(percent)}`);
}

/** The settings, limited to what nginx and this machine can do. */
export async function runOptions({
  call,
  settings,
  binary,
}: Pick<Run, "call" | "settings" | "binary">): Promise<CompileOptions> {
  const options = compileOptions(settings);
  return {
    ...options,
    ingressWithoutClass: !call.kubernetes || settings.switch("ingressWithoutClass"),
    authAddresses: call.kubernetes ? settings.list("authAddresses") : options.authAddresses,
    stream: options.stream && (binary?.stream ?? true),
    listenerSockets: Math.min(options.listenerSockets, mostSockets()),
    ...(await machineFacts()),
  };
}

/** The source of the objects, and the options to compile them with. */
async function openFiles(
  run: Run,
): Promise<{ readonly source: FileSource; readonly options: CompileOptions }> {
  const { call, settings, log, terminal } = run;
  limitHeapGrowth(HEAP_GROWTH.files);
  const options = await runOptions(run);
  // Standard input can be read only once.
  const text = call.paths.includes("-") ? await terminal.readInput() : "";
  const files = new SourceFiles(call.paths, {
    readInput: () => Promise.resolve(text),
    missing: "report",
    followLinks: settings.switch("followLinks"),
  });
  const source = new FileSource({
    options,
    log,
    paths: call.paths.filter((path) => path !== "-"),
    readSources: (changed, canEdit) => files.read(changed, canEdit),
  });
  return { source, options };
}

/** The same for the cluster of the kubeconfig, or the one that albc runs in. Throws EnvironmentError. */
async function openCluster(
  run: Run,
): Promise<{ readonly source: ClusterSource; readonly options: CompileOptions }> {
  const { settings, log, observe, terminal } = run;
  const { ClusterSource } = await import("../controller/cluster-source.js");
  limitHeapGrowth(HEAP_GROWTH.cluster);
  const { client, namespace, scope } = await openApi(settings, terminal.variables);
  // A pod's name is unique, but a process that was killed and its successor must differ.
  const identity = `${terminal.variables["POD_NAME"] ?? hostname()}_${randomUUID()}`;
  const replica = { namespace, identity };
  const options = clusterOptions(await runOptions(run), settings, scope);
  const source = new ClusterSource({ client, scope, replica, options, log, observe });
  return { source, options };
}

/** Writes one JSON line for each event to standard error; standard output is for results. */
function createLogger(level: string): Logger {
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(settings, pino.destination({ dest: 2, sync: true }));
}
