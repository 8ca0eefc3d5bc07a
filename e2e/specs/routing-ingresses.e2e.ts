import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { sendBytes } from "../harness/http-client.js";
import { Http2Client } from "../harness/http2-client.js";
import { ingress, nginx, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const NO_RULE = "InvalidUpstream : no rule match";
let gateway: Gateway;

beforeAll(async () => {
  const names = [
    ...["exact", "wildcard", "named-wildcard", "any"],
    ...["prefix", "longer", "root", "implementation", "escaped"],
  ];
  const backends = await Promise.all(names.map((name) => scene.use(EchoBackend.start(name))));
  gateway = await scene.use(
    Gateway.start({
      files: {
        "services.yaml": yaml(...backends.map(({ name, port }) => service(name, [{ port }]))),
        "web.yaml": yaml(
          ingress("exact", { hosts: { "shop.example": [{ service: "exact" }] } }),
          ingress("wildcard", {
            hosts: {
              "*.shop.example": [{ service: "wildcard" }],
              "named.shop.example": [{ path: "/only", service: "named-wildcard" }],
            },
          }),
          ingress("alone", { hosts: { "alone.example": [] } }),
          ingress("moved", {
            annotations: nginx({ "permanent-redirect": "https://new.example/" }),
            hosts: { "moved.example": [] },
          }),
          ingress("any", { hosts: { "": [{ path: "/open", service: "any" }] } }),
          ingress("paths", {
            hosts: {
              "paths.example": [
                { path: "/", service: "root" },
                { path: "/a", service: "prefix" },
                { path: "/a", pathType: "Exact", service: "exact" },
                { path: "/a/b/", service: "longer" },
                { path: "/impl", pathType: "ImplementationSpecific", service: "implementation" },
                { path: "/naïve path", service: "escaped" },
              ],
              "few.example": [{ path: "/only", pathType: "Exact", service: "exact" }],
            },
          }),
        ),
      },
    }),
  );
});

/** Name of the backend that a request reaches, or the reason why none. */
async function reached(host: string, path = "/"): Promise<string | undefined> {
  const response = await gateway.send({ host, path });
  return response.status === 200 ? echoOf(response).backend : response.reason;
}

describe("hosts", () => {
  it.each([
    ["shop.example", "exact"],
    ["SHOP.Example", "exact"],
    ["shop.example:8443", "exact"],
    ["shop.example.", "exact"],
    ["a.shop.example", "wildcard"],
    ["A.SHOP.EXAMPLE:80", "wildcard"],
  ])("serve %s by %s", async (host, backend) => {
    expect(await reached(host)).toBe(backend);
  });

  it.each([
    "a.b.shop.example",
    "shop.example.org",
    "example",
    "xshop.example",
    "[::1]",
    "127.0.0.1",
  ])("do not serve %s by a wildcard of one label or an exact name", async (host) => {
    expect(await reached(host)).toBe(NO_RULE);
    expect(await reached(host, "/open")).toBe("any");
  });

  it.each(["shop.example", "few.example", "named.shop.example", "alone.example"])(
    "that an Ingress names, such as %s, get nothing from rules without a host",
    async (host) => {
      expect(await reached(host, "/open")).not.toBe("any");
    },
  );

  it("of rules without paths answer by annotations, else 404", async () => {
    expect(await reached("alone.example")).toBe(NO_RULE);
    expect((await gateway.send({ host: "moved.example" })).status).toBe(301);
  });

  it("prefer the exact name to the wildcard where both have the path", async () => {
    expect(await reached("named.shop.example", "/only/this")).toBe("named-wildcard");
  });

  it("go to the backend as the client wrote them", async () => {
    const echo = echoOf(await gateway.send({ host: "SHOP.example:8080" }));

    expect(echo.all("host")).toEqual(["SHOP.example:8080"]);
  });

  it("come from :authority over HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send({ ":path": "/", ":authority": "a.shop.example" });

    expect(response.status).toBe(200);
    expect(JSON.parse(response.body.toString())).toMatchObject({ backend: "wildcard" });
  });

  it("refuse a request target that names another host than the Host header", async () => {
    const response = await gateway.send({ host: "any.example", path: "http://shop.example/" });

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("take an absolute request target that agrees with the Host header", async () => {
    const path = "http://shop.example/a";
    const echo = echoOf(await gateway.send({ host: "shop.example", path }));

    expect(echo.backend).toBe("exact");
    expect(echo.header("host")).toBe("shop.example");
  });

  it.each([
    ["no Host header", "GET / HTTP/1.1\r\n\r\n"],
    ["two Host headers", "GET / HTTP/1.1\r\nHost: shop.example\r\nHost: any.example\r\n\r\n"],
    ["a Host header with a blank", "GET / HTTP/1.1\r\nHost: shop. example\r\n\r\n"],
    ["a Host header with a slash", "GET / HTTP/1.1\r\nHost: shop.example/x\r\n\r\n"],
  ])("refuse a request with %s", async (_, bytes) => {
    const response = await sendBytes(gateway.target(), bytes);

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("answer 404 with its reason when no rule has the path", async () => {
    const response = await gateway.send({ host: "nobody.example" });

    expect(response.status).toBe(404);
    expect(response.reason).toBe(NO_RULE);
    expect(response.text).toContain("404 Not Found");
  });
});

describe("paths", () => {
  it.each([
    ["/", "root"],
    ["/other", "root"],
    ["/a", "exact"],
    ["/a?query=1", "exact"],
    ["/a/", "prefix"],
    ["/a/x", "prefix"],
    ["/ab", "root"],
    ["/A", "root"],
    ["/a/b", "longer"],
    ["/a/b/", "longer"],
    ["/a/b/c", "longer"],
    ["/a/bc", "prefix"],
    ["/impl", "implementation"],
    ["/impl/x", "implementation"],
    ["/implx", "root"],
  ])("%s is served by %s", async (path, backend) => {
    expect(await reached("paths.example", path)).toBe(backend);
  });

  it.each([
    ["/%61", "exact"],
    ["//a/x", "prefix"],
    ["/x/../a/x", "prefix"],
    ["/./a/./b", "longer"],
    ["/a%2Fb", "longer"],
    ["/na%C3%AFve%20path", "escaped"],
    ["/a/b/../../other", "root"],
  ])("%s is matched as what it stands for, by %s", async (path, backend) => {
    expect(await reached("paths.example", path)).toBe(backend);
  });

  it.each(["/a//b/%2e%2E/c;d=1?e=%20f&&g", "/%61%2f?", "/?a=/../b", "/x/../a/x"])(
    "%s goes to the backend as received",
    async (path) => {
      expect(echoOf(await gateway.send({ host: "paths.example", path })).url).toBe(path);
    },
  );

  it("that climb above the root are refused", async () => {
    const response = await gateway.send({ host: "paths.example", path: "/../etc/passwd" });

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("of type Exact match nothing but themselves", async () => {
    expect(await reached("few.example", "/only")).toBe("exact");
    expect(await reached("few.example", "/only/")).toBe(NO_RULE);
    expect(await reached("few.example", "/only/x")).toBe(NO_RULE);
    expect(await reached("few.example", "/onl")).toBe(NO_RULE);
  });
});
