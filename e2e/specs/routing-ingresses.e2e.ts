import { echoOf } from "../harness/echo-backend.js";
import { sendBytes } from "../harness/http-client.js";
import { Http2Client } from "../harness/http2-client.js";
import { ingress, nginx } from "../harness/manifests.js";
import { scenario } from "../harness/scenario.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const live = scenario(
  {
    backends: [
      ...["exact", "wildcard", "named-wildcard", "any"],
      ...["prefix", "longer", "root", "implementation", "escaped"],
    ],
    objects: () => [
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
    ],
  },
  `
  # Hosts, without case, port and final dot, go to the backend as they are written.
  GET shop.example/ → exact / shop.example
  GET SHOP.Example:8080/ → exact / SHOP.Example:8080
  GET shop.example./ → exact
  GET a.shop.example/ → wildcard
  GET A.SHOP.EXAMPLE:80/ → wildcard
  # A wildcard is for one label; other hosts have the rules without a host.
  GET a.b.shop.example/ → 404 InvalidUpstream : no rule match
  GET a.b.shop.example/open → any
  GET shop.example.org/ → 404 InvalidUpstream : no rule match
  GET shop.example.org/open → any
  GET example/ → 404 InvalidUpstream : no rule match
  GET example/open → any
  GET xshop.example/ → 404 InvalidUpstream : no rule match
  GET xshop.example/open → any
  GET [::1]/ → 404 InvalidUpstream : no rule match
  GET [::1]/open → any
  GET 127.0.0.1/ → 404 InvalidUpstream : no rule match
  GET 127.0.0.1/open → any
  # Hosts that an Ingress names have none of them.
  GET shop.example/open → exact
  GET few.example/open → 404 InvalidUpstream : no rule match
  GET named.shop.example/open → wildcard
  GET alone.example/open → 404 InvalidUpstream : no rule match
  # A rule without paths answers by annotations.
  GET alone.example/ → 404 InvalidUpstream : no rule match
  GET moved.example/ → 301 https://new.example/
  # The exact name comes first where both have the path.
  GET named.shop.example/only/this → named-wildcard
  # Paths go by elements, exact comes first, then the longer one.
  GET paths.example/ → root
  GET paths.example/other → root
  GET paths.example/a → exact
  GET paths.example/a?query=1 → exact
  GET paths.example/a/ → prefix
  GET paths.example/a/x → prefix
  GET paths.example/ab → root
  GET paths.example/A → root
  GET paths.example/a/b → longer
  GET paths.example/a/b/ → longer
  GET paths.example/a/b/c → longer
  GET paths.example/a/bc → prefix
  GET paths.example/impl → implementation
  GET paths.example/impl/x → implementation
  GET paths.example/implx → root
  # They are compared as what they stand for, and go to the backend as received.
  GET paths.example/%61 → exact /%61
  GET paths.example//a/x → prefix //a/x
  GET paths.example/x/../a/x → prefix /x/../a/x
  GET paths.example/./a/./b → longer /./a/./b
  GET paths.example/a%2Fb → longer /a%2Fb
  GET paths.example/na%C3%AFve%20path → escaped /na%C3%AFve%20path
  GET paths.example/a/b/../../other → root
  GET paths.example/a//b/%2e%2E/c;d=1?e=%20f&&g → prefix /a//b/%2e%2E/c;d=1?e=%20f&&g
  GET paths.example/%61%2f? → prefix /%61%2f?
  GET paths.example/?a=/../b → root /?a=/../b
  GET paths.example/../etc/passwd → 400 BadRequest
  # Exact is nothing but the path itself.
  GET few.example/only → exact
  GET few.example/only/ → 404 InvalidUpstream : no rule match
  GET few.example/only/x → 404 InvalidUpstream : no rule match
  GET few.example/onl → 404 InvalidUpstream : no rule match
`,
);

it("takes the host from :authority over HTTP/2", async () => {
  const client = await scene.use(Http2Client.open({ port: live.gateway.httpPort }));
  const response = await client.send({ ":path": "/", ":authority": "a.shop.example" });

  expect(response.status).toBe(200);
  expect(JSON.parse(response.body.toString())).toMatchObject({ backend: "wildcard" });
});

it("takes an absolute request target that agrees with the Host header, and no other", async () => {
  const path = "http://shop.example/a";
  const echo = echoOf(await live.gateway.send({ host: "shop.example", path }));
  expect([echo.backend, echo.header("host")]).toEqual(["exact", "shop.example"]);

  const response = await live.gateway.send({ host: "any.example", path });
  expect([response.status, response.reason]).toEqual([
    400,
    expect.stringMatching(/^BadRequest : /),
  ]);
});

it.each([
  ["no Host header", "GET / HTTP/1.1\r\n\r\n"],
  ["two Host headers", "GET / HTTP/1.1\r\nHost: shop.example\r\nHost: any.example\r\n\r\n"],
  ["a Host header with a blank", "GET / HTTP/1.1\r\nHost: shop. example\r\n\r\n"],
  ["a Host header with a slash", "GET / HTTP/1.1\r\nHost: shop.example/x\r\n\r\n"],
])("refuses a request with %s", async (_, bytes) => {
  const response = await sendBytes(live.gateway.target(), bytes);

  expect([response.status, response.reason]).toEqual([
    400,
    expect.stringMatching(/^BadRequest : /),
  ]);
});
