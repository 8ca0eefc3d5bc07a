import { INGRESS, type Settings } from "../harness/auth-surfaces.js";
import { AuthService } from "../harness/auth-service.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { Http2Client } from "../harness/http2-client.js";
import { service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();

let gateway: Gateway;
let auth: AuthService;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const one = (name: string, settings: Settings) =>
    INGRESS.site(name, { "auth-url": `http://127.0.0.1:${auth.port}/${name}`, ...settings });
  gateway = await scene.use(
    Gateway.start({
      flags: ["--trusted-proxies", "127.0.0.9/32"],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          one("login", { "auth-signin": "https://login.example/start?a=1" }),
          one("param", {
            "auth-signin": "https://login.example/",
            "auth-signin-redirect-param": "back",
          }),
          one("here", { "auth-signin": "$scheme://$http_host/oauth2/start" }),
          one("cors", {
            "auth-signin": "https://login.example/",
            "enable-cors": "true",
            "cors-allow-origin": "https://a.example",
          }),
        ),
      },
    }),
  );
  for (const path of ["/login", "/param", "/here", "/cors"]) {
    auth.answer(path, { status: 401, headers: [["WWW-Authenticate", 'Bearer realm="x"']] });
  }
});

/** Location of the answer to a request, which must be a redirect. */
async function location(host: string, path = "/", from?: string): Promise<string | undefined> {
  const headers = [["X-Forwarded-Proto", "https"]] as const;
  const response = await gateway.send({
    host,
    path,
    headers,
    ...(from !== undefined && { from }),
  });
  expect(response.status).toBe(302);
  return response.header("location");
}

describe("the redirect to the sign-in page", () => {
  it("records scheme, host and the escaped request URI", async () => {
    expect(await location("login.example:8080", "/a%20b?q=1&r=\xfc")).toBe(
      "https://login.example/start?a=1&rd=http://login.example:8080%2Fa%2520b%3Fq%3D1%26r%3D%FC",
    );
  });

  it("names the parameter as configured", async () => {
    expect(await location("param.example", "/x")).toBe(
      "https://login.example/?back=http://param.example%2Fx",
    );
  });

  it("may lead to a variable host", async () => {
    expect(await location("here.example:81", "/x?y")).toBe(
      "http://here.example:81/oauth2/start?rd=http://here.example:81%2Fx%3Fy",
    );
  });

  it("records https when a trusted proxy says so, and only then", async () => {
    expect(await location("param.example", "/", "127.0.0.9")).toBe(
      "https://login.example/?back=https://param.example%2F",
    );
    expect(await location("param.example", "/", "127.0.0.8")).toBe(
      "https://login.example/?back=http://param.example%2F",
    );
  });

  it("carries no reason, and has nginx's page", async () => {
    const response = await gateway.send({ host: "login.example", method: "POST", body: "form" });

    expect(response.status).toBe(302);
    expect(response.reason).toBeUndefined();
    expect(response.text).toContain("302 Found");
  });

  it("carries CORS headers", async () => {
    const headers = [["Origin", "https://a.example"]] as const;
    const response = await gateway.send({ host: "cors.example", headers });

    expect(response.header("access-control-allow-origin")).toBe("https://a.example");
  });

  it("works over HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send({ ":path": "/x", ":authority": "param.example" });

    expect(response.status).toBe(302);
    expect(response.headers.location).toBe("https://login.example/?back=http://param.example%2Fx");
  });

  it.each([403, 500, 302])("is not made for the auth service's %s", async (status) => {
    auth.answer("/login", { status });
    const response = await gateway.send({ host: "login.example" });
    auth.answer("/login", { status: 401 });

    expect(response.status).toBe(status === 403 ? 403 : 500);
    expect(response.header("location")).toBeUndefined();
  });

  it("cannot be made to carry a line of its own", async () => {
    const found = await location("login.example", "/%0d%0aSet-Cookie:%20evil=1");

    expect(found).toContain("%250d%250aSet-Cookie%3A%2520evil%3D1");
  });
});
