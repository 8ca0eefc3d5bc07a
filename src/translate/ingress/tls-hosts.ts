import type { Ingress } from "../../api/wire.js";
import type { HostPattern } from "../../model/values.js";
import { hostKey } from "../../model/values.js";
import { getOrInsert } from "../../support/collections.js";
import type { ConfigBuilder } from "../config-builder.js";
import type { HostOwners } from "../hostnames.js";
import { parentWildcard } from "../hostnames.js";

interface Wanted {
  isBroken: boolean;
  /** The first that can be used. */
  certificate?: string;
}

/**
 * Names for which namespaces want TLS, whether or not a certificate is usable. A host has what its owner wants for it or for the wildcard
 * above it, also where the wildcard belongs to another namespace.
 */
export class TlsHosts {
  /** By namespace and name. */
  readonly #wanted = new Map<string, Wanted>();
  readonly #owners: HostOwners;

  constructor(owners: HostOwners) {
    this.#owners = owners;
  }

  add(name: HostPattern, { metadata: { namespace } }: Ingress): Wanted {
    return getOrInsert(this.#wanted, `${namespace} ${hostKey(name)}`, () => ({ isBroken: false }));
  }

  has(host: HostPattern): boolean {
    return this.#wantedFor(host) !== undefined;
  }

  /** Whether a client may be sent to HTTPS: not where nothing answers, because no certificate for the name can be used. */
  answers(host: HostPattern): boolean {
    const wanted = this.#wantedFor(host);
    return wanted !== undefined && (!wanted.isBroken || wanted.certificate !== undefined);
  }

  /** Gives the names below a wildcard of another namespace their own namespace's certificate for it, else the default one. */
  serveBelow(server: string, config: ConfigBuilder): void {
    for (const host of this.#owners.names()) {
      const parent = parentWildcard(host);
      const namespace = this.#namespaceOf(host);
      if (parent === undefined || namespace === this.#namespaceOf(parent)) continue;
      const certificate = this.#wanted.get(`${String(namespace)} ${hostKey(parent)}`)?.certificate;
      if (certificate !== undefined) config.addCertificate({ server, host, certificate });
      else if (this.has(parent)) config.keepDefaultCertificate(server, host);
    }
  }

  #wantedFor(host: HostPattern): Wanted | undefined {
    const namespace = String(this.#namespaceOf(host));
    const parent = parentWildcard(host);
    const own = this.#wanted.get(`${namespace} ${hostKey(host)}`);
    return own ?? (parent && this.#wanted.get(`${namespace} ${hostKey(parent)}`));
  }

  #namespaceOf(host: HostPattern): string | undefined {
    return this.#owners.ownerOf(host)?.metadata.namespace;
  }
}
