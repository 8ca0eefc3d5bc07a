/** Addresses as bytes, so that those of one family are ordered and have prefixes. */
import { isIPv4, isIPv6 } from "node:net";

/** 4 or 16 bytes as text of one character each; an IPv4-mapped IPv6 address is the IPv4 address. Undefined: no address. */
export function addressBytes(text: string): string | undefined {
  if (isIPv4(text)) return String.fromCharCode(...text.split(".").map(Number));
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  const mapped = "\0".repeat(10) + "\xff\xff";
  return bytes.startsWith(mapped) ? bytes.slice(mapped.length) : bytes;
}

/** Is the address in the CIDR, or equal to it when it has no length? */
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
