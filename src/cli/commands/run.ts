import { FileController } from "../../controller/file-controller.js";
import type { Log } from "../../controller/log.js";
import { logNginxLine } from "../../controller/nginx-log.js";
import { readSources } from "../../input/files.js";
import { Applier } from "../../output/apply.js";
import { environmentFiles } from "../../output/environment.js";
import { luaBundle } from "../../output/lua-bundle.js";
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
import { compileOptions } from "../settings.js";
import { StopSignals } from "../stop-signals.js";
import type { Terminal } from "../terminal.js";
import { watchPaths } from "../watch-paths.js";

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

/** `albc run` on files: serves them until SIGTERM or SIGINT. Throws EnvironmentError for what keeps it from starting. */
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
    const controller = await createController(run, applier, terminal);
    await serve(run, { controller, applier, nginx, signals });
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

async function createController(
  { call, settings, log }: Run,
  applier: Applier,
  terminal: Terminal,
): Promise<FileController> {
  // Standard input can be read once only.
  const text = call.paths.includes("-") ? await terminal.readInput() : "";
  return new FileController({
    options: compileOptions(settings),
    log,
    readSources: () =>
      readSources(call.paths, { readInput: () => Promise.resolve(text), missing: "report" }),
    fixedFiles: [
      ...(await luaBundle()),
      ...(await environmentFiles({
        resolver: settings.list("resolver"),
        caFile: settings.text("authCaFile"),
      })),
    ],
    apply: (files) => applier.apply(files),
  });
}

interface Parts {
  readonly controller: FileController;
  readonly applier: Applier;
  readonly nginx: NginxProcess | undefined;
  readonly signals: StopSignals;
}

async function serve(run: Run, { controller, applier, nginx, signals }: Parts): Promise<void> {
  const { log, call, folder, binary } = run;
  const watcher = await watchPaths(
    call.paths.filter((path) => path !== "-"),
    () => {
      controller.notify();
    },
    (error) => {
      log.error({ reason: error.message }, "watching the files failed; changes may go unseen");
    },
  );
  try {
    const started = nginx ? startNginx(controller, applier, nginx, log) : controller.refresh();
    if ((await Promise.race([started, signals.first.then(() => "stop" as const)])) !== "stop") {
      controller.open();
      const { ports, objects } = controller.served;
      log.info({ folder, ...(binary && { nginx: binary.version }), ports, objects }, "serving");
      await signals.first;
    }
    log.info({}, "stopping: requests in flight may end");
  } finally {
    await watcher.close();
    await controller.close();
    await stopNginx(nginx, signals);
  }
}

async function startNginx(
  controller: FileController,
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

async function prepareNothing(controller: FileController, applier: Applier): Promise<void> {
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
