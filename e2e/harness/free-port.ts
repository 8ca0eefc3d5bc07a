import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";

const given = new Set<number>();
/** Below the ports that the system gives to outgoing connections, which would take one that is free now. */
const LOWEST = 10_000;
const HIGHEST = 32_000;

/** A TCP port that is free on IPv4 and IPv6 and that no other caller in this process was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listen(server, { port, host: "::" });
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Makes a server listen and says on which port. */
export async function listen(
  server: Server,
  where: { readonly port?: number; readonly host?: string } = {},
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0, ...where }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
