import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { BackendFilters, HeaderChanges } from "../../../src/model/filters.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();

const headers = (name: string, value: string, remove: readonly string[] = []): HeaderChanges => ({
  set: [[name, value]],
  remove,
});

/** A route whose only backend has filters. */
const filtered = (filters: BackendFilters, route: TestRoute = {}): TestRoute => ({
  ...route,
  backends: [{ upstream: "backend", weight: 1, protocol: "http", filters }],
});

const closed = authPolicy({ invalid: "test" });

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "headers.example": filtered(
    {
      requestHeaders: headers("X-Request", "backend", ["x-gone"]),
      responseHeaders: headers("X-Response", "backend"),
    },
    {
      requestHeaders: {
        ...headers("X-Request", "route"),
        add: [["X-Route", "yes"]],
      },
      responseHeaders: {
        ...headers("X-Response", "route"),
        add: [["X-Route", "yes"]],
      },
    },
  ),
  "rewrite.example": filtered(
    {
      rewrite: ["prefix", "/a", "/backend"],
      host: "backend.host",
    },
    {
      rewrite: ["prefix", "/a", "/route"],
      host: "route.host",
    },
  ),
  "host.example": filtered(
    { requestHeaders: headers("Host", "header.host") },
    { host: "route.host" },
  ),
  "redirect.example": filtered({ redirect: { status: 302, host: "elsewhere.example" } }),
  "auth.example": filtered({
    auth: [closed.id],
    redirect: { status: 302, scheme: "https", unlessScheme: "http" },
  }),
  "cors.example": filtered({
    cors: {
      origins: ["https://a.example"],
      methods: ["GET"],
      headers: [],
      credentials: false,
      maxAge: 60,
    },
  }),
  "two.example": {
    backends: [
      { upstream: "backend", weight: 1, protocol: "http" },
      {
        upstream: "backend",
        weight: 1,
        protocol: "http",
        filters: {
          requestHeaders: headers("X-Request", "second"),
          responseHeaders: headers("X-Response", "second"),
        },
      },
    ],
  },
  "empty.example": {
    backends: [
      {
        upstream: "none",
        weight: 1,
        protocol: "http",
        filters: { responseHeaders: headers("X-Response", "backend") },
      },
    ],
  },
  "retried.example": filtered(
    {
      rewrite: ["full", "/tried"],
      responseHeaders: headers("X-Response", "backend"),
    },
    { retry: { codes: [500], attempts: 1 } },
  ),
};

let gateway: LuaGateway;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("b"));
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: ROUTES,
      upstreams: [{ id: "none", endpoints: [] }],
      model: (model) => ({ ...model, auths: [closed] }),
    }),
  );
});

describe("filters of a backend", () => {
  it("change headers after the route's", async () => {
    const response = await gateway.send({
      host: "headers.example",
      headers: [["X-Gone", "here"]],
    });
    const echo = echoOf(response);

    expect(echo.header("x-request")).toBe("backend");
    expect(echo.header("x-route")).toBe("yes");
    expect(echo.header("x-gone")).toBeUndefined();
    expect(response.header("x-response")).toBe("backend");
    expect(response.header("x-route")).toBe("yes");
  });

  it("rewrite path and host instead of the route's", async () => {
    const echo = echoOf(await gateway.send({ host: "rewrite.example", path: "/a/b?c=d" }));

    expect(echo).toMatchObject({ url: "/backend/b?c=d" });
    expect(echo.header("host")).toBe("backend.host");
  });

  it("name the host by a header, too", async () => {
    expect(echoOf(await gateway.send({ host: "host.example" })).header("host")).toBe("header.host");
  });

  it("redirect", async () => {
    const response = await gateway.send({ host: "redirect.example", path: "/x?y" });

    expect(response.status).toBe(302);
    expect(response.header("location")).toMatch(/^http:\/\/elsewhere\.example:\d+\/x\?y$/);
  });

  it("check auth", async () => {
    const response = await gateway.send({ host: "auth.example" });

    expect([response.status, response.reason]).toEqual([503, "AuthFail : invalid cfg test"]);
  });

  it("answer for other origins", async () => {
    const origin = ["Origin", "https://a.example"] as const;
    const preflight = await gateway.send({
      host: "cors.example",
      method: "OPTIONS",
      headers: [origin],
    });
    const response = await gateway.send({ host: "cors.example", headers: [origin] });

    expect(preflight.status).toBe(204);
    expect(response.header("access-control-allow-origin")).toBe("https://a.example");
  });

  it("are done for the requests of that backend only", async () => {
    const seen = [];
    for (let i = 0; i < 10; i++) {
      const response = await gateway.send({ host: "two.example" });
      seen.push([echoOf(response).header("x-request"), response.header("x-response")]);
    }

    expect(seen.filter(([request]) => request === "second")).toHaveLength(5);
    expect(seen.every(([request, response]) => request === response)).toBe(true);
  });

  it("are done to errors of the gateway", async () => {
    const response = await gateway.send({ host: "empty.example" });

    expect([response.status, response.header("x-response")]).toEqual([503, "backend"]);
  });

  it("go together with retries", async () => {
    const response = await gateway.send({ host: "retried.example", method: "POST", body: "a" });

    expect(echoOf(response)).toMatchObject({ url: "/tried", bodyLength: 1 });
    expect(response.header("x-response")).toBe("backend");
  });
});
