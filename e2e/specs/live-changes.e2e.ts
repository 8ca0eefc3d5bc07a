import { open } from "node:fs/promises";
import { join } from "node:path";
import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { type Request, send } from "../harness/http-client.js";
import { Load, type LoadReport, only200 } from "../harness/load.js";
import {
  alb2,
  endpointSlices,
  frontend,
  ingress,
  namespace,
  nginx,
  secret,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";
import { WebSocketClient } from "../harness/websocket.js";

const scene = useScene();
const ANN = [["Authorization", basic("ann", "secret")]] as const;
/** What is asked all the time: every kind of route. None of the changes below may spoil one. */
const STEADY: readonly Request[] = [
  { host: "plain.example" },
  { host: "plain.example", method: "POST", body: "content" },
  { host: "basic.example", headers: ANN },
  { host: "forward.example" },
  { host: "moving.example" },
];
let gateway: Gateway;
let auth: AuthService;
let a: EchoBackend;
let b: EchoBackend;
let load: Load;

const users = async (...names: readonly string[]) =>
  yaml(
    secret("users", {
      auth: (await Promise.all(names.map((name) => htpasswdLine(name, "secret")))).join("\n"),
    }),
  );
const forward = (path: string) =>
  yaml(
    ingress("forward", {
      annotations: nginx({ "auth-url": `http://127.0.0.1:${auth.port}${path}` }),
      hosts: { "forward.example": [{ service: "web" }] },
    }),
  );
const extra = (host: string) => yaml(ingress("extra", { hosts: { [host]: [{ service: "web" }] } }));

beforeAll(async () => {
  [a, b] = [await scene.use(EchoBackend.start("a")), await scene.use(EchoBackend.start("b"))];
  auth = await scene.use(AuthService.start());
  gateway = await scene.use(
    Gateway.start({
      files: {
        "users.yaml": await users("ann"),
        "forward.yaml": forward("/first"),
        "extra.yaml": extra("one.example"),
        "moving.yaml": yaml(...endpointSlices("moving", [{ port: a.port }])),
        "site.yaml": yaml(
          service("web", [{ port: a.port }, { port: b.port }]),
          service("moving"),
          ingress("plain", { hosts: { "plain.example": [{ service: "web" }] } }),
          ingress("basic", {
            annotations: nginx({ "auth-type": "basic", "auth-secret": "users" }),
            hosts: { "basic.example": [{ service: "web" }] },
          }),
          ingress("moving", { hosts: { "moving.example": [{ service: "moving" }] } }),
        ),
      },
    }),
  );
});

beforeEach(async () => {
  load = new Load({
    target: gateway.target(),
    requests: STEADY,
    connections: 6,
    check: only200,
  });
  await load.more(100);
});

afterEach(() => load.close());

/** Goes on for a while and says that nothing went wrong. */
async function untroubled(): Promise<LoadReport> {
  await load.more(100);
  const report = await load.stop();
  expect(report.failures).toEqual([]);
  expect(report.completed).toBeGreaterThan(200);
  return report;
}

describe("without a failed request", () => {
  it("a secret's users change", async () => {
    const bob = {
      host: "basic.example",
      headers: [["Authorization", basic("bob", "secret")]] as const,
    };
    expect((await gateway.send(bob)).status).toBe(401);
    for (const names of [["ann", "bob"], ["ann"], ["bob", "ann", "eve"]]) {
      await gateway.change("users.yaml", await users(...names));
      expect((await gateway.send(bob)).status).toBe(names.includes("bob") ? 200 : 401);
    }

    expect((await untroubled()).reopened).toBe(0);
  });

  it("an Ingress comes, moves to another host, and goes", async () => {
    for (const host of ["two.example", "three.example"]) {
      await gateway.change("extra.yaml", extra(host));
      expect((await gateway.send({ host })).status).toBe(200);
    }
    expect((await gateway.send({ host: "two.example" })).status).toBe(404);
    const before = (await gateway.status()).version;
    await gateway.remove("extra.yaml");
    await gateway.settled(before);
    expect((await gateway.send({ host: "three.example" })).status).toBe(404);

    expect((await untroubled()).reopened).toBe(0);
  });

  it("an auth annotation changes", async () => {
    for (const path of ["/second", "/third"]) {
      await gateway.change("forward.yaml", forward(path));
      await gateway.send({ host: "forward.example" });
      expect(auth.asked(path).length).toBeGreaterThan(0);
    }

    expect((await untroubled()).reopened).toBe(0);
  });

  it("endpoints change, many times in a row", async () => {
    for (let i = 0; i < 10; i += 1) {
      const next = i % 2 === 0 ? b : a;
      await gateway.change("moving.yaml", yaml(...endpointSlices("moving", [{ port: next.port }])));
      expect(echoOf(await gateway.send({ host: "moving.example" })).backend).toBe(next.name);
    }

    expect((await untroubled()).reopened).toBe(0);
  });

  it("a change is live within 200 ms of its writing", async () => {
    await untroubled();
    const times: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      const host = `fresh-${i}.example`;
      await gateway.write(
        "fresh.yaml",
        yaml(ingress("fresh", { hosts: { [host]: [{ service: "web" }] } })),
      );
      const written = performance.now();
      await gateway.until(`${host} is served`, { host }, ({ status }) => status === 200);
      times.push(performance.now() - written);
    }

    // Other work of the machine may make single changes late; half of them it does not.
    const [median = Infinity] = times.sort((a, b) => a - b).slice(4);
    expect(median).toBeLessThan(200);
  });

  it("a file is written in pieces, as an editor may", async () => {
    const good = extra("pieces.example");
    await gateway.write("extra.yaml", good);
    await gateway.until("it is served", { host: "pieces.example" }, ({ status }) => status === 200);
    gateway.expectErrors(/extra\.yaml/);
    const next = extra("whole.example");
    for (const end of [0, 20, 60, next.length - 20]) {
      await gateway.writeInPlace("extra.yaml", next.slice(0, end));
      expect((await gateway.send({ host: "plain.example" })).status).toBe(200);
    }
    await gateway.writeInPlace("extra.yaml", next);
    await gateway.until("it is whole", { host: "whole.example" }, ({ status }) => status === 200);

    await untroubled();
  });

  it("a file that is open for writing is read when it is whole, not before", async () => {
    const hosts = { "late.example": [{ service: "web" }] };
    const annotations = nginx({ "auth-url": "http://127.0.0.1:9/" });
    const whole = yaml(ingress("late", { annotations, hosts }));
    // A manifest by itself: the Ingress without its auth.
    const half = yaml(ingress("late", { hosts }));
    const file = await open(join(gateway.manifests, "late.yaml"), "w");
    await file.write(half);
    const written = performance.now();
    while (performance.now() - written < 400) {
      expect((await gateway.send({ host: "late.example" })).status).toBe(404);
    }
    await file.truncate(0);
    await file.write(whole, 0);
    await file.close();
    await gateway.until("it is served", { host: "late.example" }, ({ status }) => status !== 404);
    expect((await gateway.send({ host: "late.example" })).status).not.toBe(200);
    await gateway.remove("late.yaml");
    await untroubled();
  });

  it("a manifest breaks: what it said stays, everything else goes on and can change", async () => {
    await gateway.write("extra.yaml", extra("kept.example"));
    await gateway.until("it is served", { host: "kept.example" }, ({ status }) => status === 200);
    gateway.expectErrors(/extra\.yaml/);
    await gateway.write("extra.yaml", "kind: [this is no manifest\n  at: all");
    await gateway.logged(/extra\.yaml.*|YAML/);
    await gateway.change(
      "fresh.yaml",
      yaml(ingress("fresh", { hosts: { "beside.example": [{ service: "web" }] } })),
    );

    expect((await gateway.send({ host: "beside.example" })).status).toBe(200);
    expect((await gateway.send({ host: "kept.example" })).status).toBe(200);
    await gateway.write("extra.yaml", extra("mended.example"));
    await gateway.until("it is mended", { host: "mended.example" }, ({ status }) => status === 200);
    expect((await gateway.send({ host: "kept.example" })).status).toBe(404);
    await untroubled();
  });

  it("one object breaks: it stays as it was, the others of its file change", async () => {
    const pair = (host: string, path: string) =>
      yaml(
        ingress("left", { hosts: { [host]: [{ service: "web" }] } }),
        ingress("right", { hosts: { "right.example": [{ path, service: "web" }] } }),
      );
    await gateway.write("pair.yaml", pair("left-1.example", "/"));
    await gateway.until("it is served", { host: "left-1.example" }, ({ status }) => status === 200);
    gateway.expectErrors(/right/);
    await gateway.write("pair.yaml", pair("left-2.example", "no-slash"));
    await gateway.until(
      "the other is changed",
      { host: "left-2.example" },
      ({ status }) => status === 200,
    );

    expect((await gateway.send({ host: "right.example" })).status).toBe(200);
    await untroubled();
  });
});

