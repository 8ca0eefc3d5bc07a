import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AUTH_SURFACES, type Settings } from "../harness/auth-surfaces.js";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { apr1, basic, htpasswdLine } from "../harness/htpasswd.js";
import { Http2Client } from "../harness/http2-client.js";
import { ingress, nginx, own, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

/** What only annotations have: types that must be named, and index prefixes. */
const INGRESS_ONLY = [
  ingress("typeless", {
    annotations: nginx({ "auth-secret": "users" }),
    hosts: { "typeless.example": [{ service: "web" }] },
  }),
  ingress("one-path", {
    annotations: own({ "auth-type": "basic", "auth-secret": "users" }, "0-1"),
    hosts: {
      "one-path.example": [
        { path: "/open", service: "web" },
        { path: "/closed", service: "web" },
      ],
    },
  }),
];

describe.each(AUTH_SURFACES)("by $name:", (surface) => {
  const scene = useScene();
  const BCRYPT = "$2y$05$xN3eZC5bkTK3tDkoqHFMZuF0B7dUlAhYeJ9q3VH1Du9y9Z5W0BqGm";
  let gateway: Gateway;
  let backend: EchoBackend;
  let bob: string;

  const authFile = async (password: string) =>
    yaml(secret("changing", { auth: await htpasswdLine("ann", password) }));

  beforeAll(async () => {
    backend = await scene.use(EchoBackend.start("web"));
    bob = await htpasswdLine("bob", "s3cret");
    const users = [
      "# people",
      "",
      await htpasswdLine("ann", "open:sesame"),
      `${bob}  `,
      `old:${BCRYPT}`,
      "nohash:",
      await htpasswdLine("zoë", "pässwörd"),
      await htpasswdLine("blank", ""),
    ].join("\r\n");
    const one = (name: string, settings: Settings) =>
      surface.site(name, { "auth-type": "basic", ...settings });
    const port = await freePort();
    gateway = await scene.use(
      Gateway.start({
        httpPort: port,
        files: {
          "changing.yaml": await authFile("first"),
          "site.yaml": yaml(
            surface.shared(port),
            surface.kind === "ingress" ? INGRESS_ONLY : [],
            service("web", [{ port: backend.port }]),
            secret("users", { auth: users, unrelated: "ignored" }),
            secret("map", { ann: await apr1("map-secret"), bob: await apr1("other") }),
            one("file", { "auth-secret": "users", "auth-realm": "People only" }),
            one("full-name", { "auth-secret": "default/users", "auth-secret-type": "auth-file" }),
            one("map", { "auth-secret": "map", "auth-secret-type": "auth-map" }),
            one("quoted", { "auth-secret": "users", "auth-realm": 'the "inner" \\ circle' }),
            one("off", { "auth-secret": "users", "auth-realm": "off" }),
            one("changing", { "auth-secret": "changing" }),
          ),
        },
      }),
    );
  });

  /** Status of a request with this Authorization header. */
  async function status(host: string, authorization?: string): Promise<number> {
    const headers =
      authorization === undefined ? [] : ([["Authorization", authorization]] as const);
    return (await gateway.send({ host, headers })).status;
  }

  describe("basic auth with auth-file", () => {
    it.each([
      ["ann", "open:sesame"],
      ["bob", "s3cret"],
      ["zoë", "pässwörd"],
      ["blank", ""],
    ])("lets %s in", async (user, password) => {
      expect(await status("file.example", basic(user, password))).toBe(200);
      // Again, from what the worker remembers.
      expect(await status("file.example", basic(user, password))).toBe(200);
    });

    it.each([
      ["a wrong password", basic("ann", "open")],
      ["another user's password", basic("ann", "s3cret")],
      ["a password with something after it", basic("ann", "open:sesame ")],
      ["an unknown user", basic("eve", "open:sesame")],
      ["a user in other letters", basic("ANN", "open:sesame")],
      ["no user", basic("", "open:sesame")],
      ["a user whose hash is not apr1", basic("old", "secret")],
      ["a user without a hash", basic("nohash", "")],
      ["a comment as user", basic("# people", "")],
      ["no colon", `Basic ${Buffer.from("ann").toString("base64")}`],
      ["no base64", "Basic !!!!"],
      ["no token", "Basic"],
      ["an empty token", "Basic "],
      ["another scheme", `Bearer ${Buffer.from("ann:open:sesame").toString("base64")}`],
      ["something after the token", `${basic("ann", "open:sesame")} more`],
      ["a parameter after the token", `${basic("ann", "open:sesame")}, realm="x"`],
      ["two tokens joined", `${basic("ann", "open:sesame")}${basic("ann", "open:sesame")}`],
      ["a NUL in the password", basic("ann", "open:sesame\0x")],
    ])("refuses %s", async (_, authorization) => {
      const response = await gateway.send({
        host: "file.example",
        headers: [["Authorization", authorization]],
      });

      expect(response.status).toBe(401);
      expect(response.header("www-authenticate")).toBe('Basic realm="People only"');
      expect(response.reason).toMatch(/^AuthFail : /);
      expect(response.text).toContain("401 Authorization Required");
    });

    it("refuses a request without credentials, whatever its method", async () => {
      for (const method of ["GET", "HEAD", "POST", "OPTIONS", "DELETE"]) {
        const response = await gateway.send({ host: "file.example", method, body: "x" });
        expect(response.status).toBe(401);
        expect(response.header("www-authenticate")).toBe('Basic realm="People only"');
      }
    });

    it("refuses two Authorization headers, whichever of them is right", async () => {
      const right = ["Authorization", basic("ann", "open:sesame")] as const;
      const wrong = ["Authorization", basic("ann", "wrong")] as const;
      for (const headers of [
        [right, wrong],
        [wrong, right],
      ]) {
        expect([400, 401]).toContain(
          (await gateway.send({ host: "file.example", headers })).status,
        );
      }
    });

    it.each(["basic", "BASIC", "bAsIc"])("knows the scheme as %s too", async (scheme) => {
      expect(await status("file.example", basic("bob", "s3cret").replace("Basic", scheme))).toBe(
        200,
      );
    });

    it("does not pass the credentials to the backend", async () => {
      const headers = [["Authorization", basic("ann", "open:sesame")]] as const;
      const echo = echoOf(await gateway.send({ host: "file.example", headers }));

      expect(echo.all("authorization")).toEqual([]);
    });

    it("does not ask for the body of a request that it refuses", async () => {
      const connection = await gateway.connect();
      connection.write(
        "POST / HTTP/1.1\r\nHost: file.example\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
      );
      const response = await connection.receive();
      connection.close();

      expect(response.status).toBe(401);
      expect(response.informational).toEqual([]);
    });

    it("works over HTTP/2", async () => {
      const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
      const request = { ":path": "/", ":authority": "file.example" };
      const refused = await client.send(request);
      const allowed = await client.send({ ...request, authorization: basic("bob", "s3cret") });

      expect(refused.status).toBe(401);
      expect(refused.headers["www-authenticate"]).toBe('Basic realm="People only"');
      expect(allowed.status).toBe(200);
    });
  });

  describe("basic auth", () => {
    it("reads auth-map: keys are users", async () => {
      expect(await status("map.example", basic("ann", "map-secret"))).toBe(200);
      expect(await status("map.example", basic("bob", "other"))).toBe(200);
      expect(await status("map.example", basic("bob", "map-secret"))).toBe(401);
    });

    it("takes a secret by its full name", async () => {
      expect(await status("full-name.example", basic("bob", "s3cret"))).toBe(200);
      expect(await status("full-name.example")).toBe(401);
    });

    it.each([
      ["full-name.example", 'Basic realm=""'],
      ["quoted.example", 'Basic realm="the \\"inner\\" \\\\ circle"'],
      ["off.example", 'Basic realm="off"'],
    ])("of %s asks with %s", async (host, challenge) => {
      const response = await gateway.send({ host });

      expect(response.status).toBe(401);
      expect(response.header("www-authenticate")).toBe(challenge);
    });

    it("forgets old passwords when the secret changes, without a reload", async () => {
      const pids = await gateway.workerPids();
      const first = basic("ann", "first");
      for (let i = 0; i < 8; i += 1) expect(await status("changing.example", first)).toBe(200);

      await gateway.change("changing.yaml", await authFile("second"));
      for (let i = 0; i < 8; i += 1) expect(await status("changing.example", first)).toBe(401);
      expect(await status("changing.example", basic("ann", "second"))).toBe(200);
      expect(await gateway.workerPids()).toEqual(pids);
    });

    it("reports users who cannot log in by name, and never a hash", async () => {
      await gateway.logged(/\bold\b/);
      const { log } = gateway.albc;

      expect(log).not.toContain("$apr1$");
      expect(log).not.toContain("$2y$");
      expect(log).not.toContain(BCRYPT.slice(7));
    });

    it("keeps hashes in files that only the owner can read, and nowhere else", async () => {
      const folder = join(gateway.runFolder, "credentials");
      // What a change has made stale goes once the change is live.
      const modes = await waitFor("no file goes meanwhile", async () =>
        Promise.all(
          (await readdir(folder)).map(
            async (file) => (await stat(join(folder, file))).mode & 0o777,
          ),
        ),
      );
      expect(new Set(modes)).toEqual(new Set([0o600]));
      const hash = bob.split("$").at(-1) ?? "";
      expect(hash).toHaveLength(22);
      for (const name of ["nginx.conf", "policy.json"]) {
        expect(await readFile(join(gateway.runFolder, name), "utf8")).not.toContain(hash);
      }
    });
  });

  if (surface.kind === "ingress") {
    describe("annotations", () => {
      it("need auth-type: a secret alone does nothing", async () => {
        expect(await status("typeless.example")).toBe(200);
        await gateway.logged(/auth-secret/);
      });

      it("can protect one path by an index prefix", async () => {
        const open = await gateway.send({ host: "one-path.example", path: "/open" });
        const closed = await gateway.send({ host: "one-path.example", path: "/closed" });

        expect([open.status, closed.status]).toEqual([200, 401]);
      });
    });
  }
});
