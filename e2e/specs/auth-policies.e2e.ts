import { AuthService } from "../harness/auth-service.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import {
  type Fields,
  GATEWAY_NAMESPACE,
  authFilter,
  authPolicy,
  gatewayOn,
  httpRoute,
} from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { type Manifest, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const NAMES = ["gateway", "listener", "route", "rule", "filter"] as const;
type UserName = (typeof NAMES)[number];
const USERS: Readonly<Record<UserName, string>> = {
  gateway: basic("gateway", "secret"),
  listener: basic("listener", "secret"),
  route: basic("route", "secret"),
  rule: basic("rule", "secret"),
  filter: basic("filter", "secret"),
};

/** The Auth object for the one user of the secret of that name. */
const only = (user: UserName, namespace = "default"): Fields => ({
  basic: { secret: `${namespace}/${user}` },
});
const none: Fields = {};

let gateway: Gateway;
let forward: AuthService;
let ports: Record<"open" | "guarded", number>;

const secretOf = async (name: UserName, namespace = "default"): Promise<Manifest> =>
  secret(name, { auth: await htpasswdLine(name, "secret") }, namespace);

/** A path for each way to set auth in a rule; the rest inherits. */
const site = (name: string): Manifest =>
  httpRoute(
    name,
    [`${name}.example`],
    [
      { service: "web" },
      { name: "named", path: "/named", service: "web" },
      { path: "/filter", service: "web", filters: [authFilter("by-filter")] },
      { path: "/off", service: "web", filters: [authFilter("nothing")] },
      { path: "/gone", service: "web", filters: [authFilter("gone")] },
      { path: "/broken", service: "web", filters: [authFilter("broken")] },
      {
        path: "/moved",
        filters: [
          { type: "CORS", cors: { allowOrigins: ["https://app.example"] } },
          { type: "RequestRedirect", requestRedirect: { hostname: "new.example" } },
        ],
      },
      {
        path: "/both",
        service: "web",
        filters: [authFilter("by-filter"), authFilter("asking")],
      },
    ],
  );

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  forward = await scene.use(AuthService.start());
  ports = { open: await freePort(), guarded: await freePort() };
  gateway = await scene.use(
    Gateway.start({
      errors: [/AUTH_/],
      files: {
        "policies.yaml": yaml(
          authPolicy("everywhere", only("gateway", GATEWAY_NAMESPACE), ["Gateway/edge"], "infra"),
          authPolicy(
            "one-listener",
            only("listener", GATEWAY_NAMESPACE),
            ["Gateway/edge#guarded"],
            "infra",
          ),
          authPolicy("own", only("route"), ["HTTPRoute/own", "HTTPRoute/ruled"]),
          authPolicy("own-rule", only("rule"), ["HTTPRoute/ruled#named"]),
          authPolicy("disabled", none, ["HTTPRoute/disabled"]),
          authPolicy("by-filter", only("filter")),
          authPolicy("nothing", none),
          authPolicy("broken", { basic: { secret: "default/gone" } }),
          authPolicy("asking", { forward: { url: `http://127.0.0.1:${forward.port}/asked` } }),
        ),
        "site.yaml": yaml(
          gatewayOn(ports),
          service("web", [{ port: backend.port }]),
          await secretOf("gateway", GATEWAY_NAMESPACE),
          await secretOf("listener", GATEWAY_NAMESPACE),
          await secretOf("route"),
          await secretOf("rule"),
          await secretOf("filter"),
          ...["inherits", "own", "ruled", "disabled"].map(site),
        ),
      },
    }),
  );
});

interface Where {
  readonly port?: number;
  readonly host: string;
  readonly path?: string;
}

async function status(where: Where, authorization?: string): Promise<number> {
  const headers = authorization === undefined ? [] : ([["Authorization", authorization]] as const);
  return (await gateway.send({ port: ports.open, path: "/", ...where, headers })).status;
}

/** Who may pass: nobody is refused (`everyone`), or the users that are let in. */
async function admitted(where: Where): Promise<unknown> {
  if ((await status(where)) === 200) return "everyone";
  const statuses = await Promise.all(NAMES.map((name) => status(where, USERS[name])));
  expect(statuses.every((code) => code === 200 || code === 401)).toBe(true);
  return NAMES.filter((_, index) => statuses[index] === 200);
}

