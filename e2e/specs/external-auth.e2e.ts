import { AuthService } from "../harness/auth-service.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  type Fields,
  authFilter,
  authPolicy,
  gatewayOn,
  httpRoute,
} from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { HttpResponse } from "../harness/http-message.js";
import type { Request } from "../harness/http-client.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { type Manifest, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "site.example";
let gateway: Gateway;
let auth: AuthService;
let backend: EchoBackend;
let ports: Record<"plain" | "guarded", number>;

/** An ExternalAuth filter by HTTP. */
const external = (http: Fields = {}, to = "auth", more: Fields = {}): Fields => ({
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", backendRef: { name: to, port: 80 }, http, ...more },
});

/** The Gateway's listener `guarded` has a filter of its own. */
function gatewayWithFilter(): Manifest[] {
  const [gatewayClass, edge] = gatewayOn(ports);
  if (gatewayClass === undefined || edge === undefined) throw new Error("no Gateway");
  const { listeners, ...spec } = edge["spec"] as { listeners: readonly Fields[] };
  const requests = [external({ path: "/listener" })];
  const guarded = listeners.map((listener) =>
    listener["name"] === "guarded" ? { ...listener, filters: { requests } } : listener,
  );
  return [gatewayClass, { ...edge, spec: { ...spec, listeners: guarded } }];
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  auth = await scene.use(AuthService.start());
  ports = { plain: await freePort(), guarded: await freePort() };
  const rule = (path: string, ...filters: readonly Fields[]) => ({ path, service: "web", filters });
  gateway = await scene.use(
    Gateway.start({
      errors: [/AUTH_FILTER_UNRESOLVED/, /ROUTE_/],
      files: {
        "site.yaml": yaml(
          gatewayWithFilter(),
          service("web", [{ port: backend.port }]),
          service("auth", [{ port: auth.port }]),
          service("auth", [{ port: auth.port }], "infra"),
          service("dead", [{ port: await freePort() }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          authPolicy("basic", { basic: { secret: "default/users" } }),
          httpRoute(
            "site",
            [HOST],
            [
              rule("/"),
              rule("/bare", external()),
              rule(
                "/listed",
                external({
                  path: "/decide/",
                  allowedHeaders: ["X-Session"],
                  allowedResponseHeaders: ["X-User"],
                }),
              ),
              rule("/body", external({}, "auth", { forwardBody: { maxSize: 10 } })),
              rule("/dead", external({}, "dead")),
              rule("/gone", external({}, "gone")),
              rule("/both", authFilter("basic"), external({ path: "/second" })),
            ],
          ),
        ),
      },
    }),
  );
});

async function send(path: string, request: Request = {}): Promise<HttpResponse> {
  return gateway.send({ port: ports.plain, host: HOST, path, ...request });
}

describe("an ExternalAuth filter", () => {
  it("asks with the request's own method, path and host, and no other headers than the promised", async () => {
    auth.answer("/bare/a%20b", { status: 200 });
    const response = await send("/bare/a%20b?q=1", {
      method: "DELETE",
      headers: [
        ["Authorization", "Bearer token"],
        ["Cookie", "a=1"],
        ["X-Session", "s"],
      ],
    });
    const asked = auth.take("/bare/a%20b");

    expect(echoOf(response).backend).toBe("web");
    expect(asked).toMatchObject({ method: "DELETE", url: "/bare/a%20b?q=1", bodyLength: 0 });
    expect(asked.header("host")).toBe(HOST);
    expect(asked.header("authorization")).toBe("Bearer token");
    expect(asked.header("content-length")).toBe("0");
    expect([asked.all("cookie"), asked.all("x-session")]).toEqual([[], []]);
  });

  it("puts its prefix before the path, and sends and sets the listed headers", async () => {
    auth.answer("/decide/listed", {
      status: 200,
      headers: [
        ["X-User", "ann"],
        ["X-Other", "inner"],
      ],
    });
    const response = await send("/listed", {
      headers: [
        ["X-Session", "s"],
        ["X-User", "root"],
        ["X-Other", "mine"],
      ],
    });
    const echo = echoOf(response);

    expect(auth.take("/decide/listed").header("x-session")).toBe("s");
    expect(echo.all("x-user")).toEqual(["ann"]);
    expect(echo.all("x-other")).toEqual(["mine"]);
  });

  it("without a list gives the backend all headers of the answer", async () => {
    auth.answer("/bare", { status: 200, headers: [["X-Anything", "from auth"]] });
    const echo = echoOf(await send("/bare", { headers: [["X-Anything", "mine"]] }));
    auth.forget("/bare");

    expect(echo.all("x-anything")).toEqual(["from auth"]);
    expect(echo.header("host")).toBe(HOST);
  });

  it.each([201, 204, 302, 401, 403, 418, 500])("gives the client the answer %s", async (status) => {
    auth.answer("/bare", { status, headers: [["X-Why", "because"]], body: "no" });
    const before = backend.requests.length;
    const response = await send("/bare");
    auth.forget("/bare");

    expect(response.status).toBe(status);
    expect(response.header("x-why")).toBe("because");
    expect(response.text).toBe(status === 204 ? "" : "no");
    expect(backend.requests).toHaveLength(before);
  });

  it("sends a body up to its size, which the backend gets too, and no longer one", async () => {
    auth.answer("/body", { status: 200 });
    const short = await send("/body", { method: "POST", body: "0123456789" });
    expect(echoOf(short).bodyLength).toBe(10);
    expect(auth.take("/body").bodyLength).toBe(10);

    const long = await send("/body", { method: "POST", body: "0123456789a" });
    expect(long.status).toBe(413);
    expect(auth.asked("/body")).toHaveLength(0);
  });

  it("closes the rule when the service can't be reached, or is not there", async () => {
    const dead = await send("/dead");
    const gone = await send("/gone");

    expect(dead.status).toBe(503);
    expect(dead.reason).toMatch(/^AuthFail : /);
    expect([gone.status, gone.reason]).toEqual([
      500,
      "InvalidRule : invalid cfg filter BackendNotFound",
    ]);
    expect((await send("/")).status).toBe(200);
  });

  it("comes in its place among the rule's filters", async () => {
    auth.answer("/second/both", { status: 403 });
    const credentials = [["Authorization", basic("ann", "secret")]] as const;

    expect((await send("/both")).status).toBe(401);
    expect(auth.asked("/second/both")).toHaveLength(0);
    expect((await send("/both", { headers: credentials })).status).toBe(403);
    auth.forget("/second/both");
  });
});

describe("a listener's ExternalAuth filter", () => {
  it("comes before the rule's, and holds for rules without any", async () => {
    const guarded = (path: string) => gateway.send({ port: ports.guarded, host: HOST, path });
    auth.answer("/listener/", { status: 403 });
    expect((await guarded("/")).status).toBe(403);
    auth.answer("/listener/", { status: 200 });
    expect((await guarded("/")).status).toBe(200);

    auth.answer("/listener/both", { status: 403 });
    expect((await guarded("/both")).status).toBe(403);
    auth.answer("/listener/both", { status: 200 });
    expect((await guarded("/both")).status).toBe(401);
  });
});
