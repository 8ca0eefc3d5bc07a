import { AuthService } from "../harness/auth-service.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import {
  alb2,
  frontend,
  ingress,
  namespace,
  nginx,
  own,
  rule,
  secret,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const ALB_USER = basic("alb", "secret");
const FRONTEND_USER = basic("frontend", "secret");
const RULE_USER = basic("rule", "secret");
const INGRESS_USER = basic("ingress", "secret");
const EVERYONE = [ALB_USER, FRONTEND_USER, RULE_USER, INGRESS_USER];

/** The Auth object of resources for the users of one secret. */
const auth = (name: string) => ({
  basic: { realm: name, secret: `default/${name}-users`, secret_type: "auth-file" },
});

let gateway: Gateway;
let forward: AuthService;
/** `plain` has no auth of its own, `guarded` has, `opened` has `auth: {}`. */
let ports: Record<"plain" | "guarded" | "opened", number>;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  forward = await scene.use(AuthService.start());
  ports = { plain: await freePort(), guarded: await freePort(), opened: await freePort() };
  const users = await Promise.all(
    ["alb", "frontend", "rule", "ingress"].map(async (name) =>
      secret(`${name}-users`, { auth: await htpasswdLine(name, "secret") }),
    ),
  );
  const web = { serviceGroup: serviceGroup({ web: 100 }) };
  const on = (front: string, name: string, config?: Record<string, unknown>) =>
    rule(
      `${front}-${name}`,
      { alb: "edge", frontend: front },
      {
        ...web,
        dslx: [{ type: "URL", values: [["STARTS_WITH", `/${name}`]] }],
        ...(config && { config }),
      },
    );
  const rules = (front: string) => [
    on(front, "inherits"),
    on(front, "own", { auth: auth("rule") }),
    on(front, "open", { auth: {} }),
    on(front, "timeout-only", { timeout: { proxy_read_timeout_ms: 5000 } }),
    on(front, "forward", { auth: { forward: { url: `http://127.0.0.1:${forward.port}/rule` } } }),
  ];
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          namespace("default"),
          service("web", [{ port: backend.port }]),
          ...users,
          alb2("edge", {
            ingressHTTPPort: ports.plain,
            ingressHTTPSPort: 0,
            auth: auth("alb"),
          }),
          frontend("plain", "edge", { port: ports.plain, ...web }),
          frontend("guarded", "edge", {
            port: ports.guarded,
            ...web,
            config: { auth: auth("frontend") },
          }),
          frontend("opened", "edge", { port: ports.opened, ...web, config: { auth: {} } }),
          ...rules("plain"),
          ...rules("guarded"),
          ...rules("opened"),
          ingress("inherits", { hosts: { "inherits.example": [{ service: "web" }] } }),
          ingress("own", {
            annotations: nginx({ "auth-type": "basic", "auth-secret": "ingress-users" }),
            hosts: { "own.example": [{ service: "web" }] },
          }),
          ingress("disabled", {
            annotations: own({ "auth-enable": "false" }),
            hosts: { "disabled.example": [{ service: "web" }] },
          }),
          ingress("disabled-with-own", {
            annotations: {
              ...own({ "auth-enable": "false" }),
              ...nginx({ "auth-type": "basic", "auth-secret": "ingress-users" }),
            },
            hosts: { "disabled-with-own.example": [{ service: "web" }] },
          }),
          ingress("one-disabled", {
            annotations: own({ "auth-enable": "false" }, "0-1"),
            hosts: {
              "one-disabled.example": [
                { path: "/closed", service: "web" },
                { path: "/open", service: "web" },
              ],
            },
          }),
          ingress("one-enabled", {
            annotations: {
              ...own({ "auth-enable": "false" }),
              ...own({ "auth-enable": "true" }, "0-0"),
            },
            hosts: {
              "one-enabled.example": [
                { path: "/closed", service: "web" },
                { path: "/open", service: "web" },
              ],
            },
          }),
          ...["False", "no", "0", " false ", "off"].map((value, index) =>
            ingress(`not-disabled-${index}`, {
              annotations: own({ "auth-enable": value }),
              hosts: { [`not-disabled-${index}.example`]: [{ service: "web" }] },
            }),
          ),
          ingress("compat-disabled", {
            annotations: nginx({ "auth-enable": "false" }),
            hosts: { "compat-disabled.example": [{ service: "web" }] },
          }),
          ingress("prefixes", {
            annotations: {
              ...nginx({
                "auth-type": "basic",
                "auth-secret": "alb-users",
                "auth-realm": "compat",
              }),
              ...own({ "auth-secret": "frontend-users" }),
              ...own({ "auth-secret": "rule-users", "auth-realm": "" }, "0-1"),
            },
            hosts: {
              "prefixes.example": [
                { path: "/zero", service: "web" },
                { path: "/one", service: "web" },
              ],
            },
          }),
          ingress("second-rule", {
            annotations: own({ "auth-enable": "false" }, "1-0"),
            hosts: {
              "second-0.example": [{ service: "web" }],
              "second-1.example": [{ service: "web" }, { path: "/b", service: "web" }],
            },
          }),
        ),
      },
    }),
  );
});

