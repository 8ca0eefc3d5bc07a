import { createServer } from "node:net";
import { errorCode } from "./file-error.js";

/** Whether the place (`80`, `10.0.0.1:80` or `[fd00::1]:80`) can be listened on now. */
export async function isFree(place: string): Promise<boolean> {
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(place) ?? [];
  const address = bracketed ?? plain;
  if (address !== undefined) return (await listen(address, Number(port))) === undefined;
  if ((await listen("0.0.0.0", Number(port))) !== undefined) return false;
  const failure = await listen("::", Number(port));
  // A machine without IPv6 has nobody there.
  return failure === undefined || failure === "EAFNOSUPPORT" || failure === "EADDRNOTAVAIL";
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
