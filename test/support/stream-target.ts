import { hostKey } from "../../src/model/values.js";
import type { NamedStream, StreamTarget } from "../../src/model/stream.js";

/** What nginx's maps make of a name: the name itself, else the longest wildcard, else the default. Undefined: it is closed. */
export function streamTarget(
  { names, classes }: Pick<NamedStream, "names" | "classes">,
  name: string,
): StreamTarget | undefined {
  const found = new Map(names.map(({ host, to }) => [hostKey(host), to]));
  const to = first(found, [name, ...suffixes(name).map((each) => `**.${each}`), ""]);
  if (to?.kind !== "class") return to;
  const own = new Map(classes.map((each) => [each.id, each.to]));
  return first(own, [to.id, ...suffixes(to.id)]);
}

function first<T>(map: ReadonlyMap<string, T>, keys: readonly string[]): T | undefined {
  const key = keys.find((each) => map.has(each));
  return key === undefined ? undefined : map.get(key);
}

function suffixes(name: string): readonly string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, i) => labels.slice(i + 1).join("."));
}
