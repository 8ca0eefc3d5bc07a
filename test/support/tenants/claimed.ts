/** What objects name, whatever their kind: what another tenant may want. */
import type { Json } from "../hostile-input.js";
import type { Manifest } from "./manifest.js";

export interface Claimed {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly ports: readonly number[];
  /** Of the objects. */
  readonly names: readonly string[];
  /** Of listeners. */
  readonly sections: readonly string[];
}

export function claimedBy(objects: readonly Manifest[]): Claimed {
  const found = leaves(objects as unknown as Json, "");
  const texts = (pattern: RegExp): readonly string[] => [
    ...new Set(found.flatMap(([path, value]) => (pattern.test(path) ? value : []))),
  ];
  const rules = texts(/dslx/);
  return {
    hosts: [
      ...texts(/\.(host|hostname|hosts|hostnames)$/),
      ...rules.filter((text) => text.includes(".example")),
    ],
    paths: [
      ...texts(/\.path(\.value)?$/),
      ...rules.filter((text) => text.startsWith("/")),
      ...["/shop.Admin/Delete"],
    ],
    ports: texts(/\.(port|number)$/).map(Number),
    names: texts(/^\.metadata\.name$/),
    sections: texts(/\.listeners\.name$/),
  };
}

/** Fields with their paths, without the positions in lists. */
function leaves(value: Json, path: string): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => leaves(item, path));
  if (typeof value === "string" || typeof value === "number") return [[path, String(value)]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([name, field]) =>
    leaves(field, `${path}.${name}`),
  );
}
