import { readFile } from "node:fs/promises";
import { behindOwn, withoutWildcard } from "./places.js";
import { isTaken } from "./port-probe.js";
import { NginxRefused } from "./reloader.js";

/** Where an nginx.conf of ours listens, as CompileOptions.unavailablePorts has it; none if there is no file yet. */
export async function readListens(path: string): Promise<readonly string[]> {
  return listensOf(await readFile(path, "utf8").catch(() => ""));
}

/** The same of its text. */
export function listensOf(text: string): readonly string[] {
  const places = [...text.matchAll(/^ +listen (\S+:\d+)( udp)?[ ;]/gm)].map(
    ([, place = "", udp]) => `${withoutWildcard(place)}${udp === undefined ? "" : "/udp"}`,
  );
  return [...new Set(places)];
}

/**
 * What an nginx that was given the nginx.conf could not listen on. nginx tells the address and not whether it wanted it for TCP or
 * UDP; where it wanted both, the machine is asked. That may say both although one of them is nginx's own: it is free once it is left out.
 */
export async function refusedPlaces(
  said: readonly string[],
  path: string,
  own: readonly string[] = [],
): Promise<readonly string[]> {
  const listens = said.length === 0 ? [] : await readListens(path);
  const refused: string[] = [];
  for (const place of said) {
    const wanted = [place, `${place}/udp`].filter((each) => listens.includes(each));
    const [only = place, other] = wanted;
    if (other === undefined) {
      refused.push(only);
      continue;
    }
    const taken: string[] = [];
    for (const each of wanted) if (await isTaken(each, own)) taken.push(each);
    refused.push(...(taken.length > 0 ? taken : wanted));
  }
  return refused;
}

/** Throws NginxRefused when a socket of the running nginx must be closed before it can open one of the next configuration. */
export function refuseBlocked(next: readonly string[], live: readonly string[]): void {
  const blocked = behindOwn(next, live);
  if (blocked.length === 0) return;
  const message = `${blocked.join(", ")}: nginx itself listens there on other addresses until it is reloaded`;
  throw new NginxRefused(message, [], blocked);
}
