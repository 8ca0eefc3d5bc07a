import { connect } from "node:net";
import { HealthServer } from "../../../src/health/health-server.js";
import type { HealthServerOptions } from "../../../src/health/health-server.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { freePort } from "../../support/free-port.js";

const open: HealthServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(parts: Partial<HealthServerOptions> = {}, host = "127.0.0.1") {
  const address = `${host}:${String(await freePort())}`;
  const server = await HealthServer.start({
    address,
    problem: () => undefined,
    reluctance: () => Promise.resolve(undefined),
    remark: () => "",
    metrics: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "a 1\n" }),
    ...parts,
  });
  open.push(server);
  return {
    address,
    ask: (path: string, method = "GET") => fetch(`http://${address}${path}`, { method }),
  };
}

async function outcome(answer: Promise<Response>): Promise<[number, string]> {
  const response = await answer;
  return [response.status, await response.text()];
}

test("says that all is well, over IPv4 and IPv6", async () => {
  for (const host of ["127.0.0.1", "[::1]"]) {
    const { ask } = await start({}, host);
    expect(await outcome(ask("/healthz"))).toEqual([200, "ok\n"]);
    expect(await outcome(ask("/readyz?verbose"))).toEqual([200, "ok\n"]);
    expect(await outcome(ask("/healthz", "HEAD"))).toEqual([200, ""]);
  }
});

test("remarks what is wrong only where it is ready", async () => {
  const remark = (): string => "objects: 1\n";
  expect(await outcome((await start({ remark })).ask("/readyz"))).toEqual([
    200,
    "ok\nobjects: 1\n",
  ]);
  const reluctance = (): Promise<string> => Promise.resolve("stopping");
  const { ask } = await start({ remark, reluctance });
  expect(await outcome(ask("/readyz"))).toEqual([503, "stopping\n"]);
  expect(await outcome(ask("/healthz"))).toEqual([200, "ok\n"]);
});

test("says what is wrong", async () => {
  const { ask } = await start({
    problem: () => "stuck",
    reluctance: () => Promise.resolve("stopping"),
  });
  expect(await outcome(ask("/healthz"))).toEqual([503, "stuck\n"]);
  expect(await outcome(ask("/readyz"))).toEqual([503, "stopping\n"]);
});

test("gives the metrics with their type", async () => {
  const { ask } = await start();
  const response = await ask("/metrics");
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4");
  expect(await response.text()).toBe("a 1\n");
});

test("answers nothing else", async () => {
  const { ask } = await start();
  expect((await ask("/")).status).toBe(404);
  const posted = await ask("/healthz", "POST");
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("an address that is taken is a trouble of the machine", async () => {
  const { address } = await start();
  await expect(start({ address })).rejects.toThrow(EnvironmentError);
  await expect(start({ address })).rejects.toThrow(address);
});

test("ends although a client holds a connection", async () => {
  const { address } = await start();
  const socket = connect(Number(address.split(":")[1]), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  await open.splice(0)[0]?.close();
  await closed;
});
