/** TLSRoutes: the server name of a handshake leads to a backend, unread or decrypted, beside HTTPS on the same port. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Authority, type KeyPair, selfSigned } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { Http2Client } from "../harness/http2-client.js";
import { type Manifest, configMap, service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { firstWords, namesShown, StreamBackend } from "../harness/stream-backend.js";
import { gatewayWith, streamRoute, webRoute } from "../harness/stream-manifests.js";
import { waitFor, within } from "../harness/wait.js";

const run = promisify(execFile);
const scene = useScene();
let gateway: Gateway;
let port: number;
let authority: Authority;
let other: Authority;

const named = (servername: string): Promise<string> => firstWords(port, { servername });

const certificates = (...names: readonly string[]) => ({
  certificateRefs: names.map((name) => ({ name })),
});

const routes = (...names: readonly string[]): readonly Manifest[] => [
  streamRoute("TLSRoute", "through", [{ name: "tls" }], { hostnames: names }),
];

const policy = (name: string): Manifest => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "BackendTLSPolicy",
  metadata: { name, namespace: "default" },
  spec: {
    targetRefs: [{ group: "", kind: "Service", name }],
    validation: {
      hostname: "backend.example",
      caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
    },
  },
});

interface Pairs {
  readonly ends: KeyPair;
  readonly second: KeyPair;
}

async function manifests({ ends, second }: Pairs): Promise<readonly Manifest[]> {
  const backend = await authority.issue("backend.example");
  const [plain, tls, checked, wrong, web] = await Promise.all([
    scene.use(StreamBackend.start("plain")),
    scene.use(StreamBackend.start("tls", await selfSigned("deep.through.example"))),
    scene.use(StreamBackend.start("checked", backend)),
    scene.use(StreamBackend.start("wrong", await other.issue("backend.example"))),
    scene.use(EchoBackend.start("web")),
  ]);
  return [
    ...gatewayWith([
      { name: "any", port, protocol: "TLS", tls: { mode: "Passthrough" } },
      {
        ...{ name: "ends", port, protocol: "TLS", hostname: "*.ends.example" },
        tls: certificates("ends", "second"),
      },
      {
        ...{ name: "https", port, protocol: "HTTPS", hostname: "web.example" },
        tls: certificates("ends"),
      },
    ]),
    streamRoute("TLSRoute", "ends", [{ name: "plain" }], {
      listener: "ends",
      hostnames: ["a.ends.example", "b.ends.example"],
    }),
    streamRoute("TLSRoute", "checked", [{ name: "checked" }], {
      listener: "ends",
      hostnames: ["checked.ends.example"],
    }),
    streamRoute("TLSRoute", "wrong", [{ name: "wrong" }], {
      listener: "ends",
      hostnames: ["wrong.ends.example"],
    }),
    webRoute("web.example"),
    policy("checked"),
    policy("wrong"),
    configMap("ca", { "ca.crt": authority.pair.certificate }),
    tlsSecret("ends", ends),
    tlsSecret("second", second),
    ...service("plain", [{ port: plain.port }]),
    ...service("tls", [{ port: tls.port }]),
    ...service("checked", [{ port: checked.port }]),
    ...service("wrong", [{ port: wrong.port }]),
    ...service("web", [{ port: web.port }]),
  ];
}

beforeAll(async () => {
  port = await freePort();
  [authority, other] = await Promise.all([Authority.create("one"), Authority.create("other")]);
  const ends = await selfSigned("a.ends.example", "web.example");
  const second = await selfSigned("b.ends.example");
  gateway = await scene.use(
    Gateway.start({
      files: {
        "all.yaml": yaml(await manifests({ ends, second })),
        "through.yaml": yaml(routes("*.through.example", "include", "default", "volatile")),
      },
      flags: ["--trusted-proxies", "127.0.0.9"],
    }),
  );
});

test.each([
  ["one label", "a.through.example"],
  ["any depth", "a.b.c.through.example"],
  ["letters of any case", "A.Through.EXAMPLE"],
  ["a word of nginx's configuration", "include"],
  ["another word", "default"],
  ["a third one", "volatile"],
])("TLS is passed through, unread: %s", async (_what, name) => {
  expect(await named(name)).toBe(`tls ${name}`);
});

test.each([
  ["the name above a wildcard", "through.example"],
  ["a name of no route", "unknown.example"],
  ["a name of a listener without a route for it", "c.ends.example"],
])("is closed: %s", async (_what, name) => {
  expect(await named(name)).toBe("closed");
});

test("a connection without a server name is closed, and so is one that is no TLS", async () => {
  expect(await firstWords(port, {})).toBe("closed");
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: web.example\r\n\r\n");
  const closed = new Promise<number>((resolve) => {
    socket
      .on("error", () => undefined)
      .on("close", () => {
        resolve(socket.bytesRead);
      });
  });
  expect(await within("the end of the connection", closed)).toBe(0);
});

test.each(["a.ends.example", "b.ends.example"])(
  "TLS ends at the gateway, with the certificate that is for the name: %s",
  async (name) => {
    expect(await named(name)).toBe("plain");
    expect(await namesShown(port, name)).toContain(`DNS:${name}`);
  },
);

test("TLS is begun anew where a policy says so, with a backend whose certificate is right", async () => {
  expect(await named("checked.ends.example")).toBe("checked backend.example");
  gateway.expectErrors(/certificate verify error/);
  expect(await named("wrong.ends.example")).toBe("closed");
});

test("HTTPS is served on the same port, and sees the client's own address and port", async () => {
  const answer = await gateway.send({
    ...{ port, from: "127.0.0.7", host: "web.example" },
    tls: { servername: "web.example" },
  });
  const headers = new Map(
    echoOf(answer).headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  expect(headers.get("x-real-ip")).toBe("127.0.0.7");
  expect(headers.get("x-forwarded-for")).toBe("127.0.0.7");
  expect(headers.get("x-forwarded-port")).toBe(String(port));
  expect(headers.get("x-forwarded-proto")).toBe("https");
});

test("a proxy that is trusted is believed there, too", async () => {
  const answer = await gateway.send({
    ...{ port, from: "127.0.0.9", host: "web.example" },
    headers: [["X-Forwarded-For", "192.0.2.7"]],
    tls: { servername: "web.example" },
  });
  const headers = new Map(
    echoOf(answer).headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  expect(headers.get("x-real-ip")).toBe("192.0.2.7");
});

test.each(["through.example", "a.ends.example", "unknown.example"])(
  "a host of a TLS listener is not asked for over a connection of HTTPS: %s",
  async (host) => {
    const tls = { servername: "web.example" };
    expect((await gateway.send({ port, host, tls })).status).toBe(421);
    const client = await scene.use(Http2Client.open({ port, ...tls }));
    expect((await client.send({ ":authority": host })).status).toBe(421);
  },
);

test("a name that gets a route is served, and one that loses its route is closed", async () => {
  expect(await named("new.example")).toBe("closed");
  await gateway.write("through.yaml", yaml(routes("new.example")));
  await waitFor(
    "the new name is served",
    async () => (await named("new.example")) === "tls new.example",
  );
  // A reload's old workers accept until the new ones are there, so both answer for a moment.
  await waitFor(
    "the old name is closed",
    async () => (await named("a.through.example")) === "closed",
  );
});

test.each([
  ["quotes", String.raw`a"\134b`, String.raw`a"\b`],
  ["one odd byte", String.raw`a\377b`, "a\uFFFDb"],
  ["odd bytes on two lines", String.raw`c\377\n\377d`, "c\uFFFDd"],
])("a server name with %s is JSON in the log", async (_, octal, logged) => {
  // Arguments of Node's are UTF-8.
  const script = `openssl s_client -connect 127.0.0.1:${String(port)} -servername "$(printf '${octal}')" </dev/null`;
  await run("sh", ["-c", script]).catch(() => undefined);
  await waitFor("the log has the name", async () => {
    const bytes = await readFile(join(gateway.runFolder, "logs/access.log"));
    const lines = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trimEnd().split("\n");
    return lines.some((line) => (JSON.parse(line) as Entry).server_name === logged);
  });
});

interface Entry {
  readonly server_name?: string;
}
