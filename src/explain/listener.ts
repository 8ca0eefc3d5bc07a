import type { PolicyDocument, PolicyRoute, PolicyServer } from "../model/policy.js";
import { hostKeyCovers } from "./host-key.js";
import { toWire } from "./wire-text.js";
import { own } from "../support/own.js";

/** The id of the listener with the most specific host key that covers the host. */
export function findListener({ listeners }: PolicyServer, host: string): string | undefined {
  return listeners.find(([key]) => hostKeyCovers(toWire(key), host))?.[1];
}

/** The route with what it has from the listener, as route/prepare.lua makes it ready; undefined: there is no such route. */
export function routeOn(
  { routes, inherited = {} }: Pick<PolicyDocument, "routes" | "inherited">,
  listener: string,
  id: string,
): PolicyRoute | undefined {
  const route = own(routes, id);
  const from = own(inherited, listener);
  if (route === undefined || from === undefined) return route;
  const { refuse, filters = [], policies = [] } = from;
  const auth = route.auth ?? (route.ownAuth === true ? [] : policies);
  return { ...route, ...(refuse && { refuse }), auth: [...filters, ...auth] };
}

/**
 * Whether a connection for the server name may not bring requests for hosts of the listener: as the data plane decides it
 * (lua/alb/tls/listener_guard.lua).
 */
export function isMisdirected(server: PolicyServer, serverName: string, listener: string): boolean {
  if (!server.tls) return false;
  const named = findListener(server, serverName);
  return (
    named !== listener && [named, listener].some((id) => id !== undefined && isHeld(server, id))
  );
}

/** It is reached only by connections for one of its names, which lead nowhere else. */
function isHeld({ isolated = [], clientCertificates = {} }: PolicyServer, id: string): boolean {
  return isolated.includes(id) || own(clientCertificates, id) !== undefined;
}
