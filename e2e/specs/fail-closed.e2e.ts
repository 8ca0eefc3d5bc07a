import { AUTH_SURFACES, type Settings } from "../harness/auth-surfaces.js";
import { AuthService } from "../harness/auth-service.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import { configMap, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const BCRYPT = "$2y$05$xN3eZC5bkTK3tDkoqHFMZuF0B7dUlAhYeJ9q3VH1Du9y9Z5W0BqGm";
const BASIC = { "auth-type": "basic" };
const URL_OK = { "auth-url": "http://127.0.0.1:1/" };

/** Annotations that are broken, by what is broken about them. */
const BROKEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no secret named": BASIC,
  "a secret that is missing": { ...BASIC, "auth-secret": "missing" },
  "a secret of another namespace": { ...BASIC, "auth-secret": "elsewhere/users" },
  "a secret's name that is none": { ...BASIC, "auth-secret": "a/b/c" },
  "a secret without the key auth": { ...BASIC, "auth-secret": "other-key" },
  "a secret without users": { ...BASIC, "auth-secret": "empty" },
  "a secret whose users all have other hashes": { ...BASIC, "auth-secret": "bcrypt" },
  "a secret of an unknown layout": {
    ...BASIC,
    "auth-secret": "users",
    "auth-secret-type": "auth-ldap",
  },
  "digest auth": { "auth-type": "digest", "auth-secret": "users" },
  "an unknown type of auth": { "auth-type": "basic-x", "auth-secret": "users" },
  "a URL without a scheme": { "auth-url": "auth.example/check" },
  "a URL of another scheme": { "auth-url": "ftp://auth.example/" },
  "a URL without a host": { "auth-url": "http:///check" },
  "a URL with an empty label": { "auth-url": "http://auth..example/" },
  "a URL with a user": { "auth-url": "http://user:secret@auth.example/" },
  "a URL with a port that is none": { "auth-url": "http://auth.example:99999/" },
  "a URL with an IPv6 address without brackets": { "auth-url": "http://::1/" },
  "a URL with a blank": { "auth-url": "http://auth.example/a b" },
  "a URL with an unknown variable": { "auth-url": "http://auth.example/$nope" },
  "a method that is none": { ...URL_OK, "auth-method": "GE T" },
  "a boolean that is none": { ...URL_OK, "auth-always-set-cookie": "maybe" },
  "response headers that are none": { ...URL_OK, "auth-response-headers": "X-User X-Group" },
  "a config map that is missing": { ...URL_OK, "auth-proxy-set-headers": "default/missing" },
  "a config map of another namespace": { ...URL_OK, "auth-proxy-set-headers": "elsewhere/headers" },
  "a config map with a header name that is none": {
    ...URL_OK,
    "auth-proxy-set-headers": "default/bad-name",
  },
  "a config map with an unknown variable": {
    ...URL_OK,
    "auth-proxy-set-headers": "default/bad-variable",
  },
  "a config map with a line break": { ...URL_OK, "auth-proxy-set-headers": "default/bad-value" },
  "a redirect with an unknown variable": { ...URL_OK, "auth-request-redirect": "/$nope" },
  "a sign-in URL of another scheme": { ...URL_OK, "auth-signin": "javascript:alert(1)" },
  "a sign-in URL with an unknown variable": { ...URL_OK, "auth-signin": "https://a.example/$nope" },
  "a sign-in parameter that is none": {
    ...URL_OK,
    "auth-signin": "https://a.example/",
    "auth-signin-redirect-param": "r&d",
  },
};

/** What only annotations can say. */
const BROKEN_ON_INGRESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "client certificates, which are not supported": { "auth-tls-secret": "default/ca" },
};

/** Annotations that only tune, or have no effect: the path is served, or guarded, as without them. */
const HARMLESS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "auth-cache-key": { "auth-cache-key": "$remote_user", "auth-cache-duration": "5m" },
  "auth-snippet": { "auth-snippet": "proxy_set_header X y;" },
  "auth-tls-verify-client": { "auth-tls-verify-client": "on", "auth-tls-verify-depth": "2" },
};

