import type { RenderedFile } from "../render/rendered-file.js";

/** Where configurations come from while albc runs: files, or an API server. */
export interface Controller {
  /** What the objects give now. */
  compileFiles(): Promise<readonly RenderedFile[]>;
  /** What no object at all would give. */
  emptyFiles(): readonly RenderedFile[];
  /** Leaves these out from now on, until they are free; false when they are left out already. `reason`: for the log. */
  exclude(unavailablePorts: readonly string[], reason: string): boolean;
  /** Resolves when every worker serves what was compiled here, for the first time. */
  readonly firstServed: Promise<void>;
  /** What the configuration that was compiled last serves. */
  readonly served: ServedSummary;
  /** Something has changed that is not seen by watching: nginx was started again. */
  notify(): void;
  /** The first files are served: changes are taken from now on. */
  open(): void;
  /** Compiles and applies now. Does not throw. */
  refresh(): Promise<void>;
  /** Takes no further change; resolves when the one under way is applied. */
  close(): Promise<void>;
}

/** How much is served, for the log. */
export interface ServedSummary {
  /** Ascending. */
  readonly ports: readonly number[];
  /** Objects of kinds that are read. */
  readonly objects: number;
}
