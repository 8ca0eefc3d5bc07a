/**
 * Manifests in files → a data plane that serves them: reads, compiles, applies, once at the start and again at each change.
 * Nothing in the input ends it: what can't be read keeps its last good content, what nginx refuses is not applied.
 */
import type { Resources } from "../input/resources.js";
import { advance, initialInput } from "../input/last-good.js";
import type { InputState } from "../input/last-good.js";
import type { Source } from "../input/source.js";
import type { ControllerOptions, CurrentObjects } from "./compiling-controller.js";
import { CompilingController } from "./compiling-controller.js";

export interface FileControllerOptions extends ControllerOptions {
  readonly readSources: () => Promise<readonly Source[]>;
}

export class FileController extends CompilingController {
  readonly #setup: FileControllerOptions;
  #input: InputState;
  #byOptions = true;

  constructor(setup: FileControllerOptions) {
    super(setup);
    this.#setup = setup;
    this.#input = initialInput({ albGroup: setup.options.domains.group });
  }

  /** What the files give now; the last good content where they can't be read. */
  protected override async read(): Promise<CurrentObjects> {
    const input = advance(this.#input, await this.#setup.readSources());
    this.#input = input.state;
    this.#reportLostAlbs(input.resources);
    return input;
  }

  protected override publish(): void {
    // Files have no statuses.
  }

  /** Whoever removes the last ALB2 takes its auth and its ports away from all Ingresses, perhaps by mistake. */
  #reportLostAlbs(resources: Resources): void {
    const { options, log } = this.#setup;
    const before = this.#byOptions;
    this.#byOptions = options.alb === "" && isWithoutAlb(resources);
    if (before || !this.#byOptions) return;
    const { httpPort, httpsPort } = options;
    log.warn(
      { httpPort, httpsPort },
      "the last ALB2 is gone: Ingresses are now served on the ports of the options, without its auth",
    );
  }
}

/** Nobody has written an ALB2, not even one that can't be read. */
function isWithoutAlb(resources: Resources): boolean {
  const isRefused = resources.refused.some(({ kind }) => kind === "ALB2");
  return resources.list("ALB2").length === 0 && !isRefused;
}
