import { type KeyPair, selfSigned } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { peerCertificate } from "../harness/http-client.js";
import {
  ALB_NAMESPACE,
  alb2,
  frontend,
  ingress,
  namespace,
  rule,
  service,
  serviceGroup,
  tlsSecret,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

async function subjectFor(port: number, name: string): Promise<string> {
  return (await peerCertificate(port, name)).subject;
}

describe("the certificates of Ingresses", () => {
  let gateway: Gateway;
  let secret: (pair: KeyPair) => string;

  beforeAll(async () => {
    const [exact, wildcard, fallback] = await Promise.all([
      selfSigned("exact.example", "exact.wild.example"),
      selfSigned("*.wild.example"),
      selfSigned("fallback.example"),
    ]);
    secret = (pair) => yaml(tlsSecret("exact-tls", pair));
    const hosts = [
      "exact.example",
      "*.wild.example",
      "exact.wild.example",
      "broken.example",
      "late.example",
    ];
    gateway = await scene.use(
      Gateway.start({
        flags: ["--default-certificate", "default/fallback-tls"],
        errors: [/CERTIFICATE_UNUSABLE|TLS_WITHOUT_CERTIFICATE/],
        files: {
          "exact.yaml": secret(exact),
          "broken.yaml": yaml(
            tlsSecret("broken-tls", { certificate: exact.certificate, key: wildcard.key }),
          ),
          "site.yaml": yaml(
            service("web", [{ port: backend.port }]),
            tlsSecret("wild-tls", wildcard),
            tlsSecret("fallback-tls", fallback),
            ingress("web", {
              tls: [
                { hosts: ["exact.example", "exact.wild.example"], secretName: "exact-tls" },
                { hosts: ["*.wild.example"], secretName: "wild-tls" },
                { hosts: ["broken.example"], secretName: "broken-tls" },
                { hosts: ["late.example"], secretName: "late-tls" },
              ],
              hosts: Object.fromEntries(hosts.map((host) => [host, [{ service: "web" }]])),
            }),
          ),
        },
      }),
    );
  });

  it.each([
    ["exact.example", "exact.example"],
    ["EXACT.example", "exact.example"],
    ["one.wild.example", "*.wild.example"],
    ["exact.wild.example", "exact.example"],
    ["two.one.wild.example", "fallback.example"],
    ["unknown.example", "fallback.example"],
    ["broken.example", "fallback.example"],
    ["late.example", "fallback.example"],
  ])("for %s are of %s", async (name, subject) => {
    expect(await subjectFor(gateway.httpsPort, name)).toBe(subject);
  });

  it("let requests through to the backend, which is told of https", async () => {
    const response = await gateway.send({
      host: "exact.example",
      tls: { servername: "exact.example" },
    });

    expect(echoOf(response).header("x-forwarded-proto")).toBe("https");
  });

  it("are served to a client without a server name as the default", async () => {
    const connection = await gateway.connect({ tls: {} });
    const { subject } = (
      connection.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
    ).getPeerCertificate();
    connection.close();

    expect(subject.CN).toBe("fallback.example");
  });

  it("are replaced without a reload, and a kept connection goes on", async () => {
    const pids = await gateway.workerPids();
    const connection = await gateway.connect({ tls: { servername: "exact.example" } });
    expect((await connection.send({ host: "exact.example" })).status).toBe(200);

    await gateway.change(
      "exact.yaml",
      secret(await selfSigned("rotated.example", "exact.example")),
    );
    expect(await subjectFor(gateway.httpsPort, "exact.example")).toBe("rotated.example");
    expect((await connection.send({ host: "exact.example" })).status).toBe(200);
    connection.close();
    expect(await gateway.workerPids()).toEqual(pids);
  });

  it("that are broken or missing heal when the secret is right", async () => {
    await gateway.change(
      "late.yaml",
      yaml(tlsSecret("late-tls", await selfSigned("late.example"))),
    );
    expect(await subjectFor(gateway.httpsPort, "late.example")).toBe("late.example");

    await gateway.change(
      "broken.yaml",
      yaml(tlsSecret("broken-tls", await selfSigned("broken.example"))),
    );
    expect(await subjectFor(gateway.httpsPort, "broken.example")).toBe("broken.example");
  });

  it("do not decide the route: that is the Host header's, whatever name TLS was made for", async () => {
    const connection = await gateway.connect({ tls: { servername: "exact.example" } });
    const response = await connection.send({ host: "one.wild.example" });
    connection.close();

    expect(echoOf(response).header("host")).toBe("one.wild.example");
  });

  it("are asked for with TLS only: clear text on the port gets 400", async () => {
    const response = await gateway.send({ host: "exact.example", port: gateway.httpsPort });

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("have keys that only the owner can read", async () => {
    const { stat, readdir } = await import("node:fs/promises");
    const { join } = await import("node:path");
    const folder = join(gateway.runFolder, "certificates");
    const files = await readdir(folder);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
  });
});

describe("without a default certificate", () => {
  it("an unknown server name gets a self-signed one", async () => {
    const gateway = await scene.use(
      Gateway.start({
        files: {
          "site.yaml": yaml(
            service("web", [{ port: backend.port }]),
            tlsSecret("web-tls", await selfSigned("web.example")),
            ingress("web", {
              tls: [{ hosts: ["web.example"], secretName: "web-tls" }],
              hosts: { "web.example": [{ service: "web" }] },
            }),
          ),
        },
      }),
    );

    expect(await subjectFor(gateway.httpsPort, "web.example")).toBe("web.example");
    // Each worker tells of the first it meets; a client must not write further lines of the log by it.
    const forging = "other.example\n2026/01/02 03:04:05 [emerg] 1#1: forged";
    expect(await subjectFor(gateway.httpsPort, forging)).toBe("albc self-signed certificate");
    const { text } = await gateway.logged(/no certificate/);
    expect(text).toContain("for other.example?2026?01?02?03?04?05??emerg??1?1??forged, nor");
  });
});

describe("the certificates of Frontends and Rules", () => {
  it("are the Frontend's for any name and the Rule's for its domain", async () => {
    const port = await freePort();
    const [own, named] = await Promise.all([
      selfSigned("frontend.example"),
      selfSigned("rule.example"),
    ]);
    await scene.use(
      Gateway.start({
        files: {
          "site.yaml": yaml(
            namespace("default"),
            service("web", [{ port: backend.port }]),
            tlsSecret("frontend-tls", own, ALB_NAMESPACE),
            tlsSecret("rule-tls", named, "default"),
            alb2("edge", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
            frontend("secure", "edge", {
              port,
              protocol: "https",
              certificate_name: `${ALB_NAMESPACE}/frontend-tls`,
              serviceGroup: serviceGroup({ web: 100 }),
            }),
            rule(
              "named",
              { alb: "edge", frontend: "secure" },
              {
                dslx: [{ type: "HOST", values: [["EQ", "rule.example"]] }],
                domain: "rule.example",
                certificate_name: "default_rule-tls",
                serviceGroup: serviceGroup({ web: 100 }),
              },
            ),
          ),
        },
      }),
    );

    await waitFor("the port is open", async () => (await subjectFor(port, "any.example")) !== "");
    expect(await subjectFor(port, "any.example")).toBe("frontend.example");
    expect(await subjectFor(port, "rule.example")).toBe("rule.example");
  });
});