async function status(
  where: { port?: number; host?: string; path?: string },
  authorization?: string,
): Promise<number> {
  const headers = authorization === undefined ? [] : ([["Authorization", authorization]] as const);
  const request = { port: ports.plain, host: "any.example", path: "/", ...where, headers };
  return (await gateway.send(request)).status;
}

/** Who may pass: nobody is refused (`everyone`), or the users that are let in. */
async function admitted(where: { port?: number; host?: string; path?: string }): Promise<unknown> {
  if ((await status(where)) === 200) return "everyone";
  const statuses = await Promise.all(EVERYONE.map((user) => status(where, user)));
  expect(statuses.every((code) => code === 200 || code === 401)).toBe(true);
  return EVERYONE.filter((_, index) => statuses[index] === 200);
}

describe("a Rule", () => {
  it.each([
    ["plain", "/inherits", [ALB_USER]],
    ["plain", "/own", [RULE_USER]],
    ["plain", "/open", "everyone"],
    ["plain", "/timeout-only", [ALB_USER]],
    ["guarded", "/inherits", [FRONTEND_USER]],
    ["guarded", "/own", [RULE_USER]],
    ["guarded", "/open", "everyone"],
    ["guarded", "/timeout-only", [FRONTEND_USER]],
    ["opened", "/inherits", "everyone"],
    ["opened", "/own", [RULE_USER]],
    ["opened", "/open", "everyone"],
  ] as const)("on the Frontend %s at %s admits %j", async (front, path, users) => {
    expect(await admitted({ port: ports[front], path })).toEqual(users);
  });

  it("replaces inherited auth by the whole object: forward auth alone asks for no password", async () => {
    forward.answer("/rule", { status: 200 });
    expect(await status({ port: ports.guarded, path: "/forward" })).toBe(200);
    forward.answer("/rule", { status: 403 });
    expect(await status({ port: ports.guarded, path: "/forward" }, FRONTEND_USER)).toBe(403);
  });
});

describe("a Frontend's default backend", () => {
  it.each([
    ["plain", [ALB_USER]],
    ["guarded", [FRONTEND_USER]],
    ["opened", "everyone"],
  ] as const)("of %s admits %j", async (front, users) => {
    expect(await admitted({ port: ports[front], path: "/elsewhere" })).toEqual(users);
  });
});

describe("an Ingress", () => {
  it.each([
    ["inherits.example", "/", [ALB_USER]],
    ["own.example", "/", [INGRESS_USER]],
    ["disabled.example", "/", "everyone"],
    ["disabled-with-own.example", "/", "everyone"],
    ["one-disabled.example", "/closed", [ALB_USER]],
    ["one-disabled.example", "/open", "everyone"],
    ["one-enabled.example", "/closed", [ALB_USER]],
    ["one-enabled.example", "/open", "everyone"],
    ["prefixes.example", "/zero", [FRONTEND_USER]],
    ["prefixes.example", "/one", [RULE_USER]],
    ["second-0.example", "/", [ALB_USER]],
    ["second-1.example", "/", "everyone"],
    ["second-1.example", "/b", [ALB_USER]],
  ] as const)("at %s%s admits %j", async (host, path, users) => {
    expect(await admitted({ host, path })).toEqual(users);
  });

  it("takes each annotation from the first prefix that has it, an empty value included", async () => {
    const challenge = async (path: string) =>
      (await gateway.send({ port: ports.plain, host: "prefixes.example", path })).header(
        "www-authenticate",
      );

    expect(await challenge("/zero")).toBe('Basic realm="compat"');
    expect(await challenge("/one")).toBe('Basic realm=""');
  });

  it.each([0, 1, 2, 3, 4])(
    "keeps its auth with a value of auth-enable that is not false (%s)",
    async (index) => {
      expect(await admitted({ host: `not-disabled-${index}.example` })).toEqual([ALB_USER]);
    },
  );

  it("keeps its auth when auth-enable stands under ingress-nginx's domain", async () => {
    expect(await admitted({ host: "compat-disabled.example" })).toEqual([ALB_USER]);
  });
});
