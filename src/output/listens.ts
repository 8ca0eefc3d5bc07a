import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { endianness } from "node:os";
import { addTo } from "../support/collections.js";
import { addressBytes } from "../support/ip-address.js";
import { errorCode } from "./files.js";

/**
 * Parses a place where nginx listens, as in CompileOptions.unavailablePorts: `80`, `10.0.0.1:80`, `[fd00::1]:80`, or one of these with
 * `/udp`. Without an `address` it is every address.
 */
function placeParts(place: string): {
  readonly address: string | undefined;
  readonly port: number;
  readonly transport: "tcp" | "udp";
} {
  const [, bracketed, plain, port, udp] =
    /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)(\/udp)?$/.exec(place) ?? [];
  const transport = udp === undefined ? "tcp" : "udp";
  return { address: bracketed ?? plain, port: Number(port), transport };
}

/** Whether both are the same socket, or one of them is the same port on all addresses. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [placeParts(one), placeParts(other)];
  if (a.port !== b.port || a.transport !== b.transport) return false;
  return a.address === undefined || b.address === undefined || a.address === b.address;
}

/**
 * The new TCP places that nginx can open only once a reload has closed a socket of its own: a port on all addresses instead of on one, or
 * the reverse. If both remain, and for UDP, sockets share the port (`reuseport`).
 */
export function behindOwn(next: readonly string[], live: readonly string[]): readonly string[] {
  const closing = new Map<number, string[]>();
  for (const place of live.filter((each) => !next.includes(each))) {
    const { port, transport } = placeParts(place);
    if (transport === "tcp") addTo(closing, port, place);
  }
  return next.filter(
    (place) =>
      !live.includes(place) &&
      (closing.get(placeParts(place).port) ?? []).some((each) => overlaps(each, place)),
  );
}

/** `80` of `0.0.0.0:80` and `[::]:80`. */
export function withoutWildcard(place: string): string {
  return place.replace(/^(?:0\.0\.0\.0|\[::\]):/, "");
}

/** Whether nginx can listen on the place now. `own`: where it listens already; its own sockets are no obstacle. */
export async function isFree(place: string, own: readonly string[]): Promise<boolean> {
  return (await obstacle(place, own)) === undefined;
}

/** Whether no process can listen there now. A missing permission of this process does not count. */
export async function isTaken(place: string, own: readonly string[]): Promise<boolean> {
  const code = await obstacle(place, own);
  return code === "EADDRINUSE" || code === "EADDRNOTAVAIL";
}

/** The error code that a process gets there; undefined if it can listen. */
async function obstacle(place: string, own: readonly string[]): Promise<string | undefined> {
  const code = await bindFailure(place);
  const isOwn = code === "EADDRINUSE" && own.some((each) => overlaps(each, place));
  return isOwn && !(await othersListen(place, own)) ? undefined : code;
}

/** Whether the kernel's tables contain another process' socket in the way; false without /proc. */
async function othersListen(place: string, own: readonly string[]): Promise<boolean> {
  const { port, transport } = placeParts(place);
  const ours = new Set(own.flatMap(kernelNames));
  const sockets = await Promise.all(
    [transport, `${transport}6`].map(async (table) => {
      const text = await readFile(`/proc/net/${table}`, "utf8").catch(() => "");
      return text.split("\n").map((line) => line.trim().split(/\s+/));
    }),
  );
  // proc_pid_net(5): the second column is the local address, the fourth is the state: 0A listens, 07 is an unconnected UDP socket.
  const state = transport === "tcp" ? "0A" : "07";
  return sockets.flat().some(([, local = "", , is]) => {
    const [address = "", hexPort = ""] = local.split(":");
    if (is !== state || parseInt(hexPort, 16) !== port) return false;
    return !ours.has(`${transport} ${local}`) && isInTheWay(address, place);
  });
}

function isInTheWay(address: string, place: string): boolean {
  const wanted = placeParts(place).address;
  if (wanted === undefined || /^0+$/.test(address)) return true;
  return kernelNames(place).some((name) => name.includes(` ${address}:`));
}

/** The place in the format of the kernel's tables: hexadecimal, each 32 bits in the byte order of the machine. */
function kernelNames(place: string): readonly string[] {
  const { address, port, transport } = placeParts(place);
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  return (address === undefined ? ["0.0.0.0", "::"] : [address]).map((each) => {
    const bytes = Buffer.from(addressBytes(each) ?? "", "latin1");
    if (endianness() === "LE") bytes.swap32();
    return `${transport} ${bytes.toString("hex").toUpperCase()}:${hexPort}`;
  });
}

async function bindFailure(place: string): Promise<string | undefined> {
  const { address } = placeParts(place);
  if (address !== undefined) return bind(address, place);
  const failure = await bind("0.0.0.0", place);
  if (failure !== undefined) return failure;
  const failure6 = await bind("::", place);
  // A machine without IPv6 has no conflict there.
  return failure6 === "EAFNOSUPPORT" || failure6 === "EADDRNOTAVAIL" ? undefined : failure6;
}

/** Listens on the address at the port of the place for a moment. The error code; undefined if it worked. */
async function bind(address: string, place: string): Promise<string | undefined> {
  const { port, transport } = placeParts(place);
  const isV6 = address.includes(":");
  const options = { port, exclusive: true };
  const socket =
    transport === "tcp"
      ? createServer((peer) => peer.destroy()).listen({ ...options, host: address, ipv6Only: true })
      : createSocket({ type: isV6 ? "udp6" : "udp4", ...(isV6 && { ipv6Only: true }) });
  if ("bind" in socket) socket.bind({ ...options, address });
  try {
    await once(socket, "listening");
    return undefined;
  } catch (error: unknown) {
    return errorCode(error);
  } finally {
    await new Promise<void>((resolve) => {
      socket.close(() => {
        resolve();
      });
    });
  }
}

/** Where an nginx.conf of albc listens; empty if there is no file yet. */
export async function readListens(path: string): Promise<readonly string[]> {
  return listensOf(await readFile(path, "utf8").catch(() => ""));
}

/** The same for its text. */
export function listensOf(text: string): readonly string[] {
  const places = [...text.matchAll(/^ +listen (\S+:\d+)( udp)?[ ;]/gm)].map(
    ([, place = "", udp]) => `${withoutWildcard(place)}${udp === undefined ? "" : "/udp"}`,
  );
  return [...new Set(places)];
}

/**
 * The places that an nginx with this nginx.conf could not listen on, and all others that can't be had for the same reason: nginx names only
 * some. nginx names the address, but not whether it is for TCP or UDP; what can be had by now may have been either. `own`: see isFree.
 */
export async function refusedPlaces(
  said: readonly string[],
  path: string,
  own: readonly string[] = [],
): Promise<readonly string[]> {
  if (said.length === 0) return [];
  const wanted = new Map<string, string | undefined>();
  for (const place of await readListens(path)) {
    if (!own.includes(place)) wanted.set(place, await obstacle(place, own));
  }
  const named = said.map((place) => {
    const either = [place, `${place}/udp`].filter((each) => wanted.has(each));
    const taken = either.filter((each) => wanted.get(each) !== undefined);
    return taken.length > 0 ? taken : either.length > 0 ? either : [place];
  });
  const reasons = new Set(named.flat().map((place) => wanted.get(place)));
  reasons.delete(undefined);
  const others = [...wanted].flatMap(([place, reason]) => (reasons.has(reason) ? [place] : []));
  return [...new Set([...named.flat(), ...others])];
}
