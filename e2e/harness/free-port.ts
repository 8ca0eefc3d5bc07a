import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";

const given = new Set<number>();

/** A TCP port that is free on IPv4 and IPv6 and that no other caller in this process was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = await listen(server, { port: 0, host: "::" });
    await new Promise((resolve) => server.close(resolve));
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
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
