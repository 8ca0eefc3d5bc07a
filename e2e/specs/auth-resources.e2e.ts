import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import {
  ALB_NAMESPACE,
  alb2,
  configMap,
  frontend,
  ingress,
  namespace,
  rule,
  secret,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

describe("the Auth object of an ALB2", () => {
  let gateway: Gateway;
  let auth: AuthService;
  let port: number;

  beforeAll(async () => {
    auth = await scene.use(AuthService.start());
    port = await freePort();
    gateway = await scene.use(
      Gateway.start({
        files: {
          "site.yaml": yaml(
            namespace("default"),
            service("web", [{ port: backend.port }]),
            configMap("headers", { "X-Tenant": "blue" }, ALB_NAMESPACE),
            alb2("edge", {
              ingressHTTPPort: port,
              ingressHTTPSPort: 0,
              auth: {
                forward: {
                  url: `http://127.0.0.1:${auth.port}/check?uri=$escaped_request_uri`,
                  method: "HEAD",
                  signin: "https://login.example/",
                  signin_redirect_param: "back",
                  upstream_headers: ["X-User", "X-Groups"],
                  auth_headers_cm_ref: `${ALB_NAMESPACE}/headers`,
                  auth_request_redirect: "/home",
                  always_set_cookie: true,
                },
              },
            }),
            ingress("paths", { hosts: { "paths.example": [{ path: "/p", service: "web" }] } }),
            ingress("fallback", { defaultBackend: "web" }),
          ),
        },
      }),
    );
  });

  it.each([
    ["an Ingress path", "paths.example", "/p"],
    ["an Ingress's default backend", "other.example", "/anything"],
  ])("guards %s with all that it says", async (_, host, path) => {
    const cookie = ["Set-Cookie", "session=1"] as const;
    auth.answer("/check", { status: 200, headers: [["X-User", "ann"], cookie] });
    const response = await gateway.send({
      port,
      host,
      path,
      headers: [["X-Groups", "root"], asking({ status: 500 })],
    });
    const seen = auth.take("/check");

    expect(seen).toMatchObject({ method: "HEAD", url: `/check?uri=${encodeURIComponent(path)}` });
    expect(seen.header("x-tenant")).toBe("blue");
    expect(seen.header("x-auth-request-redirect")).toBe("/home");
    expect(echoOf(response).all("x-user")).toEqual(["ann"]);
    expect(echoOf(response).all("x-groups")).toEqual([]);
    expect([response.status, response.all("set-cookie")]).toEqual([500, ["session=1"]]);

    auth.answer("/check", { status: 401 });
    const refused = await gateway.send({ port, host, path });
    auth.forget("/check");
    expect(refused.status).toBe(302);
    expect(refused.header("location")).toBe(
      `https://login.example/?back=http://${host}${encodeURIComponent(path)}`,
    );
  });
});

describe("a broken Auth object", () => {
  let gateway: Gateway;
  let ports: { broken: number; whole: number };

  beforeAll(async () => {
    ports = { broken: await freePort(), whole: await freePort() };
    const web = { serviceGroup: serviceGroup({ web: 100 }) };
    const on = (front: string, path: string, config?: Record<string, unknown>) =>
      rule(
        `${front}${path.replace("/", "-")}`,
        { alb: "edge", frontend: front },
        {
          ...web,
          dslx: [{ type: "URL", values: [["STARTS_WITH", path]] }],
          ...(config && { config }),
        },
      );
    const users = { basic: { secret: "default/users", secret_type: "auth-file" } };
    gateway = await scene.use(
      Gateway.start({
        errors: [/AUTH_/],
        files: {
          "site.yaml": yaml(
            namespace("default"),
            service("web", [{ port: backend.port }]),
            secret("users", { auth: await htpasswdLine("ann", "secret") }),
            alb2("edge", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
            frontend("broken", "edge", {
              port: ports.broken,
              ...web,
              config: { auth: { basic: { secret: "default/late", realm: "x" } } },
            }),
            frontend("whole", "edge", { port: ports.whole, ...web }),
            on("broken", "/inherits"),
            on("broken", "/open", { auth: {} }),
            on("broken", "/own", { auth: users }),
            on("whole", "/url", { auth: { forward: { url: "auth.example" } } }),
            on("whole", "/digest", { auth: { basic: { ...users.basic, auth_type: "digest" } } }),
            on("whole", "/bare", { auth: { basic: { secret: "users" } } }),
            on("whole", "/half", { auth: { ...users, forward: { url: "http://$nope/" } } }),
            on("whole", "/no-url", { auth: { forward: { method: "GET" } } }),
          ),
        },
      }),
    );
  });

  const ann = [["Authorization", basic("ann", "secret")]] as const;

  it.each([
    ["broken", "/inherits", 503],
    ["broken", "/anything", 503],
    ["broken", "/open", 200],
    ["broken", "/own", 200],
    ["whole", "/url", 503],
    ["whole", "/digest", 503],
    ["whole", "/bare", 503],
    ["whole", "/half", 503],
    ["whole", "/no-url", 503],
    ["whole", "/anything", 200],
  ] as const)("of the Frontend %s makes %s answer %s", async (front, path, status) => {
    const response = await gateway.send({ port: ports[front], path, headers: ann });

    expect(response.status).toBe(status);
    if (status === 503) expect(response.reason).toMatch(/^AuthFail : invalid cfg \S/);
  });

  it("heals everywhere that it is inherited", async () => {
    const late = secret("late", { auth: await htpasswdLine("ann", "secret") });
    await gateway.change("late.yaml", yaml(late));

    for (const path of ["/inherits", "/anything"]) {
      expect((await gateway.send({ port: ports.broken, path })).status).toBe(401);
      expect((await gateway.send({ port: ports.broken, path, headers: ann })).status).toBe(200);
    }
  });
});
