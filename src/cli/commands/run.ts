import type { Controller } from "../../controller/controller.js";
import type { Log } from "../../controller/log.js";
import { logNginxLine } from "../../controller/nginx-log.js";
import { Applier } from "../../output/apply.js";
import type { NginxBinary } from "../../output/nginx-binary.js";
import { findNginx } from "../../output/nginx-binary.js";
import { NginxProcess } from "../../output/nginx-process.js";
import { workerOwner } from "../../output/nginx-user.js";
import { NginxRefused } from "../../output/reloader.js";
import { lockRunFolder, makeRunFolder } from "../../output/run-folder.js";
import { sidecar } from "../../output/sidecar.js";
import { EnvironmentError } from "../../support/environment-error.js";
import type { RunCall } from "../arguments.js";
import type { ExitStatus } from "../exit-status.js";
import { EXIT } from "../exit-status.js";
import { createLogger } from "../logger.js";
import type { Settings } from "../settings.js";
import { StopSignals } from "../stop-signals.js";
import type { Terminal } from "../terminal.js";
import { clusterSource } from "../run-source/cluster.js";
import { fileSource } from "../run-source/files.js";
import type { Apply, RunSource } from "../run-source/run-source.js";

/** What one `albc run` works with. */
interface Run {
  readonly call: RunCall;
  readonly settings: Settings;
  readonly log: Log;
  /** Absolute. */
  readonly folder: string;
  /** Absent when somebody else runs nginx. */
  readonly binary: NginxBinary | undefined;
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
  const owner = await workerOwner(settings.text("nginxUser"));
  const folder = await makeRunFolder(call.dir, owner);
  const lock = await lockRunFolder(folder);
  try {
    const run: Run = { call, settings, log, folder, binary };
    const nginx = binary && createNginx(run, binary, () => controller.notify());
    const reloader = nginx ?? sidecar(call.reload ?? "");
    const applier = new Applier({ folder, reloader, ...(owner && { owner }) });
    const source = await createSource(run, applier, terminal);
    const { controller } = source;
    await serve(run, { source, applier, nginx, signals });
  } finally {
    await lock.release();
  }
  log.info({}, "stopped");
  return EXIT.fine;
}

function find(call: RunCall, terminal: Terminal): Promise<NginxBinary> {
  const { NGINX_BIN, PATH } = terminal.variables;
  return findNginx({ given: call.nginx ?? NGINX_BIN, path: PATH ?? "" });
}

function createNginx(
  { settings, folder, log }: Run,
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
      log.error({ reason, delay }, "nginx is started again");
    },
    onRestart: () => {
      log.info({}, "nginx runs again");
      // A change that came meanwhile found nobody to tell.
      onRestart();
    },
  });
}

function createSource(
  { call, settings, log }: Run,
  applier: Applier,
  terminal: Terminal,
): Promise<RunSource> {
  const context = { call, settings, log, terminal };
  const apply: Apply = (files) => applier.apply(files);
  return call.kubernetes ? clusterSource(context, apply) : fileSource(context, apply);
}

interface Parts {
  readonly source: RunSource;
  readonly applier: Applier;
  readonly nginx: NginxProcess | undefined;
  readonly signals: StopSignals;
}

async function serve(run: Run, { source, applier, nginx, signals }: Parts): Promise<void> {
  const { log, folder, binary } = run;
  const { controller } = source;
  const stop = signals.first.then(() => "stop" as const);
  try {
    const known = source.start();
    if ((await Promise.race([known, stop])) === "stop") return;
    const started = nginx ? startNginx(controller, applier, nginx, log) : controller.refresh();
    if ((await Promise.race([started, stop])) !== "stop") {
      controller.open();
      const { ports, objects } = controller.served;
      log.info({ folder, ...(binary && { nginx: binary.version }), ports, objects }, "serving");
      await signals.first;
    }
    log.info({}, "stopping: requests in flight may end");
  } finally {
    await source.close();
    await stopNginx(nginx, signals);
  }
}

async function startNginx(
  controller: Controller,
  applier: Applier,
  nginx: NginxProcess,
  log: Log,
): Promise<void> {
  try {
    await applier.prepare(await controller.compileFiles());
  } catch (error: unknown) {
    if (!(error instanceof NginxRefused)) throw error;
    // Input must never keep albc from starting: serve nothing until it is mended.
    log.error({ reason: error.message }, "nginx refuses the configuration; nothing is served");
    await prepareNothing(controller, applier);
  }
  await nginx.start();
}

async function prepareNothing(controller: Controller, applier: Applier): Promise<void> {
  try {
    await applier.prepare(controller.emptyFiles());
  } catch (error: unknown) {
    if (!(error instanceof NginxRefused)) throw error;
    throw new EnvironmentError(`nginx refuses even an empty configuration: ${error.message}`, {
      cause: error,
    });
  }
}

async function stopNginx(nginx: NginxProcess | undefined, signals: StopSignals): Promise<void> {
  if (nginx === undefined) return;
  const stopped = nginx.stop();
  await Promise.race([stopped, signals.second.then(() => nginx.stop(0))]);
  await stopped;
}