describe("connections in flight", () => {
  it("survive changes of the policy", async () => {
    const connection = await gateway.connect();
    const { client } = await WebSocketClient.upgrade(connection, { host: "plain.example" });
    expect(await client?.exchange("before")).toBe("before");
    await gateway.change("extra.yaml", extra("in-flight.example"));
    expect(await client?.exchange("after")).toBe("after");
    connection.close();
    await untroubled();
  });

  it("survive a reload, which a new port needs, and no request fails", async () => {
    const pids = await gateway.workerPids();
    const port = await freePort();
    const connection = await gateway.connect();
    const { client } = await WebSocketClient.upgrade(connection, { host: "plain.example" });
    const held: (() => void)[] = [];
    for (const backend of [a, b]) {
      backend.on("/held", (_, response) => held.push(() => response.end("at last")));
    }
    const slow = gateway.send({ host: "plain.example", path: "/held" });
    await waitFor("the backend has the slow request", () => held.length > 0);

    await gateway.write(
      "alb.yaml",
      yaml(
        namespace("default"),
        alb2("edge", {
          ingressHTTPPort: gateway.httpPort,
          ingressHTTPSPort: gateway.httpsPort,
        }),
        frontend("new", "edge", { port, serviceGroup: serviceGroup({ web: 100 }) }),
      ),
    );
    await waitFor("the new port answers", async () => (await send({ port }, {})).status === 200);
    // For a moment both generations report, and the answer may have come from either.
    await waitFor("only new workers report", async () => {
      const after = await gateway.workerPids();
      return !after.some((pid) => pids.includes(pid));
    });
    expect(await client?.exchange("after the reload")).toBe("after the reload");
    for (const release of held) release();
    expect((await slow).text).toBe("at last");
    connection.close();
    await untroubled();
  });
});
