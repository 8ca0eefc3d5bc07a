/** Addresses that auth URLs of tenants may not name: the gateway asks what listens there with its own rights, and hands answers on. */
import type { AuthUrl } from "../../model/auth.js";
import type { CompileOptions } from "../../model/options.js";
import { addressAndPort, addressBytes, cidrContains } from "../../support/ip-address.js";
import { OwnAddresses } from "../own-addresses.js";
import { literalText } from "./template.js";

/**
 * lua/alb/auth/reserved_ranges.lua is generated from it. Loopback, unspecified and link-local addresses, metadata services among them (fd00:ec2::254 and fd20:ce::254 are those of clouds), also
 * inside of IPv6 addresses (RFC 4291, 2.5.5; RFC 6052).
 */
export const RESERVED = [
  ...["127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16"],
  ...["::/96", "fe80::/10", "fd00:ec2::254/128", "fd20:ce::254/128"],
  ...["64:ff9b::7f00:0/104", "64:ff9b::/104", "64:ff9b::a9fe:0/112"],
];

/** RFC 6761, 6.3, and what /etc/hosts of Debian and Red Hat has. */
const LOCAL_NAME = /^(?:(?:.*\.)?localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)\.?$/;

type Options = Pick<
  CompileOptions,
  "authAddresses" | "healthAddress" | "machineAddresses" | "dataPlane"
>;

/** Why a tenant's auth URL can't name its host; undefined if it can, or if only a request shows it. Completes "<setting> …". */
export function reservedProblem(
  { host, scheme, port }: AuthUrl,
  options: Options,
): string | undefined {
  const text = literalText(host);
  if (text === undefined) return undefined;
  const address = LOCAL_NAME.test(text) ? "127.0.0.1" : text;
  if (addressBytes(address) === undefined) return undefined;
  const digits = port === undefined ? String(scheme === "https" ? 443 : 80) : literalText(port);
  const what = new OwnAddresses(options).at([address, Number(digits)]);
  if (what !== undefined) return `names ${what}`;
  const isReserved = RESERVED.some((range) => cidrContains(range, address));
  return isReserved && !options.authAddresses.some((range) => cidrContains(range, address))
    ? "names a loopback or link-local address"
    : undefined;
}

/** What the data plane checks once it knows the address. */
export function restrictionsOf(options: Options): NonNullable<AuthUrl["restricted"]> {
  const { port } = addressAndPort(options.healthAddress);
  return {
    allowed: options.authAddresses,
    ...(port > 0 && { healthPort: port }),
  };
}
