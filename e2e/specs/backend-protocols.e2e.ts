import { selfSigned } from "../harness/certificates.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { GrpcBackend, grpcMessage } from "../harness/grpc-backend.js";
import { Http2Client } from "../harness/http2-client.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;
let grpc: GrpcBackend;
let client: Http2Client;

beforeAll(async () => {
  const secure = await scene.use(
    EchoBackend.start("secure", { tls: await selfSigned("inner.example") }),
  );
  grpc = await scene.use(GrpcBackend.start());
  const one = (name: string, annotations: Record<string, string>, to: string) =>
    ingress(name, {
      annotations: nginx(annotations),
      hosts: { [`${name}.example`]: [{ service: to }] },
    });
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("secure", [{ port: secure.port }]),
          service("grpc", [{ port: grpc.port }]),
          service("dead", [{ port: await freePort() }]),
          service("none"),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          one("secure", { "backend-protocol": "HTTPS" }, "secure"),
          one(
            "secure-more",
            {
              "backend-protocol": "https",
              "rewrite-target": "/new",
              "upstream-vhost": "inner.example",
              "proxy-body-size": "1m",
            },
            "secure",
          ),
          one("wrong", { "backend-protocol": "HTTPS" }, "grpc"),
          one("grpc", { "backend-protocol": "GRPC" }, "grpc"),
          one("grpc-dead", { "backend-protocol": "GRPC" }, "dead"),
          one("grpc-none", { "backend-protocol": "GRPC" }, "none"),
          one(
            "grpc-private",
            { "backend-protocol": "GRPC", "auth-type": "basic", "auth-secret": "users" },
            "grpc",
          ),
        ),
      },
    }),
  );
  client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
});

describe("backend-protocol HTTPS", () => {
  it("speaks TLS to the backend", async () => {
    const response = await gateway.send({
      host: "secure.example",
      path: "/a?b=c",
      body: "content",
    });
    const echo = echoOf(response);

    expect(echo).toMatchObject({ backend: "secure", url: "/a?b=c", bodyLength: 7 });
    expect(echo.header("host")).toBe("secure.example");
    expect(echo.header("x-forwarded-proto")).toBe("http");
  });

  it("goes together with a rewrite, another host and a body limit", async () => {
    const request = { host: "secure-more.example", path: "/old?q=1", method: "POST" };
    const echo = echoOf(await gateway.send({ ...request, body: "x", chunked: true }));
    const large = await gateway.send({ ...request, body: Buffer.alloc(1_048_577), chunked: true });

    expect(echo.url).toBe("/new?q=1");
    expect(echo.header("host")).toBe("inner.example");
    expect(large.status).toBe(413);
  });

  it("answers 502 when the backend does not speak TLS", async () => {
    const response = await gateway.send({ host: "wrong.example" });

    expect(response.status).toBe(502);
    expect(response.reason).toMatch(/^BackendError : /);
  });
});

describe("backend-protocol GRPC", () => {
  const call = (host: string, headers: Record<string, string> = {}) =>
    client.send(
      {
        ":method": "POST",
        ":path": "/shop.Cart/Add",
        ":authority": host,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      },
      grpcMessage("two apples"),
    );

  it("carries a call's message, metadata and trailers", async () => {
    const response = await call("grpc.example", { "x-tenant": "blue" });
    const received = grpc.calls.at(-1);

    expect(response.status).toBe(200);
    expect(response.body).toEqual(grpcMessage("two apples"));
    expect(response.trailers["grpc-status"]).toBe("0");
    expect(received).toMatchObject({
      ":method": "POST",
      ":path": "/shop.Cart/Add",
      "content-type": "application/grpc",
      te: "trailers",
      "x-tenant": "blue",
      "x-real-ip": "127.0.0.1",
    });
  });

  it.each([
    ["grpc-dead.example", "14", /^BackendError : /],
    ["grpc-none.example", "14", /^InvalidBalancer : no peer$/],
    ["nowhere.example", "12", /^InvalidUpstream : no rule match$/],
    ["grpc-private.example", "16", /^AuthFail : /],
  ])("answers %s with grpc-status %s", async (host, code, reason) => {
    const response = await call(host);

    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("application/grpc");
    expect(response.headers["grpc-status"]).toBe(code);
    expect(response.headers["x-alb-err-reason"]).toMatch(reason);
  });

  it("lets a call with credentials pass and keeps them to itself", async () => {
    const response = await call("grpc-private.example", { authorization: basic("ann", "secret") });

    expect(response.trailers["grpc-status"]).toBe("0");
    expect(grpc.calls.at(-1)).not.toHaveProperty("authorization");
  });
});
