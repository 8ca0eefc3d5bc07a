import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const INSIDE = "127.0.0.5";
const OUTSIDE = "127.0.0.6";
const ANN = [["Authorization", basic("ann", "secret")]] as const;
let gateway: Gateway;
let auth: AuthService;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  const users = { "auth-type": "basic", "auth-secret": "users" };
  const inside = { "whitelist-source-range": `${INSIDE}/32, 10.0.0.0/8` };
  const one = (name: string, annotations: Record<string, string>) =>
    ingress(name, {
      annotations: nginx(annotations),
      hosts: { [`${name}.example`]: [{ service: "web" }] },
    });
  gateway = await scene.use(
    Gateway.start({
      flags: ["--trusted-proxies", "127.0.0.9/32"],
      errors: [/ANNOTATION/],
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          one("allow", inside),
          one("allow-alias", { "allowlist-source-range": INSIDE }),
          one("allow-six", { "whitelist-source-range": "::1/128" }),
          one("deny", { "denylist-source-range": `${OUTSIDE}/32` }),
          one("broken", { "whitelist-source-range": "127.0.0.5/33" }),
          one("all", { ...inside, ...users }),
          one("any", { ...inside, ...users, satisfy: "any" }),
          one("any-forward", {
            ...inside,
            satisfy: "any",
            "auth-url": `http://127.0.0.1:${auth.port}/any`,
          }),
          one("all-forward", { ...inside, "auth-url": `http://127.0.0.1:${auth.port}/all` }),
        ),
      },
    }),
  );
});

describe("source ranges", () => {
  it.each([
    ["allow.example", INSIDE, 200],
    ["allow.example", OUTSIDE, 403],
    ["allow-alias.example", INSIDE, 200],
    ["allow-alias.example", OUTSIDE, 403],
    ["deny.example", INSIDE, 200],
    ["deny.example", OUTSIDE, 403],
  ])("%s from %s: %s", async (host, from, status) => {
    const response = await gateway.send({ host, from });

    expect(response.status).toBe(status);
    expect(response.reason === undefined).toBe(status === 200);
  });

  it("know IPv6 from IPv4", async () => {
    expect((await gateway.send({ host: "allow-six.example", address: "::1" })).status).toBe(200);
    expect((await gateway.send({ host: "allow-six.example" })).status).toBe(403);
  });

  it("go by the client behind a trusted proxy, not by what others claim", async () => {
    const headers = [["X-Forwarded-For", INSIDE]] as const;

    expect((await gateway.send({ host: "allow.example", headers, from: "127.0.0.9" })).status).toBe(
      200,
    );
    expect((await gateway.send({ host: "allow.example", headers, from: OUTSIDE })).status).toBe(
      403,
    );
  });

  it("that cannot be read close the path", async () => {
    const response = await gateway.send({ host: "broken.example", from: INSIDE });

    expect(response.status).toBe(503);
    expect(response.reason).toMatch(/invalid cfg/);
  });
});

describe("satisfy", () => {
  it.each([
    ["all", INSIDE, true, 200],
    ["all", INSIDE, false, 401],
    ["all", OUTSIDE, true, 403],
    ["all", OUTSIDE, false, 403],
    ["any", INSIDE, true, 200],
    ["any", INSIDE, false, 200],
    ["any", OUTSIDE, true, 200],
    ["any", OUTSIDE, false, 401],
  ])("%s, from %s, with credentials %s: %s", async (mode, from, credentials, status) => {
    const headers = credentials ? ANN : [];
    const response = await gateway.send({ host: `${mode}.example`, from, headers });

    expect(response.status).toBe(status);
    if (status === 401) expect(response.header("www-authenticate")).toMatch(/^Basic realm=/);
  });

  it("any asks the auth service only about clients outside the ranges", async () => {
    auth.answer("/any", { status: 401 });

    expect((await gateway.send({ host: "any-forward.example", from: INSIDE })).status).toBe(200);
    expect(auth.asked("/any")).toHaveLength(0);
    expect((await gateway.send({ host: "any-forward.example", from: OUTSIDE })).status).toBe(401);
    auth.answer("/any", { status: 204 });
    const response = await gateway.send({ host: "any-forward.example", from: OUTSIDE });
    expect(echoOf(response).backend).toBe("web");
  });

  it("all does not ask the auth service about clients outside the ranges", async () => {
    expect((await gateway.send({ host: "all-forward.example", from: OUTSIDE })).status).toBe(403);
    expect(auth.asked("/all")).toHaveLength(0);
  });
});
