/** Addresses, certificates and precedence of Gateways' listeners, on a real nginx. */
import { type KeyPair, selfSigned } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { CONTROLLER, type Fields, GATEWAY_API } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { peerCertificate } from "../harness/http-client.js";
import { type Manifest, service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();

/** All of 127/8 is this machine's. */
const FIRST = "127.61.0.1";
const SECOND = "127.61.0.2";
const ELSEWHERE = "127.61.0.3";

function object(kind: string, name: string, spec: Fields, status?: Fields): Manifest {
  const apiVersion = `${GATEWAY_API}/v1`;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: "default" },
    spec,
    ...(status && { status }),
  };
}

const CLASS: Manifest = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: "GatewayClass",
  metadata: { name: "alb" },
  spec: { controllerName: CONTROLLER },
};

const gatewayObject = (name: string, listeners: readonly Fields[], more: Fields = {}): Manifest =>
  object("Gateway", name, { gatewayClassName: "alb", listeners, ...more });

const httpsListener = (
  name: string,
  port: number,
  hostname: string,
  ...secrets: string[]
): Fields => ({
  name,
  port,
  hostname,
  protocol: "HTTPS",
  tls: { certificateRefs: secrets.map((secret) => ({ name: secret })) },
});

/** Everything that reaches the parent goes to the Service. */
const routeTo = (name: string, parent: string, kind = "Gateway"): Manifest =>
  object("HTTPRoute", name, {
    parentRefs: [{ group: GATEWAY_API, kind, name: parent }],
    rules: [{ backendRefs: [{ name, port: 80 }] }],
  });

describe("Gateways with addresses of their own", () => {
  let gateway: Gateway;
  let port: number;

  const manifests = (second: Fields): string =>
    yaml(
      CLASS,
      gatewayObject("first", [{ name: "http", port, protocol: "HTTP" }], {
        addresses: [{ value: FIRST }],
      }),
      gatewayObject("second", [{ name: "http", port, protocol: "HTTP" }], second),
      routeTo("one", "first"),
      routeTo("two", "second"),
    );

  const answer = async (address: string): Promise<string> =>
    echoOf(await gateway.send({ port, address, host: "a.example" })).backend;

  beforeAll(async () => {
    port = await freePort();
    const one = await scene.use(EchoBackend.start("one"));
    const two = await scene.use(EchoBackend.start("two"));
    gateway = await scene.use(
      Gateway.start({
        flags: ["--gateway-addresses", `${FIRST},${SECOND},${ELSEWHERE}`],
        errors: [/GATEWAY_ADDRESS/],
        files: {
          "services.yaml": yaml(
            service("one", [{ port: one.port }]),
            service("two", [{ port: two.port }]),
          ),
          "gateways.yaml": manifests({ addresses: [{ value: SECOND }] }),
        },
      }),
    );
  });

  test("answer the same host and port each by itself, and nowhere else", async () => {
    expect([await answer(FIRST), await answer(SECOND)]).toEqual(["one", "two"]);
    await expect(answer(ELSEWHERE)).rejects.toThrow("ECONNREFUSED");
  });

  test("move without harm to the others", async () => {
    await gateway.change("gateways.yaml", manifests({ addresses: [{ value: ELSEWHERE }] }));
    expect([await answer(FIRST), await answer(ELSEWHERE)]).toEqual(["one", "two"]);
    await waitFor("the address to be given up", async () =>
      answer(SECOND).then(
        () => false,
        () => true,
      ),
    );
  });

  test("serve nothing on an address that they can't have", async () => {
    await gateway.change("gateways.yaml", manifests({ addresses: [{ value: FIRST }] }));
    expect(await answer(FIRST)).toBe("one");
    await waitFor("the address to be given up", async () =>
      answer(ELSEWHERE).then(
        () => false,
        () => true,
      ),
    );
  });
});

describe("certificates of listeners", () => {
  let gateway: Gateway;
  let port: number;
  let late: KeyPair;

  const subject = async (name: string): Promise<string> =>
    (await peerCertificate(port, name)).subject;

  beforeAll(async () => {
    port = await freePort();
    const [exact, many, more, pair] = await Promise.all([
      selfSigned("exact.wild.example"),
      selfSigned("first.wild.example", "*.wild.example"),
      selfSigned("second.wild.example"),
      selfSigned("late.example"),
    ]);
    late = pair;
    gateway = await scene.use(
      Gateway.start({
        errors: [/GATEWAY_REFERENCE/, /LISTENER_CONFLICT/],
        files: {
          "site.yaml": yaml(
            CLASS,
            tlsSecret("exact", exact),
            tlsSecret("many", many),
            tlsSecret("more", more),
            gatewayObject(
              "edge",
              [
                httpsListener("exact", port, "exact.wild.example", "exact"),
                httpsListener("wild", port, "*.wild.example", "many", "more"),
                httpsListener("late", port, "late.example", "late"),
              ],
              { allowedListeners: { namespaces: { from: "Same" } } },
            ),
            object("ListenerSet", "set", {
              parentRef: { name: "edge" },
              listeners: [
                httpsListener("conflict", port, "exact.wild.example", "more"),
                httpsListener("own", port, "set.example", "more"),
              ],
            }),
          ),
        },
      }),
    );
  });

  test("go by the most specific hostname, and of several by the names in them", async () => {
    expect(await subject("exact.wild.example")).toBe("exact.wild.example");
    expect(await subject("first.wild.example")).toBe("first.wild.example");
    expect(await subject("second.wild.example")).toBe("second.wild.example");
    expect(await subject("a.b.wild.example")).toBe("first.wild.example");
    expect(await subject("set.example")).toBe("second.wild.example");
  });

  test("serve as soon as they are there", async () => {
    expect(await subject("late.example")).toBe("albc self-signed certificate");
    await gateway.change("late.yaml", yaml(tlsSecret("late", late)));
    expect(await subject("late.example")).toBe("late.example");
  });
});
