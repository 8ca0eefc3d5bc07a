import { ApplyWatch } from "../controller/observer.js";
import type { Controller } from "../controller/controller.js";
import type { Log } from "../support/log.js";
import type { Observer } from "../controller/observer.js";
import type { Applier } from "../output/apply.js";
import { NginxNotStarted } from "../output/nginx-log.js";
import type { NginxProcess } from "../output/nginx-process.js";
import { NginxRefused } from "../output/reloader.js";
import { EnvironmentError, PolicyTooLarge, TooManyFaults } from "../support/errors.js";

export interface FirstStart {
  readonly controller: Pick<Controller, "compileFiles" | "emptyFiles" | "exclude" | "served">;
  readonly applier: Pick<Applier, "prepare">;
  readonly nginx: Pick<NginxProcess, "start">;
  readonly observer: Observer;
  readonly log: Log;
}

/** Starts nginx with what the objects give; with nothing if it refuses that, or it is too large. Throws EnvironmentError. */
export async function startNginx({
  controller,
  applier,
  nginx,
  observer,
  log,
}: FirstStart): Promise<void> {
  const watch = new ApplyWatch(observer);
  try {
    const version = await startLeavingOut({ controller, applier, nginx }, () => {
      watch.compiled();
    });
    watch.applied({ kind: "started", version });
  } catch (error: unknown) {
    watch.failed(error);
    // Input must never keep albc from starting: serve nothing until it is mended.
    const what = refusal(error);
    if (what === undefined || !(error instanceof Error)) throw error;
    log.error({ reason: error.message }, `${what}; nothing is served`);
    observer.servesNothing();
    await prepareNothing(controller, applier);
    await nginx.start();
  }
}

/** What the objects are to blame for; undefined: they are not. */
function refusal(error: unknown): string | undefined {
  if (error instanceof NginxRefused) return "nginx refuses the configuration";
  if (error instanceof TooManyFaults)
    return "albc fails on the objects because of a bug of its own";
  return error instanceof PolicyTooLarge ? "the objects are too many or too large" : undefined;
}

/** Without the ports that can't be listened on, as long as there are others. Gives the version of the policy. */
async function startLeavingOut(
  { controller, applier, nginx }: Pick<FirstStart, "controller" | "applier" | "nginx">,
  onCompiled: () => void,
): Promise<string> {
  const files = await controller.compileFiles();
  onCompiled();
  try {
    const { version } = await applier.prepare(files);
    await nginx.start();
    return version;
  } catch (error: unknown) {
    const isOfPorts = error instanceof NginxRefused || error instanceof NginxNotStarted;
    if (!isOfPorts || !isSomethingLeft(controller, error.unavailablePorts)) throw error;
    if (!controller.exclude(error.unavailablePorts, error.message)) throw error;
    return startLeavingOut({ controller, applier, nginx }, onCompiled);
  }
}

function isSomethingLeft(
  { served }: FirstStart["controller"],
  unavailablePorts: readonly string[],
): boolean {
  return served.ports.some((port) => !unavailablePorts.includes(String(port)));
}

async function prepareNothing(
  controller: FirstStart["controller"],
  applier: FirstStart["applier"],
): Promise<void> {
  try {
    await applier.prepare(controller.emptyFiles());
  } catch (error: unknown) {
    if (!(error instanceof NginxRefused)) throw error;
    throw new EnvironmentError(`nginx refuses even an empty configuration: ${error.message}`, {
      cause: error,
    });
  }
}
