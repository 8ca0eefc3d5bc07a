/** TLSRoutes on several ports of a Gateway: most names lead to the same on all of them, and the others to what each port says. */
import { selfSigned } from "../harness/certificates.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { firstWords, StreamBackend } from "../harness/stream-backend.js";
import { gatewayWith, streamRoute, webRoute } from "../harness/stream-manifests.js";

const scene = useScene();
let gateway: Gateway;
let one: number;
let two: number;

beforeAll(async () => {
  [one, two] = await Promise.all([freePort(), freePort()]);
  const certificate = await selfSigned("web.example", "*.ends.example");
  const [all, own, plain, web] = await Promise.all([
    scene.use(StreamBackend.start("all", await selfSigned("all.example"))),
    scene.use(StreamBackend.start("own", await selfSigned("own.example"))),
    scene.use(StreamBackend.start("plain")),
    scene.use(EchoBackend.start("web")),
  ]);
  const tls = { certificateRefs: [{ name: "certificate" }] };
  const passthrough = { mode: "Passthrough" };
  const manifests = [
    ...gatewayWith([
      { name: "one", port: one, protocol: "TLS", tls: passthrough },
      { name: "https", port: one, protocol: "HTTPS", hostname: "web.example", tls },
      { name: "two", port: two, protocol: "TLS", tls: passthrough },
      { name: "ends", port: two, protocol: "TLS", hostname: "*.ends.example", tls },
    ]),
    streamRoute("TLSRoute", "all", [{ name: "all" }], {
      hostnames: ["a.through.example", "web.example", "x.ends.example"],
    }),
    streamRoute("TLSRoute", "rest", [{ name: "own" }], {
      listener: "one",
      hostnames: ["*.through.example"],
    }),
    streamRoute("TLSRoute", "exception", [{ name: "all" }], {
      listener: "two",
      hostnames: ["d.through.example"],
    }),
    streamRoute("TLSRoute", "ends", [{ name: "plain" }], {
      listener: "ends",
      hostnames: ["*.ends.example"],
    }),
    webRoute("web.example"),
    tlsSecret("certificate", certificate),
    ...service("all", [{ port: all.port }]),
    ...service("own", [{ port: own.port }]),
    ...service("plain", [{ port: plain.port }]),
    ...service("web", [{ port: web.port }]),
  ];
  gateway = await scene.use(Gateway.start({ files: { "all.yaml": yaml(manifests) } }));
});

test.each([
  ["a.through.example", "all a.through.example", "all a.through.example"],
  ["b.through.example", "own b.through.example", "closed"],
  ["d.through.example", "own d.through.example", "all d.through.example"],
  ["e.d.through.example", "own e.d.through.example", "closed"],
  ["y.ends.example", "closed", "plain"],
  ["unknown.example", "closed", "closed"],
])("%s", async (servername, onOne, onTwo) => {
  expect(await firstWords(one, { servername })).toBe(onOne);
  expect(await firstWords(two, { servername })).toBe(onTwo);
});

test("a name of HTTPS on one port is passed through on another", async () => {
  const tls = { servername: "web.example" };
  const answer = await gateway.send({ port: one, host: "web.example", tls });
  expect(answer.status).toBe(200);
  expect(await firstWords(two, tls)).toBe("all web.example");
});
