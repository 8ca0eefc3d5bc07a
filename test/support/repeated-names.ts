/** Names that one `map` of nginx.conf has twice: nginx refuses the whole file. */
import { type RenderedFile, contentsOf } from "../../src/render/rendered-file.js";

export function repeatedNames(files: readonly RenderedFile[]): readonly string[] {
  const conf = files.find(({ path }) => path === "nginx.conf");
  if (conf === undefined) throw new Error("there is no nginx.conf");
  const maps = contentsOf(conf).matchAll(/^ *map \S+ (\S+) \{\n([^}]*)\}/gm);
  return [...maps].flatMap(([, variable = "", body = ""]) => {
    const names = body.split("\n").flatMap((line) => /^ *([^# ]\S*) \S+;$/.exec(line)?.[1] ?? []);
    return names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => `${variable} ${name}`);
  });
}
