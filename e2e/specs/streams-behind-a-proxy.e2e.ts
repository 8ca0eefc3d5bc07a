/** Streams behind a load balancer that speaks the PROXY protocol: who the client is outlives the way through them. */
import { type Socket, connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { selfSigned } from "../harness/certificates.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { StreamBackend } from "../harness/stream-backend.js";
import { gatewayWith, streamRoute, webRoute } from "../harness/stream-manifests.js";
import { waitFor, within } from "../harness/wait.js";

const scene = useScene();
let gateway: Gateway;
let ports: { readonly tcp: number; readonly tls: number };

beforeAll(async () => {
  ports = { tcp: await freePort(), tls: await freePort() };
  const [plain, web] = await Promise.all([
    scene.use(StreamBackend.start("plain")),
    scene.use(EchoBackend.start("web")),
  ]);
  const tls = { certificateRefs: [{ name: "pair" }] };
  gateway = await scene.use(
    Gateway.start({
      files: {
        "all.yaml": yaml(
          ...gatewayWith([
            { name: "tcp", port: ports.tcp, protocol: "TCP" },
            { name: "ends", port: ports.tls, protocol: "TLS", hostname: "ends.example", tls },
            { name: "https", port: ports.tls, protocol: "HTTPS", hostname: "web.example", tls },
          ]),
          streamRoute("TCPRoute", "tcp", [{ name: "plain" }]),
          streamRoute("TLSRoute", "ends", [{ name: "plain" }], { hostnames: ["ends.example"] }),
          webRoute("web.example"),
          tlsSecret("pair", await selfSigned("ends.example", "web.example")),
          service("plain", [{ port: plain.port }]),
          service("web", [{ port: web.port }]),
        ),
      },
      flags: ["--proxy-protocol", "true"],
    }),
  );
});

function proxied(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(`PROXY TCP4 192.0.2.7 192.0.2.1 5555 443\r\n`);
  return socket;
}

/** All that comes until the other side ends, or until `enough` of it. */
function heard(socket: Socket, enough: (text: string) => boolean): Promise<string> {
  let text = "";
  const all = new Promise<string>((resolve) => {
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString();
      if (enough(text)) resolve(text);
    });
    socket
      .on("error", () => undefined)
      .on("close", () => {
        resolve(text);
      });
  });
  return within("an answer", all).finally(() => socket.destroy());
}

const overTls = (servername: string) =>
  connectTls({ socket: proxied(ports.tls), servername, rejectUnauthorized: false });

test("a backend gets what follows the PROXY header, and the log tells who it was", async () => {
  expect(await heard(proxied(ports.tcp), (text) => text === "plain")).toBe("plain");
  expect(await heard(overTls("ends.example"), (text) => text === "plain")).toBe("plain");
  const entry = await waitFor("it is logged", async () =>
    (await gateway.accessLog()).find((each) => each["server_name"] === "ends.example"),
  );
  expect(entry).toMatchObject({ client: "127.0.0.1", proxied_for: "192.0.2.7" });
});

test("HTTPS on a port with TLS sees the client's address and port, as told", async () => {
  const socket = overTls("web.example");
  socket.write("GET / HTTP/1.1\r\nHost: web.example\r\nConnection: close\r\n\r\n");
  const answer = await heard(socket, () => false);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer.toLowerCase()).toContain('["x-real-ip","192.0.2.7"]');
  expect(answer.toLowerCase()).toContain('["x-forwarded-port","443"]');
});

test("who does not speak it is closed", async () => {
  const socket = connect(ports.tcp, "127.0.0.1");
  socket.write("no header at all\r\n\r\n");
  expect(await heard(socket, () => false)).toBe("");
});
