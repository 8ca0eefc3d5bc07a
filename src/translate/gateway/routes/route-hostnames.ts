import { isIP } from "node:net";
import type { HostPattern } from "../../../model/host-pattern.js";
import { ANY_HOST, hostKey } from "../../../model/host-pattern.js";
import { parseHostPattern } from "../../hostnames.js";
import { placeOf } from "../../place.js";
import type { AttachableRoute } from "../model.js";
import type { Findings } from "./findings.js";

/** A hostname of the route, and its position in the list. */
export interface RouteHost {
  readonly pattern: HostPattern;
  readonly index: number;
}

/** The hostnames that can be matched; a route without hostnames is for every host. */
export function routeHosts(route: AttachableRoute, findings: Findings): readonly RouteHost[] {
  const { hostnames = [] } = route.spec;
  if (hostnames.length === 0) return [{ pattern: ANY_HOST, index: 0 }];
  const hosts = new Map<string, RouteHost>();
  for (const [index, text] of hostnames.entries()) {
    const parsed = isIP(text) === 0 ? parseHostPattern(text, "many") : undefined;
    if (parsed?.ok === true) {
      const key = hostKey(parsed.value);
      if (!hosts.has(key)) hosts.set(key, { pattern: parsed.value, index });
      continue;
    }
    const message = parsed?.problem ?? `${JSON.stringify(text)} is an IP address, not a DNS name`;
    findings.unsupported(message, placeOf(route, "spec", "hostnames", index));
  }
  return [...hosts.values()];
}
