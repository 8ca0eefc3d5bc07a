/** Files of which one that may wait is the only thing that needs a reload: the endpoints of streams. All else does not wait. */
import type { RenderedFile } from "../render/rendered-file.js";
import { contentsOf } from "../render/rendered-file.js";
import type { ReloadAllowance } from "./reload-allowance.js";
import { reloadPart } from "./kept-configuration.js";

/** What can be applied now, and the milliseconds after which the rest can be; 0: that is all. */
export function inTime(
  old: readonly RenderedFile[],
  files: readonly RenderedFile[],
  allowance: Pick<ReloadAllowance, "take">,
): { readonly due: readonly RenderedFile[]; readonly held: number } {
  const early = keepingEndpoints(old, files);
  const held = early === undefined ? 0 : allowance.take();
  return { due: held === 0 ? files : (early ?? files), held };
}

/** The new files with the endpoints of before; undefined when those are the same, or not all that needs a reload. */
export function keepingEndpoints(
  old: readonly RenderedFile[],
  files: readonly RenderedFile[],
): readonly RenderedFile[] | undefined {
  const now = files.find(({ patient }) => patient);
  const before = old.find(({ path }) => path === now?.path);
  if (before === undefined || now === undefined) return undefined;
  if (contentsOf(before) === contentsOf(now)) return undefined;
  const kept = files.map((file) => (file === now ? before : file));
  return reloadPart(kept) === reloadPart(old) ? kept : undefined;
}
