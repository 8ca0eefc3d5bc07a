import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { errorCode } from "./file-error.js";

/** Whether the place (`80`, `10.0.0.1:80`, `[fd00::1]:80`, or one of these with `/udp`) can be listened on now. */
export async function isFree(place: string): Promise<boolean> {
  return (await obstacle(place)) === undefined;
}

/** Whether nobody can listen there now; that this process may not, where another may, does not count. */
export async function isTaken(place: string): Promise<boolean> {
  const code = await obstacle(place);
  return code === "EADDRINUSE" || code === "EADDRNOTAVAIL";
}

/** The code of the error that keeps this process from listening there. */
async function obstacle(place: string): Promise<string | undefined> {
  const [, bracketed, plain, port, udp] =
    /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)(\/udp)?$/.exec(place) ?? [];
  const address = bracketed ?? plain;
  const attempt = udp === undefined ? listen : bind;
  if (address !== undefined) return attempt(address, Number(port));
  const failure = await attempt("0.0.0.0", Number(port));
  if (failure !== undefined) return failure;
  const failure6 = await attempt("::", Number(port));
  // A machine without IPv6 has nobody there.
  return failure6 === "EAFNOSUPPORT" || failure6 === "EADDRNOTAVAIL" ? undefined : failure6;
}

/** The error's code; undefined: it could be had, and is given back. */
function listen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => {
      resolve(errorCode(error));
    });
    server.listen({ host, port, ipv6Only: true, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

/** The same of a port of UDP. */
function bind(address: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const isV6 = address.includes(":");
    const socket = createSocket({ type: isV6 ? "udp6" : "udp4", ...(isV6 && { ipv6Only: true }) });
    socket.once("error", (error) => {
      socket.close();
      resolve(errorCode(error));
    });
    socket.bind({ address, port, exclusive: true }, () => {
      socket.close(() => {
        resolve(undefined);
      });
    });
  });
}
