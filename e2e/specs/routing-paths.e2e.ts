import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { ingress, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;

beforeAll(async () => {
  const names = ["exact", "prefix", "longer", "root", "implementation", "empty"];
  const backends = await Promise.all(names.map((name) => scene.use(EchoBackend.start(name))));
  gateway = await scene.use(
    Gateway.start({
      files: {
        "services.yaml": yaml(...backends.map(({ name, port }) => service(name, [{ port }]))),
        "web.yaml": yaml(
          ingress("paths", {
            hosts: {
              "paths.example": [
                { path: "/", service: "root" },
                { path: "/a", service: "prefix" },
                { path: "/a", pathType: "Exact", service: "exact" },
                { path: "/a/b/", service: "longer" },
                { path: "/impl", pathType: "ImplementationSpecific", service: "implementation" },
                { path: "/naïve path", service: "empty" },
              ],
              "few.example": [{ path: "/only", pathType: "Exact", service: "exact" }],
            },
          }),
        ),
      },
    }),
  );
});

async function reached(path: string, host = "paths.example"): Promise<string | number> {
  const response = await gateway.send({ host, path });
  return response.status === 200 ? echoOf(response).backend : response.status;
}

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
    expect(await reached(path)).toBe(backend);
  });

  it.each([
    ["/%61", "exact"],
    ["//a/x", "prefix"],
    ["/x/../a/x", "prefix"],
    ["/./a/./b", "longer"],
    ["/a%2Fb", "longer"],
    ["/na%C3%AFve%20path", "empty"],
    ["/a/b/../../other", "root"],
  ])("%s is matched as what it stands for, by %s", async (path, backend) => {
    expect(await reached(path)).toBe(backend);
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
    expect(await reached("/only", "few.example")).toBe("exact");
    expect(await reached("/only/", "few.example")).toBe(404);
    expect(await reached("/only/x", "few.example")).toBe(404);
    expect(await reached("/onl", "few.example")).toBe(404);
  });
});
