import { addressBytes } from "./ip-address.js";

/** RFC 1035, 2.3.4, with `_`. */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
/** What some read as an IPv4 address: `127.1`, `0x7f000001` (URL Standard, 3.5). */
const NUMBERS = /^(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}$/;

/**
 * A host (lower case, without port and trailing dot) as it is compared, as lua/alb/route/host_keys.lua has it: a DNS name, an IPv4
 * address, or an IPv6 address in brackets (RFC 5952), each in one spelling only. Undefined: no request can be for it.
 */
export function canonicalHost(host: string): string | undefined {
  const address = /^\[(.*:.*)\]$/.exec(host)?.[1];
  if (address === undefined && !NUMBERS.test(host)) return NAME.test(host) ? host : undefined;
  const bytes = addressBytes(address ?? host);
  if (bytes === undefined) return undefined;
  if (bytes.length === 16) return new URL(`http://${host}`).hostname;
  return Array.from(bytes, (byte) => byte.charCodeAt(0)).join(".");
}
