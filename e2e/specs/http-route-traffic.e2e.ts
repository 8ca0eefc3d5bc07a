import { type Socket, createServer } from "node:net";
import { asking, EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { type Fields, gatewayOn, routeOf } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { Request } from "../harness/http-client.js";
import { type Manifest, service, yaml } from "../harness/manifests.js";
import { type Closable, useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
let gateway: Gateway;
let port: number;
let backends: ReadonlyMap<string, EchoBackend>;

const to = (name: string, more: Fields = {}): Fields => ({ name, port: 80, ...more });

const route = (name: string, rule: Fields, backendRefs: readonly Fields[] = [to("a")]): Manifest =>
  routeOf("HTTPRoute", name, [{ ...rule, backendRefs }]);

const mirror = (name: string, share: Fields = {}): Fields => ({
  type: "RequestMirror",
  requestMirror: { backendRef: to(name), ...share },
});

const ROUTES = [
  route("retry", { retry: { codes: [503], attempts: 2 } }, [to("pair")]),
  route("connect", { retry: { attempts: 3 } }, [to("half")]),
  route("mirrored", { filters: [mirror("m1"), mirror("m2", { percent: 50 })] }),
  route("silent", { filters: [mirror("silent"), mirror("nobody"), mirror("m1")] }),
];

/** Takes connections and never answers. */
async function silentServer(): Promise<Closable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.resume();
  });
  return {
    port: await listen(server, { host: "127.0.0.1", port: 0 }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

beforeAll(async () => {
  const names = ["a", "b", "c", "m1", "m2"];
  backends = new Map(
    await Promise.all(
      names.map(async (name) => [name, await scene.use(EchoBackend.start(name))] as const),
    ),
  );
  port = await freePort();
  const portOf = (name: string) => ({ port: backends.get(name)?.port ?? 0 });
  const closed = { port: await freePort() };
  const silent = await scene.use(silentServer());
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          ...gatewayOn({ http: port }),
          service("a", [portOf("a")]),
          service("m1", [portOf("m1")]),
          service("m2", [portOf("m2")]),
          service("silent", [{ port: silent.port }]),
          service("nobody", [closed]),
          service("pair", [portOf("b"), portOf("c")]),
          service("half", [closed, portOf("b")]),
          ...ROUTES,
        ),
      },
    }),
  );
});

const ask = (name: string, request: Request = {}) =>
  gateway.send({ port, ...request, host: `${name}.example` });
const requestsOf = (name: string) => backends.get(name)?.requests ?? [];

function never(): never {
  throw new Error("no answer");
}

async function times<T>(count: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i++) results.push(await work());
  return results;
}

describe("retries", () => {
  it("go to another endpoint, with the body, and end with the last answer", async () => {
    const before = requestsOf("b").length + requestsOf("c").length;
    const response = await ask("retry", {
      method: "POST",
      body: "content",
      headers: [asking({ status: 503 })],
    });
    const seen = [...requestsOf("b"), ...requestsOf("c")];

    expect([response.status, response.reason]).toEqual([503, undefined]);
    expect(seen).toHaveLength(before + 3);
    expect(new Set(seen.slice(-1).map(({ facts }) => facts.bodyLength))).toEqual(new Set([7]));
    expect(requestsOf("b").length).toBeGreaterThan(0);
    expect(requestsOf("c").length).toBeGreaterThan(0);
  });

  it("are made when an endpoint can't be reached", async () => {
    const responses = await times(6, () => ask("connect"));

    expect(responses.map((response) => echoOf(response).backend)).toEqual(Array(6).fill("b"));
  });
});

describe("mirrors", () => {
  it("get their share of the requests", async () => {
    const responses = await times(40, () => ask("mirrored", { path: "/mirrored" }));
    const copies = (name: string) =>
      requestsOf(name).filter(({ facts }) => facts.url === "/mirrored");
    await waitFor("all copies", () => copies("m1").length === 40);

    expect(responses.every((response) => echoOf(response).backend === "a")).toBe(true);
    // Each worker counts for itself.
    expect(Math.abs(copies("m2").length - 20)).toBeLessThanOrEqual(2);
  });

  it("get the body, and a backend's silence or absence delays nobody", async () => {
    const start = performance.now();
    const body = Buffer.alloc(100_000, "y");
    const responses = await times(10, () =>
      ask("silent", { path: "/silent", body, method: "PUT" }),
    );
    const took = performance.now() - start;
    const copies = () => requestsOf("m1").filter(({ facts }) => facts.url === "/silent");
    await waitFor("all copies", () => copies().length === 10);

    expect(responses.map((response) => echoOf(response).backend)).toEqual(Array(10).fill("a"));
    expect(took).toBeLessThan(3000);
    for (const { facts } of copies()) {
      expect([facts.method, facts.bodyLength]).toEqual(["PUT", body.length]);
      expect(facts.bodySha256).toBe(echoOf(responses[0] ?? never()).bodySha256);
    }
  });
});
