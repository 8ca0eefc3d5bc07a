/** Ranges of IP addresses that can be counted through. */
import { addressBytes } from "./ip-address.js";
import type { Result } from "./result.js";
import { ok, problem } from "./result.js";

export interface IpRange {
  readonly family: 4 | 6;
  /** Both ends are in it. */
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * An address, or a CIDR without the addresses that no host has: network and broadcast address in IPv4 (RFC 1122, 3.2.1.3; not of /31
 * and /32, RFC 3021), the routers' anycast address in IPv6 (RFC 4291, 2.6.1).
 */
export function parseIpRange(text: string): Result<IpRange> {
  const [network = "", length, ...rest] = text.split("/");
  const bytes = addressBytes(network);
  const family = bytes?.length === 4 ? 4 : 6;
  const width = family === 4 ? 32 : 128;
  const bits = length === undefined ? width : /^\d{1,3}$/.test(length) ? Number(length) : NaN;
  if (bytes === undefined || rest.length > 0 || !(bits <= width)) {
    return problem(`${JSON.stringify(text)} is neither an IP address nor a CIDR`);
  }
  const size = 1n << BigInt(width - bits);
  const base = (number(bytes) / size) * size;
  if (size <= 2n) return ok({ family, first: base, last: base + size - 1n });
  return ok({ family, first: base + 1n, last: base + size - (family === 4 ? 2n : 1n) });
}

/** The address as everybody writes it (RFC 5952), so that equal addresses are equal text; undefined: no address. */
export function canonicalAddress(text: string): string | undefined {
  const bytes = addressBytes(text);
  if (bytes === undefined) return undefined;
  return formatAddress(bytes.length === 4 ? 4 : 6, number(bytes));
}

export function formatAddress(family: 4 | 6, value: bigint): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  }
  const digits = value.toString(16).padStart(32, "0");
  const address = (digits.match(/.{4}/g) ?? []).join(":");
  // WHATWG's serialiser, which shortens as RFC 5952 does.
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Whether the range holds the address. */
export function rangeHolds({ family, first, last }: IpRange, address: string): boolean {
  const bytes = addressBytes(address);
  if (bytes?.length !== (family === 4 ? 4 : 16)) return false;
  const value = number(bytes);
  return first <= value && value <= last;
}

export function rangeSize({ first, last }: IpRange): bigint {
  return last - first + 1n;
}

function number(bytes: string): bigint {
  return Array.from(bytes).reduce((value, byte) => value * 256n + BigInt(byte.charCodeAt(0)), 0n);
}
