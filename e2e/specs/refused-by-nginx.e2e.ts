/** An object because of which nginx refuses its configuration costs only itself, at a start and later. */
import { symlink, writeFile } from "node:fs/promises";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { Authority } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { GATEWAY_API } from "../harness/gateway-manifests.js";
import { type Manifest, configMap, ingress, nginx, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { StreamBackend, firstWords } from "../harness/stream-backend.js";
import { gatewayWith, streamRoute, webRoute } from "../harness/stream-manifests.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";
import { testNginx } from "../harness/test-nginx.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
let backend: EchoBackend;
let stream: StreamBackend;
let ports: Readonly<Record<"http" | "tls" | "tcp" | "odd", number>>;
let pem: string;

/** An nginx that refuses configurations whose files match, as one does that was built without something. */
async function pickyNginx(pattern: string): Promise<string> {
  const folder = await makeTempFolder();
  await scene.use(Promise.resolve({ close: () => removeFolder(folder) }));
  const real = realpathSync(testNginx());
  await symlink(join(dirname(real), "usr"), join(folder, "usr"));
  const path = join(folder, "nginx");
  const script = `#!/bin/sh
case " $* " in *" -t "*)
  p=$(echo "$*" | sed 's/.* -p \\([^ ]*\\) .*/\\1/')
  if grep -rqE -e '${pattern}' "$p/nginx.conf" "$p/streams" "$p/authorities" 2>/dev/null; then
    echo "nginx: [emerg] this nginx does not know that in $p/nginx.conf:1" >&2
    exit 1
  fi;;
esac
exec ${real} "$@"
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  stream = await scene.use(StreamBackend.start("plain"));
  pem = (await Authority.create("Odd CA")).pair.certificate;
});

beforeEach(async () => {
  ports = {
    http: await freePort(),
    tls: await freePort(),
    tcp: await freePort(),
    odd: await freePort(),
  };
});

/** Each try is an nginx that starts: on a machine that does ten other things that takes its time. */
const PATIENCE = { deadline: 60_000 };

/** The objects that albc reports as refused. */
async function reported(gateway: Gateway): Promise<readonly string[]> {
  const found = (): readonly string[] =>
    gateway.albc.lines.map(({ text }) => text).filter((text) => text.includes("REFUSED_BY_NGINX"));
  await waitFor("albc reports an object", () => found().length > 0, PATIENCE);
  return found();
}

/** What is served whatever else there is. */
function usual(): readonly Manifest[] {
  return [
    ...gatewayWith([
      { name: "http", port: ports.http, protocol: "HTTP" },
      { name: "tls", port: ports.tls, protocol: "TLS", tls: { mode: "Passthrough" } },
      { name: "tcp", port: ports.tcp, protocol: "TCP" },
    ]),
    webRoute("web.example"),
    streamRoute("TCPRoute", "tcp", [{ name: "plain" }], { listener: "tcp" }),
    streamRoute("TLSRoute", "good", [{ name: "plain" }], {
      listener: "tls",
      hostnames: ["good.example"],
    }),
    ingress("web", { hosts: { "ingress.example": [{ service: "web" }] } }),
    ...service("web", [{ port: backend.port }]),
    ...service("plain", [{ port: stream.port }]),
  ];
}

const odd = (kind: string, spec: Readonly<Record<string, unknown>>): Manifest => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind,
  metadata: { name: "odd", namespace: "default" },
  spec,
});

/** Objects that this nginx refuses, by their kind. */
const REFUSED: readonly (readonly [
  object: string,
  pattern: () => string,
  manifests: () => readonly Manifest[],
])[] = [
  [
    "TLSRoute default/odd",
    () => "odd\\.example",
    () => [
      streamRoute("TLSRoute", "odd", [{ name: "plain" }], {
        listener: "tls",
        hostnames: ["odd.example"],
      }),
    ],
  ],
  [
    "Ingress default/odd",
    () => "client_max_body_size 777;",
    () => [
      ingress("odd", {
        annotations: nginx({ "proxy-body-size": "777" }),
        hosts: { "odd.example": [{ service: "web" }] },
      }),
    ],
  ],
  [
    "Gateway default/odd",
    () => `:${String(ports.odd)}`,
    () => [
      odd("Gateway", {
        gatewayClassName: "albc",
        listeners: [{ name: "odd", port: ports.odd, protocol: "HTTP" }],
      }),
    ],
  ],
  [
    "ConfigMap default/odd-ca",
    () => (pem.split("\n")[2] ?? "").replaceAll(/[^A-Za-z0-9]/g, "."),
    () => [
      configMap("odd-ca", { "ca.crt": pem }),
      odd("BackendTLSPolicy", {
        targetRefs: [{ group: "", kind: "Service", name: "checked" }],
        validation: {
          hostname: "backend.example",
          caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "odd-ca" }],
        },
      }),
      ...service("checked", [{ port: backend.port }]),
      odd("HTTPRoute", {
        parentRefs: [{ name: "edge" }],
        hostnames: ["odd.example"],
        rules: [{ backendRefs: [{ name: "checked", port: 80 }] }],
      }),
    ],
  ],
];

async function start(pattern: string, files: Readonly<Record<string, string>>): Promise<Gateway> {
  return scene.use(
    Gateway.start({
      files,
      flags: ["--nginx", await pickyNginx(pattern)],
      errors: [/REFUSED_BY_NGINX|nginx refuses|CERTIFICATE|BACKEND_TLS|POLICY|AUTHORIT/],
    }),
  );
}

async function usualIsServed(gateway: Gateway): Promise<void> {
  const via = await gateway.send({ host: "ingress.example", path: "/" });
  expect([via.status, echoOf(via).backend]).toEqual([200, "web"]);
  const web = await gateway.send({ host: "web.example", path: "/", port: ports.http });
  expect(web.status).toBe(200);
  expect(await firstWords(ports.tcp)).toContain("plain");
}

/** Resolves when a port that another namespace adds answers. */
async function anotherPortIsLive(gateway: Gateway): Promise<void> {
  const port = await freePort();
  const spec = {
    gatewayClassName: "albc",
    listeners: [{ name: "more", port, protocol: "HTTP" }],
  };
  const metadata = { name: "more", namespace: "other" };
  await gateway.write("more.yaml", yaml({ ...odd("Gateway", spec), metadata }));
  const isLive = async (): Promise<boolean> => {
    const request = { host: "a.example", path: "/", port };
    return (await gateway.send(request).catch(() => undefined))?.status === 404;
  };
  await waitFor("another port is live", isLive, PATIENCE);
}

test("a refused object that changes all the time delays nobody else's port", async () => {
  const gateway = await start("odd\\.example", { "usual.yaml": yaml(...usual()) });
  const route = (version: number): string =>
    yaml(
      streamRoute("TLSRoute", "odd", [{ name: "plain" }], {
        listener: "tls",
        hostnames: ["odd.example", `v${String(version)}.example`],
      }),
    );
  let version = 0;
  const churn = setInterval(() => {
    void gateway.write("odd.yaml", route((version += 1)));
  }, 500);
  const isClosed = (): boolean =>
    gateway.albc.lines.some(({ text }) => text.includes("stays closed for a minute"));
  await waitFor("albc leaves it alone", isClosed, PATIENCE);
  const before = performance.now();
  await anotherPortIsLive(gateway);
  expect(performance.now() - before).toBeLessThan(20_000);
  await usualIsServed(gateway);
  clearInterval(churn);
  await gateway.close();
}, 180_000);

describe.each(REFUSED)("nginx refuses %s:", (name, pattern, manifests) => {
  test("a fresh start serves everything else", async () => {
    const files = { "usual.yaml": yaml(...usual()), "odd.yaml": yaml(...manifests()) };
    const gateway = await start(pattern(), files);
    await usualIsServed(gateway);
    const [found, ...others] = await reported(gateway);
    expect(found).toContain(name);
    expect(others).toEqual([]);
    const answer = await gateway.send({ host: "odd.example", path: "/" });
    expect(answer.status).toBeGreaterThanOrEqual(404);
    await gateway.close();
  }, 180_000);

  test("a later change closes it, and a repair opens it", async () => {
    const gateway = await start(pattern(), { "usual.yaml": yaml(...usual()) });
    await gateway.write("odd.yaml", yaml(...manifests()));
    expect((await reported(gateway))[0]).toContain(name);
    await anotherPortIsLive(gateway);
    await usualIsServed(gateway);
    await gateway.remove("odd.yaml");
    await waitFor(
      "the object is forgotten",
      () => gateway.albc.lines.some(({ text }) => text.includes("diagnostics were resolved")),
      PATIENCE,
    );
    await usualIsServed(gateway);
    await gateway.close();
  }, 180_000);
});
