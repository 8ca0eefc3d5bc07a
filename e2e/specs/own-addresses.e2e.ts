/** Endpoints that name albc itself, or a port of the gateway: no object of a tenant reaches what albc listens on. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { Health } from "../harness/health.js";
import { service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { ask, DatagramBackend } from "../harness/stream-backend.js";
import {
  datagramService,
  gatewayWith,
  streamRoute,
  webRoute,
} from "../harness/stream-manifests.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();

/** What nginx would send of a request. */
const REPORT = `<190>Nov 26 03:00:00 albc: ${JSON.stringify({
  context: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  ...{ end: "1000.5", duration: "0.1", method: "GET", status: "200", route: "r" },
})}`;

it("a UDPRoute does not reach the address for reports of traces", async () => {
  const health = new Health(await freePort());
  const [reports, attack, honest] = [await freePort(), await freePort(), await freePort()];
  const backend = await scene.use(DatagramBackend.start("dns"));
  const gateway = await scene.use(
    Gateway.start({
      files: {
        "routes.yaml": yaml(
          ...gatewayWith([
            { name: "attack", port: attack, protocol: "UDP" },
            { name: "honest", port: honest, protocol: "UDP" },
          ]),
          ...datagramService("spans", reports),
          ...datagramService("dns", backend.port),
          streamRoute("UDPRoute", "attack", [{ name: "spans" }], { listener: "attack" }),
          streamRoute("UDPRoute", "honest", [{ name: "dns" }], { listener: "honest" }),
        ),
      },
      flags: [
        ...["--tracing", "spans", "--trace-address", `127.0.0.1:${reports}`],
        ...health.flags,
      ],
      errors: [/is the traceAddress of albc/],
    }),
  );
  const stranger = createSocket("udp4");
  stranger.send(REPORT, attack, "127.0.0.1");
  expect(await ask(honest, "later")).toBe("dns later");
  // Directly, so that everything sent before has arrived once this one is counted.
  stranger.send("nonsense", reports, "127.0.0.1", () => stranger.close());
  const metrics = await waitFor("the last is counted", async () => {
    const found = await health.metrics();
    return found.get('albc_trace_reports_total{result="malformed"}') === 1 && found;
  });
  expect(metrics.get('albc_trace_reports_total{result="received"}')).toBe(0);
  expect(gateway.albc.log).toContain("is the traceAddress of albc");
}, 60_000);

const LOOP = /is a port of this gateway that passes connections on/;

it("a connection is not sent round in a circle until no worker has one left", async () => {
  const [loop, circle, web] = [await freePort(), await freePort(), await freePort()];
  const backend = await scene.use(EchoBackend.start("web"));
  const gateway = await scene.use(
    Gateway.start({
      files: {
        "routes.yaml": yaml(
          ...gatewayWith([
            { name: "loop", port: loop, protocol: "TCP" },
            { name: "circle", port: circle, protocol: "UDP" },
            { name: "web", port: web, protocol: "HTTP" },
          ]),
          ...service("loop", [{ port: loop }]),
          ...datagramService("circle", circle),
          ...service("web", [{ port: backend.port }]),
          webRoute("web.example"),
          streamRoute("TCPRoute", "loop", [{ name: "loop" }], { listener: "loop" }),
          streamRoute("UDPRoute", "circle", [{ name: "circle" }], { listener: "circle" }),
        ),
      },
      errors: [LOOP],
    }),
  );
  expect(await ask(circle, "round", 500)).toBeUndefined();
  const socket = connect(loop, "127.0.0.1").on("error", () => undefined);
  await once(socket, "close");
  expect((await gateway.send({ host: "web.example", path: "/", port: web })).status).toBe(200);
  // Without the check the log says "worker_connections are not enough", which ends this test.
  expect(gateway.albc.log).toMatch(LOOP);
}, 60_000);

it("a circle by an address that albc does not know ends at the limit of a client", async () => {
  const [loop, web] = [await freePort(), await freePort()];
  const backend = await scene.use(EchoBackend.start("web"));
  const sockets: Socket[] = [];
  // Stands for the address of a Service or of another replica.
  const around = createServer((socket) => {
    const back = connect(loop, "127.0.0.1");
    for (const each of [socket, back]) sockets.push(each.on("error", () => each.destroy()));
    socket.pipe(back);
    back.pipe(socket);
  });
  const port = await listen(around);
  const gateway = await scene.use(
    Gateway.start({
      files: {
        "routes.yaml": yaml(
          ...gatewayWith([
            { name: "loop", port: loop, protocol: "TCP" },
            { name: "web", port: web, protocol: "HTTP" },
          ]),
          ...service("loop", [{ port }]),
          ...service("web", [{ port: backend.port }]),
          webRoute("web.example"),
          streamRoute("TCPRoute", "loop", [{ name: "loop" }], { listener: "loop" }),
        ),
      },
      flags: ["--client-requests", "100"],
    }),
  );
  const socket = connect(loop, "127.0.0.1").on("error", () => undefined);
  // The 101st connection is closed, and so all others.
  await once(socket, "close");
  expect(sockets.length / 2).toBe(100);
  expect((await gateway.send({ host: "web.example", path: "/", port: web })).status).toBe(200);
  for (const each of sockets) each.destroy();
  around.close();
}, 60_000);
