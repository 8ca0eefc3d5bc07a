import { createHash } from "node:crypto";
import type { IpRange } from "../../support/ip-range.js";
import { formatAddress, parseIpRange, rangeHolds, rangeSize } from "../../support/ip-range.js";

/** The addresses that some Gateways may have (option or parameter gatewayAddresses), and which are taken. */
export class AddressPool {
  readonly #ranges: readonly IpRange[];
  readonly #size: bigint;
  readonly #owners: Map<string, string>;

  /**
   * Texts that are no ranges are left out: the edges refuse them. `owners`: by address, of all pools together, since ranges of two
   * may overlap.
   */
  constructor(ranges: readonly string[], owners: Map<string, string>) {
    this.#owners = owners;
    this.#ranges = ranges.flatMap((text) => {
      const range = parseIpRange(text);
      return range.ok ? [range.value] : [];
    });
    this.#size = this.#ranges.reduce((sum, range) => sum + rangeSize(range), 0n);
  }

  holds(address: string): boolean {
    return this.#ranges.some((range) => rangeHolds(range, address));
  }

  /** Who has the address. */
  ownerOf(address: string): string | undefined {
    return this.#owners.get(address);
  }

  take(address: string, owner: string): void {
    this.#owners.set(address, owner);
  }

  /**
   * A free address, undefined when all are taken. Where the search begins follows from the owner's name alone, so that owners that
   * come and go change the others' addresses only where they collide.
   */
  takeFree(owner: string): string | undefined {
    if (this.#size === 0n) return undefined;
    const start = BigInt(`0x${createHash("sha256").update(owner).digest("hex")}`) % this.#size;
    // Each taken address is met at most once per range that holds it.
    const tries = BigInt(this.#owners.size * this.#ranges.length + 1);
    for (let step = 0n; step < tries && step < this.#size; step++) {
      const address = this.#at((start + step) % this.#size);
      if (address === undefined || this.#owners.has(address)) continue;
      this.take(address, owner);
      return address;
    }
    return undefined;
  }

  #at(position: bigint): string | undefined {
    let index = position;
    for (const range of this.#ranges) {
      const size = rangeSize(range);
      if (index < size) return formatAddress(range.family, range.first + index);
      index -= size;
    }
    return undefined;
  }
}
