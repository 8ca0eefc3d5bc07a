import type { Ingress } from "../../api/wire.js";
import type { ServerCertificate } from "../../model/listener.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import { Asked, Derived, Group, type Read, type Table } from "../../engine/tables.js";
import type { Key } from "../keys.js";
import type { HostOwners, Named } from "../host-owners.js";
import { parentWildcard } from "../hostnames.js";
import type { Place } from "../place.js";
import { compareAge } from "../precedence.js";

/** A name for which an Ingress wants TLS. */
export interface WantedName {
  readonly name: HostPattern;
  readonly ingress: Ingress;
  /** The entry that names it; else what has the entries. */
  readonly place: Place;
  /** The first that is for the name. */
  certificate?: string;
  /** Why the entry gives it none, where no report says so yet. */
  missing?: string;
}

/** By load balancer. */
interface Wanted {
  readonly wanted: readonly (readonly WantedName[])[];
}

type ServedBelow = Omit<ServerCertificate, "server">;

/**
 * Names for which namespaces want TLS, whether or not a certificate is usable: the default one answers otherwise. A host has what its
 * owner wants for it or for the wildcard above it, also where the wildcard belongs to another namespace.
 */
export class TlsHosts {
  readonly #owners: HostOwners;
  /** By namespace and name; oldest first. */
  readonly #places: Group<Wanted, WantedName, readonly WantedName[]>;
  readonly #facts = new Asked((host: HostPattern, read) => this.#isWanted(host, read));
  readonly #uncovered: Derived<readonly WantedName[], readonly WantedName[]>;
  readonly #below: Derived<Named, ServedBelow>;

  /** `wanted`: by Ingress. */
  constructor(wanted: Table<Wanted>, index: number, owners: HostOwners) {
    this.#owners = owners;
    this.#places = new Group(
      wanted,
      (of) => (of.wanted[index] ?? []).map((each) => [placeOf(each), each] as const),
      (all): readonly WantedName[] => all.toSorted((a, b) => compareAge(a.ingress, b.ingress)),
    );
    this.#uncovered = new Derived(this.#places, (all, read) => this.#uncoveredOf(all, read));
    this.#below = new Derived(owners.named, ({ host }, read) => this.#belowOf(host, read));
  }

  update(): void {
    this.#places.update();
    this.#uncovered.update();
    this.#below.update();
    this.#facts.update();
  }

  /** Those for which no Ingress has a certificate. */
  get uncovered(): Iterable<WantedName> {
    return [...this.#uncovered.values()].flat();
  }

  /** Whether hosts have TLS. */
  reader(read: Read): (host: HostPattern) => boolean {
    return (host) => this.#facts.ask(read, hostKey(host), host);
  }

  /** For names below a wildcard of another namespace: their own namespace's certificate for it, else the default one. */
  get below(): Iterable<ServedBelow> {
    return this.#below.values();
  }

  #belowOf(host: HostPattern, read: Read): ServedBelow | undefined {
    const parent = parentWildcard(host);
    if (parent === undefined) return undefined;
    const namespace = this.#namespaceOf(host, read);
    if (namespace === this.#namespaceOf(parent, read)) return undefined;
    const certificate = certificateOf(read(this.#places, placeAt(namespace, parent)));
    if (certificate !== undefined) return { host, certificate };
    return this.#isWanted(parent, read) ? { host } : undefined;
  }

  #uncoveredOf(all: readonly WantedName[], read: Read): readonly WantedName[] | undefined {
    const [first] = all;
    if (first === undefined || certificateOf(all) !== undefined) return undefined;
    const isOwned = this.#namespaceOf(first.name, read) === first.ingress.metadata.namespace;
    return isOwned ? all : undefined;
  }

  #isWanted(host: HostPattern, read: Read): boolean {
    const namespace = this.#namespaceOf(host, read);
    const parent = parentWildcard(host);
    return [host, ...(parent ? [parent] : [])].some(
      (each) => read(this.#places, placeAt(namespace, each)) !== undefined,
    );
  }

  #namespaceOf(host: HostPattern, read: Read): string | undefined {
    return this.#owners.ownerOf(host, read)?.metadata.namespace;
  }
}

function certificateOf(all: readonly WantedName[] = []): string | undefined {
  return all.find(({ certificate }) => certificate !== undefined)?.certificate;
}

/** The names that one Ingress wants TLS for, each once. */
export class WantedNames {
  readonly #names = new Map<string, WantedName>();
  readonly #ingress: Ingress;

  constructor(ingress: Ingress) {
    this.#ingress = ingress;
  }

  add(name: HostPattern, place: Place): WantedName {
    return getOrInsert(this.#names, hostKey(name), () => {
      return { name, ingress: this.#ingress, place };
    });
  }

  get all(): readonly WantedName[] {
    return [...this.#names.values()];
  }
}

function placeOf({ name, ingress }: WantedName): Key {
  return placeAt(ingress.metadata.namespace, name);
}

function placeAt(namespace: string | undefined, name: HostPattern): Key {
  return `${String(namespace)} ${hostKey(name)}`;
}
