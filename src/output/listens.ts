import { readFile } from "node:fs/promises";
import { isTaken } from "./port-probe.js";

/** Where an nginx.conf of ours listens, as CompileOptions.unavailablePorts has it; none if there is no file yet. */
export async function readListens(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  const places = [...text.matchAll(/^ +listen (\S+:\d+)( udp)?[ ;]/gm)].map(
    ([, place = "", udp]) => `${withoutWildcard(place)}${udp === undefined ? "" : "/udp"}`,
  );
  return [...new Set(places)];
}

/** `80` of `0.0.0.0:80` and `[::]:80`. */
export function withoutWildcard(place: string): string {
  return place.replace(/^(?:0\.0\.0\.0|\[::\]):/, "");
}

/**
 * What an nginx that was given the nginx.conf could not listen on. nginx tells the address and not whether it wanted it for TCP or
 * UDP; where it wanted both, the machine is asked. That may say both although one of them is nginx's own: it is free once it is left out.
 */
export async function refusedPlaces(
  said: readonly string[],
  path: string,
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
    for (const each of wanted) if (await isTaken(each)) taken.push(each);
    refused.push(...(taken.length > 0 ? taken : wanted));
  }
  return refused;
}
