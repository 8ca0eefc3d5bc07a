import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { TrimmingWatch } from "../../../src/kubernetes/trimming-watch.js";

const LIMITS = { life: 60_000, answer: 200, shortest: 50 };
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serverOf(listener: RequestListener, port = 0): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function watchOf(port: number): TrimmingWatch {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "c", server: `http://127.0.0.1:${String(port)}`, skipTLSVerify: true },
    { name: "u" },
  );
  return new TrimmingWatch(config, (object) => object, LIMITS);
}

/** What one watch gives, and how it ends. */
async function outcome(watch: TrimmingWatch): Promise<{ phases: string[]; error: unknown }> {
  const phases: string[] = [];
  return new Promise((resolve) => {
    void watch.watch(
      "/api/v1/pods",
      {},
      (phase) => phases.push(phase),
      (error: unknown) => {
        resolve({ phases, error });
      },
    );
  });
}

const GONE = { statusCode: 410 };

test("an API server that refuses connections ends the watch, and then all is listed", async () => {
  const port = await serverOf((_, response) => response.end());
  const watch = watchOf(port);
  const [server] = servers.splice(0);
  await new Promise((resolve) => server?.close(resolve));
  expect((await outcome(watch)).error).toMatchObject({ code: "ECONNREFUSED" });
  expect((await outcome(watch)).error).toMatchObject(GONE);

  await serverOf((_, response) => response.end('{"type":"ADDED","object":{}}\n'), port);
  expect(await outcome(watch)).toEqual({ phases: ["ADDED"], error: null });
});

test("an answer that never comes ends the watch", async () => {
  const watch = watchOf(await serverOf(() => undefined));
  expect((await outcome(watch)).error).toMatchObject({ message: "the API server does not answer" });
  expect((await outcome(watch)).error).toMatchObject(GONE);
});

test("one that is refused by status ends, and then all is listed", async () => {
  const watch = watchOf(
    await serverOf((_, response) => {
      response.writeHead(503).end();
    }),
  );
  expect((await outcome(watch)).error).toMatchObject({ statusCode: 503 });
  expect((await outcome(watch)).error).toMatchObject(GONE);
});

test("one that ends as it should goes on from where it was, but not at once", async () => {
  const watch = watchOf(await serverOf((_, response) => response.end()));
  const began = performance.now();
  expect((await outcome(watch)).error).toBeNull();
  expect(performance.now() - began).toBeGreaterThanOrEqual(LIMITS.shortest - 1);
  expect((await outcome(watch)).error).toBeNull();
});
