/** EndpointSlices by their Service. Never changes; the groups of Services that a change does not touch stay the same arrays. */
import type { EndpointSlice } from "../api/core.js";
import { compareStrings } from "../support/compare.js";
import { objectKey } from "./object-key.js";

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

export interface SliceChange {
  readonly before?: EndpointSlice;
  readonly now?: EndpointSlice;
}

type Group = readonly EndpointSlice[];
const NONE: Group = [];

export class EndpointSliceGroups {
  readonly #groups: ReadonlyMap<string, Group>;

  private constructor(groups: ReadonlyMap<string, Group>) {
    this.#groups = groups;
  }

  static readonly EMPTY = new EndpointSliceGroups(new Map());

  of(namespace: string, service: string): Group {
    return this.#groups.get(objectKey(namespace, service)) ?? NONE;
  }

  /** A slice that moves to another Service leaves its old one. */
  with(changes: readonly SliceChange[]): EndpointSliceGroups {
    if (changes.length === 0) return this;
    const groups = new Map(this.#groups);
    for (const { before, now } of changes) {
      if (before !== undefined) edit(groups, before, (group) => without(group, before));
      if (now !== undefined) edit(groups, now, (group) => [...group, now].sort(byName));
    }
    return new EndpointSliceGroups(groups);
  }
}

function edit(
  groups: Map<string, Group>,
  slice: EndpointSlice,
  change: (group: Group) => Group,
): void {
  const service = slice.metadata.labels?.[SERVICE_NAME_LABEL];
  if (service === undefined) return;
  const key = objectKey(slice.metadata.namespace, service);
  const group = change(groups.get(key) ?? NONE);
  if (group.length === 0) groups.delete(key);
  else groups.set(key, group);
}

function without(group: Group, { metadata: { name } }: EndpointSlice): Group {
  return group.filter((slice) => slice.metadata.name !== name);
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return compareStrings(a.metadata.name, b.metadata.name);
}
