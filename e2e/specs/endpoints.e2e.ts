import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import type { Request } from "../harness/http-client.js";
import {
  type EndpointSpec,
  endpointSlices,
  ingress,
  nginx,
  own,
  service,
  yaml,
} from "../harness/manifests.js";
import { RudeServer } from "../harness/rude-server.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
let gateway: Gateway;
let a: EchoBackend;
let b: EchoBackend;
let six: EchoBackend;
let rude: RudeServer;
let silent: RudeServer;

/** Services and an Ingress that serves each on the host `<service>.example`. */
function site(services: Readonly<Record<string, readonly EndpointSpec[]>>): string {
  const hosts = Object.keys(services).map(
    (name) => [`${name}.example`, [{ service: name }]] as const,
  );
  return yaml(
    ...Object.entries(services).map(([name, endpoints]) => service(name, endpoints)),
    ingress("site", {
      annotations: nginx({ "proxy-read-timeout": "1" }),
      hosts: { ...Object.fromEntries(hosts), "absent.example": [{ service: "absent" }] },
    }),
  );
}

beforeAll(async () => {
  [a, b] = [await scene.use(EchoBackend.start("a")), await scene.use(EchoBackend.start("b"))];
  six = await scene.use(EchoBackend.start("six", { address: "::1" }));
  rude = await scene.use(RudeServer.start("reset"));
  silent = await scene.use(RudeServer.start("silence"));
  const dead = await freePort();
  const deadPorts = [dead, await freePort(), await freePort(), await freePort()];
  const terminating = { ready: false, serving: true, terminating: true };
  gateway = await scene.use(
    Gateway.start({
      errors: [/SERVICE_(PORT_)?NOT_FOUND/],
      files: {
        "site.yaml": site({
          both: [{ port: a.port }, { port: b.port }],
          ready: [{ port: a.port }, { port: b.port, conditions: { ready: false } }],
          draining: [{ port: a.port }, { port: b.port, conditions: terminating }],
          drained: [
            { port: a.port, conditions: { ready: false, serving: false, terminating: true } },
            { port: b.port, conditions: terminating },
          ],
          unready: [{ port: a.port, conditions: { ready: false } }],
          none: [],
          refused: [{ port: dead }, { port: a.port }],
          dead: [{ port: dead }],
          fifth: [...deadPorts.map((port) => ({ port })), { port: a.port }],
          rude: [{ port: rude.port }, { port: a.port }],
          silent: [{ port: silent.port }, { port: a.port }],
          six: [{ address: "::1", port: six.port }],
        }),
        "changing.yaml": yaml(
          service("changing"),
          ingress("changing", { hosts: { "changing.example": [{ service: "changing" }] } }),
          ingress("named", {
            hosts: {
              "by-name.example": [{ service: "both", port: "http" }],
              "by-number.example": [{ service: "both", port: 80 }],
              "no-such-port.example": [{ service: "both", port: "metrics" }],
            },
          }),
        ),
        "slices.yaml": yaml(...endpointSlices("changing", [{ port: a.port }])),
      },
    }),
  );
});

