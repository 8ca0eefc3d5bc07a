/** What a client may write into a request to be taken for somebody else, or for a request to another path. */
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const closed = { "auth-type": "basic", "auth-secret": "users" };
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          service("web", [{ port: backend.port }]),
          secret("users", { auth: await htpasswdLine("ann", "secret") }),
          ingress("patterns", {
            annotations: nginx({ "use-regex": "true", ...closed }),
            hosts: {
              "patterns.example": [
                {
                  path: "/closed/(?:[a-z]|/)*/end",
                  pathType: "ImplementationSpecific",
                  service: "web",
                },
                { path: "/hard/(a+)+b", pathType: "ImplementationSpecific", service: "web" },
              ],
            },
          }),
          ingress("open", { hosts: { "patterns.example": [{ service: "web" }] } }),
        ),
      },
    }),
  );
});

describe("a path that is closed by a pattern", () => {
  it("is matched however long it is", async () => {
    const request = { host: "patterns.example", path: `/closed${"/abc".repeat(4000)}/end` };
    const headers = [["Authorization", basic("ann", "secret")]] as const;

    expect((await gateway.send(request)).status).toBe(401);
    expect(echoOf(await gateway.send({ ...request, headers })).url).toBe(request.path);
  });

  it("is not opened by a path at which the pattern gives up", async () => {
    const response = await gateway.send({
      host: "patterns.example",
      path: `/hard/${"a".repeat(200)}/b`,
    });

    expect(response.status).toBe(500);
    expect(response.reason).toBe("InvalidRule : regular expression");
  });

  it("leaves its neighbours open", async () => {
    expect((await gateway.send({ host: "patterns.example", path: "/other" })).status).toBe(200);
  });
});
