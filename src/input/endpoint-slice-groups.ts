/** EndpointSlices by their Service. Never changes; the groups of Services that a change does not touch stay the same arrays. */
import type { EndpointSlice } from "../api/core.js";
import { compareStrings } from "../support/compare.js";
import { getOrInsert } from "../support/group-by.js";

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

export interface SliceChange {
  readonly before?: EndpointSlice;
  readonly now?: EndpointSlice;
}

type Group = readonly EndpointSlice[];
type Groups = ReadonlyMap<string, Group>;
const NONE: Group = [];

export class EndpointSliceGroups {
  /** By namespace and Service. */
  readonly #namespaces: ReadonlyMap<string, Groups>;

  private constructor(namespaces: ReadonlyMap<string, Groups>) {
    this.#namespaces = namespaces;
  }

  static readonly EMPTY = new EndpointSliceGroups(new Map());

  of(namespace: string, service: string): Group {
    return this.#namespaces.get(namespace)?.get(service) ?? NONE;
  }

  /** A slice that moves to another Service leaves its old one. */
  with(changes: readonly SliceChange[]): EndpointSliceGroups {
    if (changes.length === 0) return this;
    const copies = new Map<string, Map<string, Group>>();
    for (const { before, now } of changes) {
      if (before !== undefined) this.#edit(copies, before, (group) => without(group, before));
      if (now !== undefined) this.#edit(copies, now, (group) => [...group, now].sort(byName));
    }
    return new EndpointSliceGroups(new Map([...this.#namespaces, ...copies]));
  }

  /** `copies`: the namespaces that change. */
  #edit(
    copies: Map<string, Map<string, Group>>,
    { metadata: { namespace, labels } }: EndpointSlice,
    change: (group: Group) => Group,
  ): void {
    const service = labels?.[SERVICE_NAME_LABEL];
    if (service === undefined) return;
    const groups = getOrInsert(copies, namespace, () => new Map(this.#namespaces.get(namespace)));
    const group = change(groups.get(service) ?? NONE);
    if (group.length === 0) groups.delete(service);
    else groups.set(service, group);
  }
}

function without(group: Group, { metadata: { name } }: EndpointSlice): Group {
  return group.filter((slice) => slice.metadata.name !== name);
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  return compareStrings(a.metadata.name, b.metadata.name);
}
