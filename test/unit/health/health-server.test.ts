import type { Server } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { startHealthServer } from "../../../src/health/health-server.js";
import { EnvironmentError } from "../../../src/support/errors.js";
import { freePort } from "../../support/free-port.js";

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const HEALTHY = {
  problem: (): string | undefined => undefined,
  reluctance: (): Promise<string | undefined> => Promise.resolve(undefined),
  remark: () => "",
};

async function start(parts: Partial<typeof HEALTHY> = {}, host = "127.0.0.1") {
  const address = `${host}:${String(await freePort())}`;
  const probes = { ...HEALTHY, ...parts };
  open.push(
    await startHealthServer(address, probes, { metrics: () => Promise.resolve(["a 1\n"]) }),
  );
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
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await response.text()).toBe("a 1\n");
});

test("the page of the status is an option, and a browser may do nothing with it but show it", async () => {
  const page = async (status?: () => Promise<string | undefined>) => {
    const address = `127.0.0.1:${String(await freePort())}`;
    const metrics = () => Promise.resolve([]);
    open.push(await startHealthServer(address, HEALTHY, { metrics, status }));
    return fetch(`http://${address}/status`);
  };
  expect((await page()).status).toBe(404);
  expect((await page(() => Promise.resolve(undefined))).status).toBe(503);
  const answer = await page(() => Promise.resolve("<p>"));
  expect([answer.status, await answer.text()]).toEqual([200, "<p>"]);
  const header = (name: string) => answer.headers.get(name);
  expect(header("content-type")).toBe("text/html; charset=utf-8");
  expect(header("cache-control")).toBe("no-store");
  expect(header("x-content-type-options")).toBe("nosniff");
  expect(header("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
});

test("answers nothing else", async () => {
  const { ask } = await start();
  expect((await ask("/")).status).toBe(404);
  const posted = await ask("/healthz", "POST");
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("an address that is taken is a trouble of the machine", async () => {
  const { address } = await start();
  const again = startHealthServer(address, HEALTHY, { metrics: () => Promise.resolve([]) });
  await expect(again).rejects.toThrow(EnvironmentError);
  await expect(again).rejects.toThrow(address);
});

test("however many ask at once, the answer is worked out once", async () => {
  const address = `127.0.0.1:${String(await freePort())}`;
  let runs = 0;
  const slow = async <T>(value: T): Promise<T> => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return value;
  };
  const metrics = (): Promise<string[]> => slow(["a 1\n"]);
  const status = (): Promise<string> => slow("page");
  open.push(await startHealthServer(address, HEALTHY, { metrics, status }));
  for (const path of ["/metrics", "/status"]) {
    runs = 0;
    const answers = Array.from({ length: 20 }, () => fetch(`http://${address}${path}`));
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
    expect(runs).toBe(1);
    expect(await outcome(fetch(`http://${address}${path}`))).toEqual([
      200,
      path === "/status" ? "page" : "a 1\n",
    ]);
    expect(runs).toBe(2);
  }
});

test("a failure is not kept", async () => {
  const address = `127.0.0.1:${String(await freePort())}`;
  let fails = true;
  const metrics = (): Promise<string[]> =>
    fails ? Promise.reject(new Error("no")) : Promise.resolve(["a 1\n"]);
  open.push(await startHealthServer(address, HEALTHY, { metrics }));
  await expect(fetch(`http://${address}/metrics`)).rejects.toThrow();
  fails = false;
  expect(await outcome(fetch(`http://${address}/metrics`))).toEqual([200, "a 1\n"]);
});

/** An answer to a request as it is written; Node's fetch sets the Host header by itself. */
async function sent(address: string, path: string, head: readonly string[]): Promise<string> {
  const socket = connect(Number(/\d+$/.exec(address)?.[0]), "127.0.0.1");
  socket.end([`GET ${path} HTTP/1.1`, ...head, "Connection: close", "", ""].join("\r\n"));
  return text(socket);
}

describe("who asks by the name of others gets no page", () => {
  const names = ["node.example", ".svc", ".cluster.local", "Status.Example"];
  const status = (): Promise<string> => Promise.resolve("page");
  const metrics = (): Promise<string[]> => Promise.resolve(["a 1\n"]);
  let address: string;
  beforeEach(async () => {
    address = `127.0.0.1:${String(await freePort())}`;
    const probes = { ...HEALTHY, remark: () => "a secret of albc\n" };
    open.push(await startHealthServer(address, probes, { metrics, status, names }));
  });

  test.each([
    // A kubelet and Prometheus; `kubectl port-forward`; Services and pods; the option.
    ...["10.0.0.7:10254", "10.0.0.7", "[fd00::7]:10254", "[::1]", "localhost:10254", "LOCALHOST"],
    ...["albc-metrics:80", "albc-7d9f-x2x", "albc.albc.svc", "albc.albc.svc.cluster.local.:10254"],
    ...["node.example:10254", "status.example"],
  ])("%s is known", async (host) => {
    for (const path of ["/status", "/metrics?x"]) {
      expect(await sent(address, path, [`Host: ${host}`])).toMatch(/^HTTP\/1.1 200 /);
    }
    expect(await sent(address, "/readyz", [`Host: ${host}`])).toMatch("a secret of albc");
  });

  test.each([
    ...["evil.example", "evil.example:10254", "10.0.0.7.evil.example", "status.example.evil", ""],
    ...["localhost.evil.example", "svc.evil.example", "evilnode.example", "x.node.example", "[a]"],
    ...["0x7f.1", "evil.example/localhost", "user@localhost", "localhost:1:2", ".", "evil.xsvc"],
  ])("%s is not", async (host) => {
    for (const path of ["/status", "/metrics?x"]) {
      const answer = await sent(address, path, [`Host: ${host}`]);
      expect(answer).toMatch(/^HTTP\/1.1 421 /);
      expect(answer).not.toMatch(/page|a 1/);
    }
    const probed = await sent(address, "/readyz", [`Host: ${host}`]);
    expect(probed).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n.*ok/s);
    expect(probed).not.toMatch("secret");
  });

  test("a check without a Host header is none of a browser", async () => {
    const socket = connect(Number(/\d+$/.exec(address)?.[0]), "127.0.0.1");
    socket.end("GET /metrics HTTP/1.0\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
  });
});