/** How often each backend answered 20 requests; a refusal counts under its status. */
async function shares(host: string, request: Request = {}): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let i = 0; i < 20; i += 1) {
    const response = await gateway.send({ host, ...request });
    const key = response.status === 200 ? echoOf(response).backend : String(response.status);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe("endpoints", () => {
  it("share the requests when they are ready", async () => {
    const counts = await shares("both.example");

    expect(Object.keys(counts).sort()).toEqual(["a", "b"]);
    expect(Math.abs((counts["a"] ?? 0) - (counts["b"] ?? 0))).toBeLessThanOrEqual(4);
  });

  it.each([
    ["ready.example", "a", "get nothing when they are not ready"],
    ["draining.example", "a", "get nothing when they are terminating and another is ready"],
    ["drained.example", "b", "get requests when they are serving, terminating, and none is ready"],
    ["six.example", "six", "may have IPv6 addresses"],
  ])("%s → %s: %s", async (host, backend) => {
    expect(Object.keys(await shares(host))).toEqual([backend]);
  });

  it.each(["none.example", "unready.example", "absent.example", "no-such-port.example"])(
    "that are not there make %s answer 503",
    async (host) => {
      const response = await gateway.send({ host });

      expect(response.status).toBe(503);
      expect(response.reason).toBe("InvalidBalancer : no peer");
    },
  );

  it.each(["by-name.example", "by-number.example"])(
    "are found by the Service's port: %s",
    async (host) => {
      expect((await gateway.send({ host })).status).toBe(200);
    },
  );
});

describe("a failing endpoint", () => {
  it.each(["GET", "POST"])("that refuses %s is replaced by another", async (method) => {
    expect(await shares("refused.example", { method, body: "once" })).toEqual({ a: 20 });
  });

  it("is replaced by up to four others", async () => {
    expect(await shares("fifth.example")).toEqual({ a: 20 });
  });

  it("alone makes a 502 with its reason", async () => {
    const response = await gateway.send({ host: "dead.example" });

    expect(response.status).toBe(502);
    expect(response.reason).toMatch(/^BackendError : /);
  });

  it("that resets is replaced for requests that may be repeated, and only for those", async () => {
    expect(await shares("rude.example")).toEqual({ a: 20 });
    const failed = await gateway.until(
      "the endpoint has its turn again",
      { host: "rude.example", method: "POST", body: "once" },
      ({ status }) => status !== 200,
    );

    expect(failed.status).toBe(502);
    expect(rude.heard.filter((text) => text.startsWith("POST "))).toHaveLength(1);
  });

  it("that stays silent makes a 504 with its reason and is not tried again elsewhere", async () => {
    const marked = () => a.requests.filter(({ url }) => url === "/marked").length;
    let answered = 0;
    const timedOut = await gateway.until(
      "the silent endpoint has its turn",
      { host: "silent.example", path: "/marked" },
      ({ status }) => {
        if (status === 200) answered += 1;
        return status !== 200;
      },
    );

    expect(timedOut.status).toBe(504);
    expect(timedOut.reason).toBe("TimeoutViaAlb");
    expect(marked()).toBe(answered);
  });

  it("that answers an error is not replaced", async () => {
    const response = await gateway.send({
      host: "both.example",
      headers: [asking({ status: 500 })],
    });

    expect(response.status).toBe(500);
    expect(response.reason).toBeUndefined();
  });
});

describe("answers 502, 503 and 504", () => {
  const backends = [{ service: "both" }];
  const routes = yaml(
    ingress("usual", { hosts: { "usual.example": backends } }),
    ingress("own", {
      annotations: own({ "outage-errors": "3" }),
      hosts: { "own.example": backends },
    }),
    ingress("never", {
      annotations: own({ "outage-errors": "0" }),
      hosts: { "never.example": backends },
    }),
  );

  async function start(flags: readonly string[]): Promise<Gateway> {
    const files = {
      "routes.yaml": routes,
      "both.yaml": yaml(...service("both", [{ port: a.port }, { port: b.port }])),
    };
    return scene.use(Gateway.start({ files, flags: ["--workers", "1", ...flags] }));
  }

  /** The statuses of requests of which every second one asks its endpoint for an error. */
  async function statuses(
    other: Gateway,
    host: string,
    status: number,
    count: number,
  ): Promise<readonly number[]> {
    b.on("/broken", (_, response) => response.writeHead(status).end());
    const all: number[] = [];
    for (let i = 0; i < count; i += 1)
      all.push((await other.send({ host, path: "/broken" })).status);
    return all;
  }

  const errors = (all: readonly number[]): number => all.filter((each) => each >= 500).length;

  it("put no endpoint out unless that is wanted", async () => {
    const other = await start([]);
    expect(errors(await statuses(other, "usual.example", 503, 20))).toBe(10);
    expect(errors(await statuses(other, "own.example", 503, 20))).toBe(3);
  });

  it.each([502, 503, 504])(
    "put an endpoint out after as many as the option says: %i",
    async (status) => {
      const other = await start(["--outage-errors", "4"]);
      expect(errors(await statuses(other, "never.example", status, 20))).toBe(10);
      expect(errors(await statuses(other, "usual.example", status, 20))).toBe(4);
      const { out } = await other.status();
      expect(out).toMatchObject([
        { endpoint: `127.0.0.1:${String(b.port)}`, reason: "error_statuses" },
      ]);
      // A probe connects after a second; the endpoint gets requests again.
      const back = await waitFor(
        "it is back",
        async () => errors(await statuses(other, "usual.example", status, 1)) > 0,
      );
      expect(back).toBe(true);
    },
  );

  it("count from the start after any other answer", async () => {
    const other = await start(["--outage-errors", "3"]);
    for (const status of [503, 503, 500, 503, 503, 200, 503, 503])
      expect(errors(await statuses(other, "usual.example", status, 2))).toBe(
        status === 200 ? 0 : 1,
      );
    expect(errors(await statuses(other, "usual.example", 503, 20))).toBe(1);
  });
});

describe("a change of endpoints", () => {
  it("is served within moments by the same workers", async () => {
    const pids = await gateway.workerPids();
    expect(Object.keys(await shares("changing.example"))).toEqual(["a"]);
    const conf = await gateway.readRunFile("nginx.conf");

    await gateway.change("slices.yaml", yaml(...endpointSlices("changing", [{ port: b.port }])));
    expect(Object.keys(await shares("changing.example"))).toEqual(["b"]);

    await gateway.change("slices.yaml", yaml(...endpointSlices("changing", [])));
    await waitFor(
      "the last endpoint is gone",
      async () => (await gateway.send({ host: "changing.example" })).status === 503,
    );

    const two = [{ port: a.port }, { port: b.port }];
    await gateway.change("slices.yaml", yaml(...endpointSlices("changing", two)));
    expect(Object.keys(await shares("changing.example")).sort()).toEqual(["a", "b"]);
    expect(await gateway.workerPids()).toEqual(pids);
    expect(await gateway.readRunFile("nginx.conf")).toBe(conf);
  });
});
