/** Divides hosts into cells, as path-cells.ts does with paths: host keys are nested or disjoint. */

export interface HostCell {
  /** Host key: `""`, `a.example`, `*.example`, `**.example`. */
  readonly key: string;
  /** Matches the key and no narrower one. */
  readonly host: string;
}

export function hostCells(keys: Iterable<string>): readonly HostCell[] {
  const all = new Set(keys);
  const label = freshLabel(all);
  return Array.from(all, (key): HostCell => {
    if (key === "") return { key, host: label };
    if (key.startsWith("**.")) return { key, host: `${label}.${label}${key.slice(2)}` };
    return { key, host: key.startsWith("*.") ? label + key.slice(1) : key };
  });
}

/** A label that no key has. */
function freshLabel(keys: ReadonlySet<string>): string {
  const labels = new Set(Array.from(keys, (key) => key.split(".")).flat());
  let label = "any";
  for (let n = 1; labels.has(label); n++) label = `any${String(n)}`;
  return label;
}

export function isOneHost({ key }: HostCell): boolean {
  return key !== "" && !key.startsWith("*");
}
