/** What one request makes of the URL of an auth service, by the comments of src/model/auth.ts. */
import { isIPv4, isIPv6 } from "node:net";
import type { AuthUrl } from "../../src/model/auth.js";
import type { Interpolation } from "../../src/model/values.js";
import { type Variables, expand } from "./expand.js";

export interface AuthRequest {
  readonly host: string;
  readonly port: number;
  readonly target: string;
  /** The Host header. */
  readonly authority: string;
}

class Refused extends Error {}

/** Null when the request is refused. */
export function authRequest(url: AuthUrl, variables: Variables): AuthRequest | null {
  const text = (segments: Interpolation) => refuseNull(expand(segments, variables));
  try {
    const { host, port: brought } = splitHost(text(url.host));
    const written = url.port && text(url.port);
    if (brought !== undefined && written !== undefined) return null;
    const usual = url.scheme === "https" ? 443 : 80;
    const port = portNumber(brought ?? written ?? String(usual));
    const shown = isIPv6(host) ? `[${host}]` : host;
    const authority = written === undefined && brought === undefined ? shown : `${shown}:${port}`;
    return { host, port, target: text(url.target), authority };
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

function refuseNull(text: string | null): string {
  if (text === null) throw new Refused();
  return text;
}

function splitHost(text: string): { readonly host: string; readonly port?: string } {
  const brought = isIPv6(text) ? null : /^(.*?):([0-9]+)$/.exec(text);
  const host = (brought?.[1] ?? text).replace(/^\[(.*)\]$/, "$1");
  if (!isIPv6(host) && !isIPv4(host) && !/^[\w-]+(?:\.[\w-]+)*$/.test(host)) throw new Refused();
  const port = brought?.[2];
  return port === undefined ? { host } : { host, port };
}

function portNumber(text: string): number {
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 65_535) throw new Refused();
  return number;
}
