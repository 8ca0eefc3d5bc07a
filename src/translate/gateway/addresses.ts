import { createHash } from "node:crypto";
import type { Gateway } from "../../api/gateway.js";
import {
  type IpRange,
  canonicalAddress,
  formatAddress,
  parseIpRange,
  rangeHolds,
  rangeSize,
} from "../../support/ip-address.js";
import { HOLDS, type Verdict, refused } from "./verdict.js";
import type { WrittenGateway } from "./written-gateways.js";

export interface AddressedGateway extends WrittenGateway {
  /** Addresses and names for its status: its own, or the shared ones. */
  readonly reachedAt: readonly string[];
  readonly assignment: {
    /** Its own addresses; empty while `isServed`: it shares the machine's addresses. */
    readonly addresses: readonly string[];
    readonly isServed: boolean;
    /** AddressNotUsable or AddressNotAssigned if it lacks an address that it asks for. */
    readonly verdict: Verdict;
  };
}

/**
 * Assigns addresses to Gateways, oldest first. A Gateway with a pool gets addresses of its own: those of spec.addresses, or a free one.
 * A Gateway keeps its addresses as long as its spec and the pool allow, even if another Gateway asks for them, so traffic is not
 * interrupted. Its status and `rememberedFor` both say which addresses it has; either may have been lost or overwritten, so an address
 * that both name comes first. Gateways without a pool share the machine's addresses and can't ask for any.
 */
export function assignAddresses(
  gateways: readonly Gateway[],
  rangesFor: (gateway: Gateway) => readonly string[],
  rememberedFor: (gateway: Gateway) => readonly string[],
): ReadonlyMap<Gateway, AddressedGateway["assignment"]> {
  const owners = new Map<string, string>();
  const requests = gateways.map((gateway) => {
    const ranges = rangesFor(gateway);
    const pool = ranges.length === 0 ? undefined : new AddressPool(ranges, owners);
    return requestOf(gateway, pool, rememberedFor(gateway));
  });
  for (const trust of TRUSTED) {
    for (const request of requests) takeWanted(request, (value) => request[trust].has(value));
    for (const request of requests) keepHeld(request, request[trust]);
  }
  for (const request of requests) takeWanted(request, () => true);
  for (const request of requests) takeFree(request);
  return new Map(requests.map((request) => [request.gateway, assignment(request)]));
}

/** Sources that say which addresses a Gateway has, the most reliable first. */
const TRUSTED = ["inBoth", "remembered", "inStatus"] as const;

/** The addresses that a Gateway asks for, and those it got so far. */
interface AddressRequest {
  readonly gateway: Gateway;
  /** Undefined: it shares the machine's addresses. */
  readonly pool: AddressPool | undefined;
  readonly owner: string;
  /** Of spec.addresses; canonical if it is an address. */
  readonly values: readonly string[];
  /** How many more addresses it gets, whichever they are. */
  missing: number;
  readonly inBoth: ReadonlySet<string>;
  readonly inStatus: ReadonlySet<string>;
  readonly remembered: ReadonlySet<string>;
  readonly got: string[];
}

function requestOf(
  gateway: Gateway,
  pool: AddressPool | undefined,
  memory: readonly string[],
): AddressRequest {
  const { spec, status, metadata } = gateway;
  const wanted = spec.addresses ?? [];
  const inStatus = (status?.addresses ?? []).map(({ value }) => canonical(value));
  const remembered = new Set(memory.map(canonical));
  const values = wanted.flatMap(({ value = "" }) => (value === "" ? [] : [canonical(value)]));
  return {
    gateway,
    pool,
    owner: `${metadata.namespace}/${metadata.name}`,
    values: [...new Set(values)],
    missing: wanted.length === 0 ? 1 : wanted.length - values.length,
    inBoth: new Set(inStatus.filter((address) => remembered.has(address))),
    inStatus: new Set(inStatus),
    remembered,
    got: [],
  };
}

function canonical(text: string): string {
  return canonicalAddress(text) ?? text;
}

/** Whether the request gets this address: it is in its pool and free. */
function take({ pool, owner, got }: AddressRequest, address: string): boolean {
  if (pool?.holds(address) !== true || pool.ownerOf(address) !== undefined) return false;
  pool.take(address, owner);
  got.push(address);
  return true;
}

/** Takes addresses of spec.addresses. */
function takeWanted(request: AddressRequest, accepts: (address: string) => boolean): void {
  for (const address of request.values) if (accepts(address)) take(request, address);
}

/** Takes addresses that the Gateway already has, for entries of spec.addresses without a value. */
function keepHeld(request: AddressRequest, held: ReadonlySet<string>): void {
  for (const address of held) {
    if (request.missing === 0) return;
    if (!request.values.includes(address) && take(request, address)) request.missing -= 1;
  }
}

function takeFree(request: AddressRequest): void {
  while (request.missing > 0) {
    const address = request.pool?.takeFree(request.owner);
    if (address === undefined) return;
    request.got.push(address);
    request.missing -= 1;
  }
}

function assignment({
  got,
  values,
  missing,
  pool,
}: AddressRequest): AddressedGateway["assignment"] {
  const first = values.find((value) => !got.includes(value));
  if (pool === undefined) {
    const verdict = first === undefined ? HOLDS : refused("AddressNotUsable", notInPool(first));
    return { addresses: [], isServed: first === undefined, verdict };
  }
  const served = { addresses: [...got], isServed: got.length > 0 };
  if (first !== undefined) {
    const owner = pool.ownerOf(first);
    const message =
      owner === undefined ? notInPool(first) : `address ${first} belongs to Gateway ${owner}`;
    return { ...served, verdict: refused("AddressNotUsable", message) };
  }
  if (missing === 0) return { ...served, verdict: HOLDS };
  const message = "every address of gatewayAddresses is taken";
  return { ...served, verdict: refused("AddressNotAssigned", message) };
}

function notInPool(address: string): string {
  return `address ${address} is not among gatewayAddresses`;
}

/** The addresses that some Gateways may have (option or parameter gatewayAddresses). */
class AddressPool {
  readonly #ranges: readonly IpRange[];
  readonly #size: bigint;
  readonly #owners: Map<string, string>;

  /**
   * Ignores texts that are no ranges: the edges have refused them. All pools share `owners`, by address, since their ranges may overlap.
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

  ownerOf(address: string): string | undefined {
    return this.#owners.get(address);
  }

  take(address: string, owner: string): void {
    this.#owners.set(address, owner);
  }

  /**
   * Takes a free address; undefined: all are taken. The search starts at a position that depends on the owner's name alone, so a new or
   * removed owner changes the address of another one only if they collide.
   */
  takeFree(owner: string): string | undefined {
    if (this.#size === 0n) return undefined;
    const start = BigInt(`0x${createHash("sha256").update(owner).digest("hex")}`) % this.#size;
    // The search meets each taken address at most once for each range that holds it.
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
