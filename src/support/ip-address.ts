import { isIPv4, isIPv6 } from "node:net";
import { type Result, ok, problem } from "./result.js";

/** 4 or 16 bytes, one character each. An IPv4-mapped IPv6 address gives the IPv4 address. Undefined if the text is not an address. */
export function addressBytes(text: string): string | undefined {
  if (isIPv4(text)) return String.fromCharCode(...text.split(".").map(Number));
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  const mapped = "\0".repeat(10) + "\xff\xff";
  return bytes.startsWith(mapped) ? bytes.slice(mapped.length) : bytes;
}

/** Whether the address is in the CIDR, or equal to it if it has no length. */
export function cidrContains(cidr: string, address: string): boolean {
  const [network = "", length] = cidr.split("/");
  const base = addressBytes(network);
  const bytes = addressBytes(address);
  if (base === undefined || bytes?.length !== base.length) return false;
  const bits = length === undefined ? base.length * 8 : Number(length);
  return bitsOf(base).slice(0, bits) === bitsOf(bytes).slice(0, bits);
}

function ipv6Bytes(text: string): string {
  const [head = "", tail] = text.split("::");
  const front = groupBytes(head);
  const back = groupBytes(tail ?? "");
  return front + "\0".repeat(16 - front.length - back.length) + back;
}

function groupBytes(groups: string): string {
  if (groups === "") return "";
  return groups
    .split(":")
    .map((group) => {
      if (group.includes(".")) return String.fromCharCode(...group.split(".").map(Number));
      const value = Number.parseInt(group, 16);
      return String.fromCharCode(value >> 8, value & 255);
    })
    .join("");
}

function bitsOf(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(2).padStart(8, "0")).join("");
}

export interface IpRange {
  readonly family: 4 | 6;
  /** Both inclusive. */
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * An address, or a CIDR without the addresses that hosts can't have: network and broadcast address in IPv4 (RFC 1122, 3.2.1.3; not of /31
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

/** The address in its canonical text (RFC 5952), so equal addresses are equal texts; undefined if the text is not an address. */
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
  // The serialiser of WHATWG URLs shortens as RFC 5952 does.
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The parts of `ADDRESS:PORT`, an IPv6 address without its brackets; of other text the empty address and port 0. */
export function addressAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(text) ?? [];
  return { host, port: Number(port) };
}

/** Whether the range contains the address. */
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

/** RFC 1123: lower-case letters, digits and inner dashes, as names of namespaces and Services. */
export function isDnsLabel(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
}

/** RFC 1123: labels that are separated by dots. */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && text.split(".").every(isDnsLabel);
}

/** RFC 1035, 2.3.4, with `_`. */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
/** Texts that some programs read as an IPv4 address: `127.1`, `0x7f000001` (URL Standard, 3.5). */
const NUMBERS = /^(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}$/;

/**
 * The canonical form of a host (lower case, without port and trailing dot), as in lua/alb/route/host_keys.lua: a DNS name, an IPv4
 * address, or an IPv6 address in brackets (RFC 5952). Undefined if no request can be for the host.
 */
export function canonicalHost(host: string): string | undefined {
  const address = /^\[(.*:.*)\]$/.exec(host)?.[1];
  if (address === undefined && !NUMBERS.test(host)) return NAME.test(host) ? host : undefined;
  const bytes = addressBytes(address ?? host);
  if (bytes === undefined) return undefined;
  if (bytes.length === 16) return new URL(`http://${host}`).hostname;
  return Array.from(bytes, (byte) => byte.charCodeAt(0)).join(".");
}
