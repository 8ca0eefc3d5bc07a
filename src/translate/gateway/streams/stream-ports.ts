/** Which ports of TLS share names: ports that are alike have the same, and those that routes connect have one list of them. */
import { hostKey } from "../../../model/host-pattern.js";
import { compareStrings } from "../../../support/compare.js";
import { connected } from "../../../support/connected.js";
import { addTo, getOrInsert, groupBy } from "../../../support/group-by.js";
import type { NamedPort, PortNames } from "./stream-names.js";
import { streamNames } from "./stream-names.js";
import type { Claims, HostPlaces, Place, StreamPlaces } from "./stream-places.js";

/** When all routes are bound: of each port. Costs names + ports where ports are alike or have most names in common. */
export function namesOfPorts(
  ports: readonly NamedPort[],
  places: StreamPlaces,
): ReadonlyMap<NamedPort, PortNames> {
  const alike = [...groupBy(ports, (port) => likeness(port, places)).values()];
  const samples = new Map<string, NamedPort>();
  for (const group of alike) {
    const [sample] = group;
    if (sample === undefined) continue;
    for (const { id } of group.flatMap(({ listeners }) => listeners)) samples.set(id, sample);
  }
  const parts = connected([
    ...[...samples.values()].map((sample) => [sample]),
    ...[...places.bound()].map((ids) => [...ids].flatMap((id) => samples.get(id) ?? [])),
  ]);
  const placesOf = placesOfParts(parts, samples, places);
  const names = parts.flatMap((part) => [...streamNames(part, placesOf.get(part) ?? new Map())]);
  const ofSamples = new Map(names);
  return new Map(
    alike.flatMap((group) => {
      const [sample] = group;
      const same = sample && ofSamples.get(sample);
      return same === undefined ? [] : group.map((port) => [port, same] as const);
    }),
  );
}

/** The same for ports that differ in nothing but their number. An HTTPS server is of one port. */
function likeness({ listeners, https }: NamedPort, places: StreamPlaces): unknown {
  if (https.length > 0) return listeners;
  const keys = listeners.map(({ id, hostname, certificates }) =>
    JSON.stringify([hostKey(hostname), places.likeness(id), certificates.map((each) => each.id)]),
  );
  return keys.sort(compareStrings).join();
}

/** Ports that routes connect. */
type Part = readonly NamedPort[];

function placesOfParts(
  parts: readonly Part[],
  samples: ReadonlyMap<string, NamedPort>,
  places: StreamPlaces,
): ReadonlyMap<Part, HostPlaces> {
  const partOf = new Map(parts.flatMap((part) => part.map((sample) => [sample, part])));
  // Listeners of one claim are in one part.
  const partsOf = ({ all }: Claims): ReadonlySet<Part | undefined> =>
    new Set(
      all.map(({ listeners: [first = ""] }) => {
        const sample = samples.get(first);
        return sample && partOf.get(sample);
      }),
    );
  const known = new Map<Claims, ReadonlySet<Part | undefined>>();
  const found = new Map<Part, Map<string, Place[]>>();
  const all = [...places.byHost()].flatMap(([key, here]) => here.map((place) => ({ key, place })));
  for (const { key, place } of all) {
    for (const part of getOrInsert(known, place.claims, () => partsOf(place.claims))) {
      if (part === undefined) continue;
      const own = getOrInsert(found, part, () => new Map<string, Place[]>());
      addTo(own, key, place);
    }
  }
  return found;
}
