/** For how long albc's event loop is blocked, as usage-on-exit.js sees it in albc's own process. */
import type { LogLine } from "../harness/albc-process.js";
import type { Gateway } from "../harness/gateway.js";
import { waitFor } from "../harness/wait.js";

/** Variables of an albc that is asked for it. */
export const MEASURED = {
  NODE_OPTIONS: `--import ${new URL("usage-on-exit.js", import.meta.url).href}`,
} as const;

/** Milliseconds at most since the last call, or since the start. */
export async function longestBlock({ albc }: Pick<Gateway, "albc">): Promise<number> {
  const said = (): readonly LogLine[] => albc.lines.filter(({ msg }) => msg === "usage");
  const before = said().length;
  process.kill(albc.pid, "SIGUSR2");
  await waitFor("albc says what it used", () => said().length > before);
  const { block } = JSON.parse(said().at(-1)?.text ?? "{}") as { readonly block: number };
  return block;
}
