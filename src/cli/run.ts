import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Controller } from "../controller/controller.js";
import { logNginxLine } from "../controller/nginx-log.js";
import { Applier } from "../output/apply.js";
import type { NginxBinary } from "../output/nginx-binary.js";
import { fileShortage, findNginx, workerOwner } from "../output/nginx-binary.js";
import { NginxProcess } from "../output/nginx-process.js";
import { lockRunFolder, makeRunFolder } from "../output/run-folder.js";
import { sidecar } from "../output/sidecar.js";
import type { Log } from "../support/log.js";
import type { RunCall } from "./arguments.js";
import { createController } from "./create-controller.js";
import { startNginx } from "./first-start.js";
import type { RunHealth } from "./run-health.js";
import { startRunHealth } from "./run-health.js";
import type { Settings } from "./settings.js";
import type { ExitStatus, Terminal } from "./terminal.js";
import { EXIT, createLogger, readVersion } from "./terminal.js";

/** Milliseconds between looks at what the workers serve: another may have told nginx to reload while policy.json was written. */
const CONFIRM_INTERVAL = 5000;

/** What one `albc run` works with. */
interface Run {
  readonly call: RunCall;
  readonly settings: Settings;
  readonly log: Log;
  /** Absolute. */
  readonly folder: string;
  /** Absent when somebody else runs nginx. */
  readonly binary: NginxBinary | undefined;
  readonly health: RunHealth;
}

/** `albc run`: serves files or a cluster until SIGTERM or SIGINT. Throws EnvironmentError for what keeps it from starting. */
export async function runRun(
  call: RunCall,
  settings: Settings,
  terminal: Terminal,
): Promise<ExitStatus> {
  const signals = new StopSignals();
  const log = createLogger(settings.text("logLevel"));
  // Found before anything is written: a machine without nginx is left as it was.
  const binary = call.reload === undefined ? await find(call, terminal) : undefined;
  const shortage = binary && fileShortage();
  if (shortage !== undefined) log.warn({ reason: shortage }, "nginx serves fewer connections");
  const owner = await workerOwner(settings.text("nginxUser"));
  const nginxFolder = folderOfNginx(call);
  const folder = await makeRunFolder(call.dir, owner, nginxFolder !== undefined);
  const lock = await lockRunFolder(folder);
  let health: RunHealth | undefined;
  try {
    health = await startRunHealth(
      {
        address: settings.text("healthAddress"),
        folder: nginxFolder ?? folder,
        version: readVersion(),
        nginxVersion: binary?.version ?? "",
        startWithErrors: settings.switch("startWithErrors"),
      },
      (reason) => {
        log.error({ reason }, "the thread that answers probes failed and is started again");
      },
    );
    const run: Run = { call, settings, log, folder, binary, health };
    const nginx = binary && createNginx(run, binary, () => controller.notify());
    const reloader = nginx ?? sidecar(call.reload ?? { kind: "control", folder }, folder);
    const applier = new Applier({ folder, nginxFolder, reloader, ...(owner && { owner }) });
    const controller = await createController({
      ...{ call, settings, log, terminal, nginx: binary, observer: health.observer },
      apply: (files) => applier.apply(files),
    });
    await serve(run, { controller, applier, nginx, signals });
  } finally {
    await health?.close();
    await lock.release();
  }
  log.info({}, "stopped");
  return EXIT.fine;
}

/** Undefined where nginx writes to the run folder. */
function folderOfNginx({ dir, reload }: RunCall): string | undefined {
  const folder = reload?.kind === "control" ? reload.folder : undefined;
  return folder === resolve(dir) ? undefined : folder;
}

function find(call: RunCall, terminal: Terminal): Promise<NginxBinary> {
  const { NGINX_BIN, PATH } = terminal.variables;
  return findNginx({ given: call.nginx ?? NGINX_BIN, path: PATH ?? "" });
}

function createNginx(
  { settings, folder, log, health }: Run,
  binary: NginxBinary,
  onRestart: () => void,
): NginxProcess {
  return new NginxProcess({
    binary,
    folder,
    user: settings.text("nginxUser"),
    drainTimeout: settings.number("drainTimeout"),
    onLine: (line) => {
      logNginxLine(line, log);
    },
    onDeath: (reason, delay) => {
      health.observer.nginxDied();
      log.error({ reason, delay }, "nginx is started again");
    },
    onRestart: () => {
      log.info({}, "nginx runs again");
      // A change that came meanwhile found nobody to tell.
      onRestart();
    },
  });
}

interface Parts {
  readonly controller: Controller;
  readonly applier: Applier;
  readonly nginx: NginxProcess | undefined;
  readonly signals: StopSignals;
}

async function serve(run: Run, { controller, applier, nginx, signals }: Parts): Promise<void> {
  const { log, health } = run;
  const stop = signals.first.then(() => {
    health.stop();
    return "stop" as const;
  });
  try {
    const known = controller.start();
    if ((await Promise.race([known, stop])) === "stop") return;
    const { observer } = health;
    const started = nginx
      ? startNginx({ controller, applier, nginx, observer, log })
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
    log.info({}, "stopping: requests in flight may end");
  } finally {
    await controller.close();
    await stopNginx(nginx, signals);
  }
}

/** Somebody else's nginx may come later than we do, or never. */
async function reportServing({ log, folder, binary }: Run, controller: Controller): Promise<void> {
  if (binary === undefined) {
    log.info({ folder }, "waiting for an nginx that serves from this folder");
    await controller.firstServed;
  }
  const { ports, objects } = controller.served;
  log.info({ folder, ...(binary && { nginx: binary.version }), ports, objects }, "serving");
}

/** Serves on until those who send requests can know that it stops. */
async function stepAside({ settings, log }: Run, signals: StopSignals): Promise<void> {
  const delay = settings.number("shutdownDelay");
  if (delay === 0) return;
  log.info({ delay }, "not ready any more; requests that still come are served");
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

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** SIGTERM and SIGINT: the first asks for an orderly end, the second for a quick one. */
export class StopSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;

  constructor() {
    let onFirst: () => void = () => undefined;
    let onSecond: () => void = () => undefined;
    this.first = new Promise((resolve) => (onFirst = resolve));
    this.second = new Promise((resolve) => (onSecond = resolve));
    let count = 0;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        count++;
        if (count === 1) onFirst();
        else onSecond();
      });
    }
  }
}