describe("the narrowest AuthPolicy", () => {
  it.each([
    ["open", "inherits", "/", ["gateway"]],
    ["guarded", "inherits", "/", ["listener"]],
    ["open", "own", "/", ["route"]],
    ["guarded", "own", "/", ["route"]],
    ["open", "own", "/named", ["route"]],
    ["open", "ruled", "/", ["route"]],
    ["open", "ruled", "/named", ["rule"]],
    ["open", "disabled", "/", "everyone"],
    ["guarded", "disabled", "/named", "everyone"],
    ["open", "inherits", "/filter", ["filter"]],
    ["guarded", "own", "/filter", ["filter"]],
    ["open", "inherits", "/off", "everyone"],
    ["guarded", "own", "/off", "everyone"],
  ] as const)("on the listener %s of %s at %s admits %j", async (listener, route, path, users) => {
    const where = { port: ports[listener], host: `${route}.example`, path };
    expect(await admitted(where)).toEqual(users);
  });
});

describe("AuthPolicies that a rule names", () => {
  const where = { host: "inherits.example", path: "/both" };

  it("must all pass, in order", async () => {
    forward.answer("/asked", { status: 200 });
    expect(await status(where)).toBe(401);
    expect(forward.asked("/asked")).toHaveLength(0);
    expect(await status(where, USERS.filter)).toBe(200);
    forward.answer("/asked", { status: 403 });
    expect(await status(where, USERS.filter)).toBe(403);
  });

  it("answer 500 when one is not there, 503 when it can't be used", async () => {
    const gone = await gateway.send({ port: ports.open, host: "own.example", path: "/gone" });
    const broken = await gateway.send({ port: ports.open, host: "own.example", path: "/broken" });

    expect([gone.status, gone.reason]).toEqual([
      500,
      "InvalidRule : invalid cfg filter BackendNotFound",
    ]);
    expect([broken.status, broken.reason]).toEqual([
      503,
      "AuthFail : invalid cfg secret default/gone not found",
    ]);
  });
});

describe("a redirect", () => {
  it.each([
    ["inherits", "gateway"],
    ["own", "route"],
  ] as const)("on %s is told only to those who pass", async (route, user) => {
    const where = { host: `${route}.example`, path: "/moved" };
    expect(await status(where)).toBe(401);
    expect(await status(where, USERS.filter)).toBe(401);
    expect(await status(where, USERS[user])).toBe(302);
  });

  it("comes after the preflight, which brings no credentials", async () => {
    const response = await gateway.send({
      port: ports.open,
      host: "inherits.example",
      path: "/moved",
      method: "OPTIONS",
      headers: [
        ["Origin", "https://app.example"],
        ["Access-Control-Request-Method", "GET"],
      ],
    });
    expect(response.status).toBe(204);
  });

  it("is told to everyone where no auth is in force", async () => {
    expect(await status({ host: "disabled.example", path: "/moved" })).toBe(302);
  });
});

describe("changes of AuthPolicies", () => {
  it("are followed by the same workers", async () => {
    const pids = await gateway.workerPids();
    const where = { host: "inherits.example" };
    await gateway.change(
      "changed.yaml",
      yaml(authPolicy("changed", only("rule"), ["HTTPRoute/inherits"])),
    );
    expect(await admitted(where)).toEqual(["rule"]);
    const before = (await gateway.status()).version;
    await gateway.remove("changed.yaml");
    await gateway.settled(before);
    expect(await admitted(where)).toEqual(["gateway"]);
    expect(await gateway.workerPids()).toEqual(pids);
  });

  it("of a listener too, for what it has served before", async () => {
    const pids = await gateway.workerPids();
    const where = { host: "inherits.example" };
    expect(await admitted(where)).toEqual(["gateway"]);
    await gateway.change(
      "changed.yaml",
      yaml(
        authPolicy(
          "changed",
          only("listener", GATEWAY_NAMESPACE),
          ["Gateway/edge#open"],
          GATEWAY_NAMESPACE,
        ),
      ),
    );
    expect(await admitted(where)).toEqual(["listener"]);
    expect(await status({ host: "disabled.example" })).toBe(200);
    const before = (await gateway.status()).version;
    await gateway.remove("changed.yaml");
    await gateway.settled(before);
    expect(await admitted(where)).toEqual(["gateway"]);
    expect(await gateway.workerPids()).toEqual(pids);
  });

  it("to something that can't be read keep what was in force", async () => {
    gateway.expectErrors(/FIELD_INVALID/, /KEPT/);
    const where = { host: "inherits.example", path: "/named" };
    await gateway.change(
      "changed.yaml",
      yaml(authPolicy("changed", only("rule"), ["HTTPRoute/inherits"])),
    );
    await gateway.write(
      "changed.yaml",
      yaml(authPolicy("changed", only("rule"))).replace("basic:", "targetRefs: all\n  basic:"),
    );
    await gateway.logged(/targetRefs must be a list/);
    expect(await admitted(where)).toEqual(["rule"]);
  });
});