describe.each(AUTH_SURFACES)("by $name:", (surface) => {
  const scene = useScene();
  let gateway: Gateway;
  let auth: AuthService;
  const settings = surface.kind === "ingress" ? { ...BROKEN, ...BROKEN_ON_INGRESS } : BROKEN;
  const broken = Object.keys(settings).map((what, index) => [what, `broken-${index}`] as const);
  const harmless = surface.kind === "ingress" ? HARMLESS : {};

  const guarded = (name: string, settings: Settings) =>
    surface.site(name, settings, { path: "/guarded" });

  beforeAll(async () => {
    const backend = await scene.use(EchoBackend.start("web"));
    auth = await scene.use(AuthService.start());
    const users = await htpasswdLine("ann", "secret");
    const port = await freePort();
    gateway = await scene.use(
      Gateway.start({
        httpPort: port,
        errors: [/AUTH_|ANNOTATION_|FIELD_INVALID|OBJECT_CLOSED/],
        files: {
          "site.yaml": yaml(
            surface.shared(port),
            service("web", [{ port: backend.port }]),
            secret("users", { auth: users }),
            secret("users", { auth: users }, "elsewhere"),
            secret("other-key", { htpasswd: users }),
            secret("empty", { auth: "# nobody\n\n" }),
            secret("bcrypt", { auth: `ann:${BCRYPT}\n` }),
            configMap("headers", { "X-Tenant": "blue" }, "elsewhere"),
            configMap("bad-name", { "X_Tenant\u00e9": "blue" }),
            configMap("bad-variable", { "X-Tenant": "$nope" }),
            configMap("bad-value", { "X-Tenant": "blue\r\nX-Evil: 1" }),
            ...broken.flatMap(([what, name]) => guarded(name, settings[what] ?? {})),
            ...Object.entries(harmless).flatMap(([name, annotations]) =>
              guarded(name, {
                ...annotations,
                "auth-url": `http://127.0.0.1:${auth.port}/harmless`,
              }),
            ),
            ...guarded("healing-secret", { ...BASIC, "auth-secret": "late" }),
            ...guarded("healing-annotation", {
              ...BASIC,
              "auth-secret": "users",
              "auth-realm": "x",
            }),
          ),
        },
      }),
    );
  });

  const send = (name: string, path: string, headers: readonly (readonly [string, string])[] = []) =>
    gateway.send({ host: `${name}.example`, path, headers });

  describe("broken auth", () => {
    it.each(broken)("closes its path, and no other: %s", async (_, name) => {
      const closed = await send(name, "/guarded/x", [["Authorization", basic("ann", "secret")]]);

      expect(closed.status).toBe(503);
      expect(closed.reason).toMatch(/^AuthFail : invalid cfg \S/);
      expect(closed.text).toContain("503 Service Temporarily Unavailable");
      expect(closed.header("www-authenticate")).toBeUndefined();
      expect((await send(name, "/")).status).toBe(200);
      // Named in the log by its Ingress or AuthPolicy.
      await gateway.logged(new RegExp(`\\b${name}\\b`));
    });

    it("is told without secrets", async () => {
      expect(gateway.albc.log).not.toContain("$apr1$");
      expect(gateway.albc.log).not.toContain(BCRYPT.slice(7));
      expect(gateway.albc.log).not.toContain("user:secret@");
      for (const [, name] of broken) {
        const { reason = "" } = await send(name, "/guarded");
        expect(reason).not.toContain("user:secret@");
        expect(reason).toMatch(/^[\x20-\x7e]+$/);
      }
    });

    it("heals when the missing secret appears, and closes again when it goes", async () => {
      expect((await send("healing-secret", "/guarded")).status).toBe(503);

      await gateway.change(
        "late.yaml",
        yaml(secret("late", { auth: await htpasswdLine("bob", "x") })),
      );
      expect((await send("healing-secret", "/guarded")).status).toBe(401);
      const bob = [["Authorization", basic("bob", "x")]] as const;
      expect((await send("healing-secret", "/guarded", bob)).status).toBe(200);

      await gateway.change("late.yaml", yaml(secret("late", { wrong: "layout" })));
      expect((await send("healing-secret", "/guarded", bob)).status).toBe(503);

      const before = (await gateway.status()).version;
      await gateway.remove("late.yaml");
      await gateway.settled(before);
      expect((await send("healing-secret", "/guarded", bob)).status).toBe(503);
      expect((await send("healing-secret", "/")).status).toBe(200);
    });
  });

  if (surface.kind === "ingress") {
    describe("annotations that only tune", () => {
      it.each(Object.keys(harmless))("are reported and otherwise ignored: %s", async (name) => {
        auth.answer("/harmless", { status: 403 });
        expect((await send(name, "/guarded")).status).toBe(403);
        auth.answer("/harmless", { status: 200 });
        expect((await send(name, "/guarded")).status).toBe(200);
        await gateway.logged(new RegExp(name));
      });
    });
  }
});
