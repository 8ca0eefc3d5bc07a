import type { HostPattern } from "../../ir/host-pattern.js";
import { ANY_HOST, hostKey } from "../../ir/host-pattern.js";
import { parentWildcard } from "../hostnames.js";
import type { HostOwners } from "./host-owners.js";
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
      if (parent === undefined) continue;
      const key = hostKey(parent);
      const below = this.#below.get(key) ?? [];
      below.push(host);
      this.#below.set(key, below);
    }
  }

  /** False for a wildcard that was asked for: it stands for many names, and its first certificate holds. */
  isNew(name: HostPattern): boolean {
    if (name.kind !== "wildcard") return true;
    const known = this.#wildcards.size;
    return this.#wildcards.add(name.suffix).size > known;
  }

  /** What a name in its TLS stands for: itself, or the hosts below a wildcard. */
  of(name: HostPattern): readonly HostPattern[] {
    return this.#ruled(name).filter((host) => this.#owners.isOwner(this.#namespace, host));
  }

  whyNot(name: HostPattern): string {
    const [ruled] = this.#ruled(name);
    const owner = ruled && this.#owners.ownerOf(ruled);
    if (owner === undefined) return `no rule of this Ingress is for ${hostKey(name)}`;
    const { kind, metadata } = owner;
    return `${hostKey(name)} belongs to ${kind} ${metadata.namespace}/${metadata.name}, which is older`;
  }

  #ruled(name: HostPattern): readonly HostPattern[] {
    const parent = parentWildcard(name);
    const isRuled = [name, ...(parent ? [parent] : []), ANY_HOST].some((host) =>
      this.#hosts.has(hostKey(host)),
    );
    return [...(isRuled ? [name] : []), ...(this.#below.get(hostKey(name)) ?? [])];
  }
}
