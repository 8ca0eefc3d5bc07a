import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, type Server, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** A file for each port that a process was given, with its id: suites run beside each other, and start to listen some time later. */
const GIVEN = join(tmpdir(), `albc-test-ports-${String(userInfo().uid)}`);
/** Below the ports that the system gives to outgoing connections, which would take one that is free now. */
const LOWEST = 10_000;
const HIGHEST = 32_000;

/** A TCP port that is free on IPv4 and IPv6 and that no other caller was given, in this process or another that still runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (take(port) && (await isFree(port))) return port;
  }
}

function take(port: number): boolean {
  const file = join(GIVEN, String(port));
  mkdirSync(GIVEN, { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    // Who comes next may have it.
    if (!isRunning(ownerOf(file))) rmSync(file, { force: true });
    return false;
  }
}

/** Undefined: it is about to say so, or just gone. */
function ownerOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid === undefined || process.kill(pid, 0);
  } catch {
    return false;
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
