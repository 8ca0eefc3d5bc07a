/** Does a host key of the policy (`""`, `a.example`, `*.example`, `**.example`) match a host? */
export function hostKeyCovers(key: string, host: string): boolean {
  if (key === "" || key === host) return true;
  if (key.startsWith("**.")) return host.endsWith(key.slice(2));
  if (!key.startsWith("*.")) return false;
  const dot = host.indexOf(".");
  return dot >= 0 && host.slice(dot) === key.slice(1);
}
