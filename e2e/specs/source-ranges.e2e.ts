import { AuthService } from "../harness/auth-service.js";
import { echoOf } from "../harness/echo-backend.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { ingress, nginx, secret } from "../harness/manifests.js";
import { scenario } from "../harness/scenario.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const INSIDE = "127.0.0.5";
const OUTSIDE = "127.0.0.6";
const ANN = `[Authorization: ${basic("ann", "secret")}]`;
let auth: AuthService;

const users = { "auth-type": "basic", "auth-secret": "users" };
const inside = { "whitelist-source-range": `${INSIDE}/32, 10.0.0.0/8` };
const one = (name: string, annotations: Record<string, string>) =>
  ingress(name, {
    annotations: nginx(annotations),
    hosts: { [`${name}.example`]: [{ service: "web" }] },
  });

const live = scenario(
  {
    backends: ["web"],
    flags: ["--trusted-proxies", "127.0.0.9/32"],
    errors: [/ANNOTATION/],
    objects: async () => {
      auth = await scene.use(AuthService.start());
      return [
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
      ];
    },
  },
  `
  GET allow.example/ [from ${INSIDE}] → web
  GET allow.example/ [from ${OUTSIDE}] → 403 AccessFail : client address not allowed
  GET allow-alias.example/ [from ${INSIDE}] → web
  GET allow-alias.example/ [from ${OUTSIDE}] → 403 AccessFail : client address not allowed
  GET allow-six.example/ → 403 AccessFail : client address not allowed
  GET deny.example/ [from ${INSIDE}] → web
  GET deny.example/ [from ${OUTSIDE}] → 403 AccessFail : client address not allowed
  # One that can't be read closes the path.
  GET broken.example/ [from ${INSIDE}] → 503
  # The client is the one behind a trusted proxy, not what others claim.
  GET allow.example/ [X-Forwarded-For: ${INSIDE}] [from 127.0.0.9] [unexplained] → web
  GET allow.example/ [X-Forwarded-For: ${INSIDE}] [from ${OUTSIDE}] → 403
  # Both, or one of them
  GET all.example/ ${ANN} [from ${INSIDE}] [unexplained] → web
  GET all.example/ [from ${INSIDE}] → 401 Basic
  GET all.example/ ${ANN} [from ${OUTSIDE}] → 403
  GET all.example/ [from ${OUTSIDE}] → 403
  GET any.example/ ${ANN} [from ${INSIDE}] → web
  GET any.example/ [from ${INSIDE}] → web
  GET any.example/ ${ANN} [from ${OUTSIDE}] [unexplained] → web
  GET any.example/ [from ${OUTSIDE}] → 401 Basic
`,
);

it("an IPv6 client is in a range of IPv6", async () => {
  const response = await live.gateway.send({ host: "allow-six.example", address: "::1" });

  expect(response.status).toBe(200);
});

describe("satisfy", () => {
  it("any asks the auth service only about clients outside the ranges", async () => {
    auth.answer("/any", { status: 401 });

    expect((await live.gateway.send({ host: "any-forward.example", from: INSIDE })).status).toBe(
      200,
    );
    expect(auth.asked("/any")).toHaveLength(0);
    expect((await live.gateway.send({ host: "any-forward.example", from: OUTSIDE })).status).toBe(
      401,
    );
    auth.answer("/any", { status: 204 });
    const response = await live.gateway.send({ host: "any-forward.example", from: OUTSIDE });
    expect(echoOf(response).backend).toBe("web");
  });

  it("all does not ask the auth service about clients outside the ranges", async () => {
    expect((await live.gateway.send({ host: "all-forward.example", from: OUTSIDE })).status).toBe(
      403,
    );
    expect(auth.asked("/all")).toHaveLength(0);
  });
});
