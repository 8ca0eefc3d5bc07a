import type { PolicyServer } from "../render/policy/policy-document.js";
import { hostKeyCovers } from "./host-key.js";
import { toWire } from "./wire-text.js";
import { own } from "../support/own.js";

/** The id of the listener with the most specific host key that covers the host. */
export function findListener({ listeners }: PolicyServer, host: string): string | undefined {
  return listeners.find(([key]) => hostKeyCovers(toWire(key), host))?.[1];
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
