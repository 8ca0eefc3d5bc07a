import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { REPOSITORY } from "../repository.js";

const run = promisify(execFile);

/** The command that runs a peer, or why it could not be had: a measured absence, not a failure. */
export async function fetchPeer(
  name: "haproxy" | "envoy",
): Promise<{ readonly command: string } | { readonly absent: string }> {
  const script = join(REPOSITORY, "e2e/bench/peers/fetch");
  try {
    const { stdout } = await run(script, [name, join(REPOSITORY, ".peers", name)]);
    return { command: stdout.trim() };
  } catch (error: unknown) {
    const { stderr } = error as { readonly stderr?: string };
    return { absent: stderr?.trim().split("\n").at(-1) ?? String(error) };
  }
}
