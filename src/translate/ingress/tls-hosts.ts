import type { Ingress } from "../../api/wire.js";
import type { ServerCertificate } from "../../model/listener.js";
import { type HostPattern, hostKey } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { Key } from "../keys.js";
import { type HostOwners, insertInto, isBelow, removeFrom } from "../host-owners.js";
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

/**
 * Names for which namespaces want TLS, whether or not a certificate is usable: the default one answers otherwise. A host has what its
 * owner wants for it or for the wildcard above it, also where the wildcard belongs to another namespace.
 */
export class TlsHosts {
  readonly #id: string;
  readonly #owners: HostOwners;
  /** By namespace and name; oldest first. */
  readonly #wanted = new Map<string, WantedName[]>();
  /** What was asked for. */
  readonly #known = new Map<Key, { readonly host: HostPattern; isWanted: boolean }>();
  /** Keys of `#wanted` for whose names no Ingress has a certificate. */
  readonly #uncovered = new Set<string>();
  /** By host. */
  readonly #below = new Map<string, Omit<ServerCertificate, "server">>();

  /** `id`: in the keys of what is asked for. */
  constructor(id: string, owners: HostOwners) {
    this.#id = id;
    this.#owners = owners;
  }

  /** Replaces what an Ingress wanted. Gives the keys of hosts for which that changes anything. */
  replace(before: readonly WantedName[], now: readonly WantedName[]): readonly string[] {
    for (const wanted of before) {
      const list = this.#wanted.get(placeOf(wanted));
      if (list !== undefined) removeFrom(list, wanted);
      if (list?.length === 0) this.#wanted.delete(placeOf(wanted));
    }
    for (const wanted of now) {
      const list = getOrInsert(this.#wanted, placeOf(wanted), () => []);
      insertInto(list, wanted, (a, b) => compareAge(a.ingress, b.ingress));
    }
    for (const place of new Set([...before, ...now].map(placeOf))) {
      const isWanted = this.#wanted.has(place);
      if (isWanted && this.#certificateOf(place) === undefined) this.#uncovered.add(place);
      else this.#uncovered.delete(place);
    }
    if (textOf(before) === textOf(now)) return [];
    return [...before, ...now].map(({ name }) => hostKey(name));
  }

  /** Those for which no Ingress has a certificate. */
  get uncovered(): Iterable<WantedName> {
    const all = [...this.#uncovered].flatMap((place) => this.#wanted.get(place) ?? []);
    return all.filter(
      ({ name, ingress }) => this.#namespaceOf(name) === ingress.metadata.namespace,
    );
  }

  /** Whether hosts have TLS. What is asked for is noted in `reads`. */
  reader(reads: Set<Key>): (host: HostPattern) => boolean {
    return (host) => {
      const key = `tls/${this.#id}/${hostKey(host)}`;
      reads.add(key);
      return getOrInsert(this.#known, key, () => {
        return { host, isWanted: this.#isWanted(host) };
      }).isWanted;
    };
  }

  /** Of a key that was noted and that nothing reads any more. */
  forget(key: Key): void {
    this.#known.delete(key);
  }

  /** Keys of what is different now. `touched`: keys of hosts that `replace` gave here or of the owners. */
  changed(touched: ReadonlySet<string>): readonly Key[] {
    if (touched.size === 0) return [];
    for (const host of this.#owners.namesBelow(touched)) this.#serveBelow(host);
    for (const key of touched) if (!this.#owners.isNamed(key)) this.#below.delete(key);
    return [...this.#known].flatMap(([key, known]) => {
      if (!isBelow(known.host, touched)) return [];
      const before = known.isWanted;
      known.isWanted = this.#isWanted(known.host);
      return known.isWanted === before ? [] : [key];
    });
  }

  /** For names below a wildcard of another namespace: their own namespace's certificate for it, else the default one. */
  get below(): Iterable<Omit<ServerCertificate, "server">> {
    return this.#below.values();
  }

  #serveBelow(host: HostPattern): void {
    const parent = parentWildcard(host);
    const namespace = this.#namespaceOf(host);
    this.#below.delete(hostKey(host));
    if (parent === undefined || namespace === this.#namespaceOf(parent)) return;
    const certificate = this.#certificateOf(`${String(namespace)} ${hostKey(parent)}`);
    if (certificate !== undefined) this.#below.set(hostKey(host), { host, certificate });
    else if (this.#isWanted(parent)) this.#below.set(hostKey(host), { host });
  }

  #isWanted(host: HostPattern): boolean {
    const namespace = String(this.#namespaceOf(host));
    const parent = parentWildcard(host);
    return [host, ...(parent ? [parent] : [])].some((each) =>
      this.#wanted.has(`${namespace} ${hostKey(each)}`),
    );
  }

  #certificateOf(place: string): string | undefined {
    return this.#wanted.get(place)?.find(({ certificate }) => certificate !== undefined)
      ?.certificate;
  }

  #namespaceOf(host: HostPattern): string | undefined {
    return this.#owners.ownerOf(host)?.metadata.namespace;
  }
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

function placeOf({ name, ingress }: WantedName): string {
  return `${ingress.metadata.namespace} ${hostKey(name)}`;
}

/** All that others see of it. */
function textOf(names: readonly WantedName[]): string {
  return JSON.stringify(
    names.map(({ name, ingress: { metadata }, certificate }) => {
      return [hostKey(name), metadata.name, metadata.creationTimestamp, certificate];
    }),
  );
}
