/** Gateways whose listeners want certificates of clients (FrontendTLSValidation), and connections that stay with their listener. */
import { Authority, type KeyPair, selfSigned } from "../harness/certificates.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { CONTROLLER, type Fields, GATEWAY_API } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { type Manifest, configMap, service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;
let first: Authority;
let second: Authority;
let ports: Record<"strict" | "lenient" | "open", number>;

const object = (kind: string, name: string, spec: Fields): Manifest => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind,
  metadata: { name, namespace: "default" },
  spec,
});

const listener = (name: string, port: number, hostname: string): Fields => ({
  name,
  port,
  hostname,
  protocol: "HTTPS",
  tls: { certificateRefs: [{ name: "server" }] },
});

function manifests(backend: EchoBackend): readonly Manifest[] {
  const validation = { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] };
  const lenient = { ...validation, mode: "AllowInsecureFallback" };
  return [
    {
      apiVersion: `${GATEWAY_API}/v1`,
      kind: "GatewayClass",
      metadata: { name: "alb" },
      spec: { controllerName: CONTROLLER },
    },
    object("Gateway", "edge", {
      gatewayClassName: "alb",
      listeners: [
        listener("strict", ports.strict, "strict.example"),
        listener("other", ports.strict, "other.example"),
        listener("lenient", ports.lenient, "lenient.example"),
        listener("open", ports.open, "open.example"),
      ],
      tls: {
        frontend: {
          default: { validation },
          perPort: [
            { port: ports.lenient, tls: { validation: lenient } },
            { port: ports.open, tls: {} },
          ],
        },
      },
    }),
    object("HTTPRoute", "web", {
      parentRefs: [{ name: "edge" }],
      rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
    }),
    ...service("web", [{ port: backend.port }]),
  ];
}

const authorities = (authority: Authority) =>
  yaml(configMap("ca", { "ca.crt": authority.pair.certificate }));

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  [first, second] = await Promise.all([Authority.create("first"), Authority.create("second")]);
  ports = { strict: await freePort(), lenient: await freePort(), open: await freePort() };
  const pair = await selfSigned("strict.example", "other.example", "open.example");
  gateway = await scene.use(
    Gateway.start({
      files: {
        "gateway.yaml": yaml(manifests(backend)),
        "secret.yaml": yaml(tlsSecret("server", pair)),
        "ca.yaml": authorities(first),
      },
    }),
  );
});

/** Status of the answer to a client with this certificate, or that there was none. */
async function outcome(
  name: "strict" | "lenient" | "open",
  client?: KeyPair,
  host = `${name}.example`,
): Promise<number | "no answer"> {
  const tls = {
    servername: `${name}.example`,
    rejectUnauthorized: false,
    ...(client && { cert: client.certificate, key: client.key }),
  };
  try {
    return (await gateway.send({ port: ports[name], host, tls })).status;
  } catch {
    return "no answer";
  }
}

describe("a port of a Gateway that validates clients", () => {
  it("answers those with a certificate of its authority, and nobody else", async () => {
    expect(await outcome("strict", await first.issue("client"))).toBe(200);
    expect(await outcome("strict", await second.issue("client"))).toBe("no answer");
    expect(await outcome("strict", await selfSigned("client"))).toBe("no answer");
    expect(await outcome("strict")).toBe("no answer");
  });

  it("answers 421 where the Host is another listener's", async () => {
    expect(await outcome("strict", await first.issue("client"), "other.example")).toBe(421);
  });

  it("answers everybody where an insecure fallback is allowed", async () => {
    expect(await outcome("lenient")).toBe(200);
    expect(await outcome("lenient", await second.issue("client"))).toBe(200);
  });

  it("asks nobody where validation is taken away for the port", async () => {
    expect(await outcome("open")).toBe(200);
  });

  it("takes other authorities without a reload", async () => {
    const workers = async () => (await gateway.status()).workers.map(({ pid }) => pid);
    const before = await workers();
    const [old, next] = [await first.issue("client"), await second.issue("client")];
    await gateway.change("ca.yaml", authorities(second));

    expect(await workers()).toEqual(before);
    expect(await outcome("strict", old)).toBe("no answer");
    expect(await outcome("strict", next)).toBe(200);
  });
});
