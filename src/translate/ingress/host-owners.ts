import type { KubernetesObject } from "../../api/wire.js";
import type { HostPattern } from "../../ir/host-pattern.js";
import { hostKey } from "../../ir/host-pattern.js";
import { parentWildcard } from "../hostnames.js";
import { compareAge } from "../precedence.js";

/**
 * Which namespace has each host: that of the oldest object that names it. The owner alone says what its certificate is, whether
 * it redirects to HTTPS, and whether it is a further name of an Ingress.
 */
export class HostOwners {
  readonly #oldest = new Map<string, KubernetesObject>();
  readonly #names = new Map<string, HostPattern>();

  claim(host: HostPattern, object: KubernetesObject): void {
    const key = hostKey(host);
    const known = this.#oldest.get(key);
    if (known === undefined) this.#names.set(key, host);
    if (known === undefined || compareAge(object, known) < 0) this.#oldest.set(key, object);
  }

  /** The owner of the narrowest named host that covers this one. */
  ownerOf(host: HostPattern): KubernetesObject | undefined {
    const parent = parentWildcard(host);
    return (
      this.#oldest.get(hostKey(host)) ??
      (parent && this.#oldest.get(hostKey(parent))) ??
      this.#oldest.get("")
    );
  }

  /** Every host that is named. */
  names(): readonly HostPattern[] {
    return [...this.#names.values()];
  }

  isOwner(namespace: string, host: HostPattern): boolean {
    return this.ownerOf(host)?.metadata.namespace === namespace;
  }
}
