import type { HostPattern } from "../../model/host-pattern.js";
import { ANY_HOST, hostKey } from "../../model/host-pattern.js";
import { addTo } from "../../support/group-by.js";
import { parentWildcard } from "../hostnames.js";
import type { HostOwners } from "../host-owners.js";
import { nameOf } from "../place.js";
import type { PreparedIngress } from "./prepared-ingress.js";

/** The names for which one Ingress may have certificates: those of its rules that its namespace owns. */
export class TlsNames {
  readonly #namespace: string;
  readonly #owners: HostOwners;
  readonly #hosts: ReadonlyMap<string, HostPattern>;
  readonly #below = new Map<string, HostPattern[]>();
  readonly #wildcards = new Set<string>();

  constructor({ ingress, hosts, aliases }: PreparedIngress, owners: HostOwners) {
    this.#namespace = ingress.metadata.namespace;
    this.#owners = owners;
    const named = hosts.map(({ host }) => host);
    const isCatchAll = hosts.length === 0 && ingress.spec?.defaultBackend !== undefined;
    const all = [...named, ...aliases, ...(isCatchAll ? [ANY_HOST] : [])];
    this.#hosts = new Map(all.map((host) => [hostKey(host), host]));
    for (const host of this.#hosts.values()) {
      const parent = parentWildcard(host);
      if (parent !== undefined) addTo(this.#below, hostKey(parent), host);
    }
  }

  /** False for a wildcard that was asked for: it stands for many names, and its first certificate holds. */
  isNew(name: HostPattern): boolean {
    if (name.kind !== "wildcard") return true;
    const known = this.#wildcards.size;
    return this.#wildcards.add(name.suffix).size > known;
  }

  /**
   * What a name in its TLS stands for: itself, or the hosts below a wildcard. Another namespace's wildcard stands for the names below it
   * that belong to this one.
   */
  of(name: HostPattern): readonly HostPattern[] {
    return this.#ruled(name).filter((host) => host.kind === "wildcard" || this.isOwned(host));
  }

  isOwned(host: HostPattern): boolean {
    return this.#owners.isOwner(this.#namespace, host);
  }

  whyNot(name: HostPattern): string {
    const [ruled] = this.#ruled(name);
    const owner = ruled && this.#owners.ownerOf(ruled);
    if (owner === undefined) return `no rule of this Ingress is for ${hostKey(name)}`;
    return `${hostKey(name)} belongs to ${nameOf(owner)}, which is older`;
  }

  #ruled(name: HostPattern): readonly HostPattern[] {
    const parent = parentWildcard(name);
    const isRuled = [name, ...(parent ? [parent] : []), ANY_HOST].some((host) =>
      this.#hosts.has(hostKey(host)),
    );
    return [...(isRuled ? [name] : []), ...(this.#below.get(hostKey(name)) ?? [])];
  }
}
