import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { Authority, type KeyPair } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { type Fields, GATEWAY_API, gatewayOn, httpRoute } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { HttpResponse } from "../harness/http-message.js";
import { type Manifest, configMap, service, tlsSecret, yaml } from "../harness/manifests.js";
import { type Closable, useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "site.example";
let gateway: Gateway;
let port: number;
let authority: Authority;

const BY_CA: Fields = { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] };

function backendTlsPolicy(name: string, validation: Fields): Manifest {
  return {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: "BackendTLSPolicy",
    metadata: { name, namespace: "default" },
    spec: { targetRefs: [{ group: "", kind: "Service", name }], validation },
  };
}

/** Validations by the name of their Service and path. */
const POLICIES: Readonly<Record<string, Fields>> = {
  right: { ...BY_CA, hostname: "inner.example" },
  "other-name": { ...BY_CA, hostname: "other.example" },
  "named-otherwise": {
    ...BY_CA,
    hostname: "sni.example",
    subjectAltNames: [{ type: "Hostname", hostname: "inner.example" }],
  },
  "not-named": {
    ...BY_CA,
    hostname: "inner.example",
    subjectAltNames: [{ type: "URI", uri: "spiffe://other/identity" }],
  },
  "other-authority": {
    caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "other" }],
    hostname: "inner.example",
  },
  "of-the-machine": { wellKnownCACertificates: "System", hostname: "inner.example" },
  "no-authority": {
    caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "gone" }],
    hostname: "inner.example",
  },
};

/** A server that says which certificate its client has shown. */
async function certificateReader(pair: KeyPair): Promise<Closable & { readonly port: number }> {
  const server = createServer(
    { cert: pair.certificate, key: pair.key, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      // The server is one of TLS.
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(String(subject.CN));
    },
  );
  return {
    port: await listen(server, { host: "127.0.0.1", port: 0 }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

beforeAll(async () => {
  authority = await Authority.create();
  const pair = await authority.issue("inner.example");
  const secure = await scene.use(EchoBackend.start("secure", { tls: pair }));
  const reader = await scene.use(certificateReader(pair));
  port = await freePort();
  const [gatewayClass, edge] = gatewayOn({ http: port });
  if (gatewayClass === undefined || edge === undefined) throw new Error("no Gateway");
  const tls = { backend: { clientCertificateRef: { name: "client" } } };
  gateway = await scene.use(
    Gateway.start({
      errors: [/BACKEND_TLS_INVALID/],
      files: {
        "ca.yaml": yaml(configMap("ca", { "ca.crt": authority.pair.certificate })),
        "site.yaml": yaml(
          gatewayClass,
          { ...edge, spec: { ...(edge["spec"] as Fields), tls } },
          tlsSecret("client", await authority.issue("gateway.example"), "infra"),
          configMap("other", { "ca.crt": (await Authority.create("Other CA")).pair.certificate }),
          ...Object.entries(POLICIES).flatMap(([name, validation]) => [
            ...service(name, [{ port: secure.port }]),
            backendTlsPolicy(name, validation),
          ]),
          ...service("reader", [{ port: reader.port }]),
          backendTlsPolicy("reader", { ...BY_CA, hostname: "inner.example" }),
          httpRoute(
            "site",
            [HOST],
            [...Object.keys(POLICIES), "reader"].map((name) => ({
              path: `/${name}`,
              service: name,
            })),
          ),
        ),
      },
    }),
  );
});

const send = (name: string): Promise<HttpResponse> =>
  gateway.send({ port, host: HOST, path: `/${name}` });

describe("a backend with a BackendTLSPolicy", () => {
  it.each(["right", "named-otherwise"])("is reached by TLS: %s", async (name) => {
    expect(echoOf(await send(name)).backend).toBe("secure");
  });

  it.each(["other-name", "not-named", "other-authority", "of-the-machine"])(
    "whose certificate is not the one that is meant gets no request: %s",
    async (name) => {
      expect([500, 502, 503]).toContain((await send(name)).status);
    },
  );

  it("is closed when the policy can't be used", async () => {
    const response = await send("no-authority");

    expect([response.status, response.reason]).toEqual([
      500,
      "InvalidBackend : invalid cfg BackendTLSPolicy default/no-authority can't be used",
    ]);
  });

  it("is shown the Gateway's certificate", async () => {
    expect((await send("reader")).text).toBe("gateway.example");
  });

  it("is closed when its authorities go, and opens when they are back", async () => {
    await gateway.change("ca.yaml", yaml(configMap("ca", { "ca.crt": "" })));
    await gateway.until("closed", { port, host: HOST, path: "/right" }, (it) => it.status === 500);
    await gateway.change(
      "ca.yaml",
      yaml(configMap("ca", { "ca.crt": authority.pair.certificate })),
    );
    await gateway.until("open", { port, host: HOST, path: "/right" }, (it) => it.status === 200);
  });
});
