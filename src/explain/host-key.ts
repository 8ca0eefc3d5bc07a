const HOST = /^(?:(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:.]{2,45}\])$/;

/**
 * Can a request be for this host (lower case, without port and trailing dot)? As lua/alb/route/host_keys.lua says: a DNS name
 * (RFC 1035, 2.3.4) of letters, digits, `-` and `_`, an IPv4 address, or an IPv6 address in brackets.
 */
export function isHost(host: string): boolean {
  return HOST.test(host);
}

/** Does a host key of the policy (`""`, `a.example`, `*.example`, `**.example`) match a host? */
export function hostKeyCovers(key: string, host: string): boolean {
  if (key === "" || key === host) return true;
  if (key.startsWith("**.")) return host.endsWith(key.slice(2));
  if (!key.startsWith("*.")) return false;
  const dot = host.indexOf(".");
  return dot >= 0 && host.slice(dot) === key.slice(1);
}
