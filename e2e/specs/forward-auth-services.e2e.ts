import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AUTH_SURFACES, type Settings } from "../harness/auth-surfaces.js";
import { AuthService } from "../harness/auth-service.js";
import { Authority } from "../harness/certificates.js";
import { DnsServer } from "../harness/dns-server.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { type Manifest, configMap, endpointSlices, service, yaml } from "../harness/manifests.js";
import { type Closable, useScene } from "../harness/scene.js";
import { makeTempFolder, removeFolder } from "../harness/temp-folder.js";

const scene = useScene();
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
});

describe.each(AUTH_SURFACES)("an auth service of the cluster, by $name", (surface) => {
  let gateway: Gateway;
  let auth: AuthService;
  let six: AuthService;

  beforeAll(async () => {
    auth = await scene.use(AuthService.start());
    six = await scene.use(AuthService.start({ address: "::1" }));
    const port = await freePort();
    const site = (name: string, url: string) => surface.site(name, { "auth-url": url });
    gateway = await scene.use(
      Gateway.start({
        httpPort: port,
        files: {
          "auth-endpoints.yaml": yaml(...endpointSlices("auth", [{ port: auth.port }], "iam")),
          "site.yaml": yaml(
            surface.shared(port),
            service("web", [{ port: backend.port }]),
            service("auth", [], "iam"),
            service("local-auth", [{ port: auth.port }]),
            service("idle", [], "iam"),
            site("full", "http://auth.iam.svc.cluster.local/full"),
            site("svc", "http://auth.iam.svc/svc"),
            site("short", "http://auth.iam/short"),
            site("bare", "http://local-auth/bare"),
            site("port", "http://auth.iam:80/port"),
            site("idle", "http://idle.iam/idle"),
            site("six", `http://[::1]:${six.port}/six`),
          ),
        },
      }),
    );
  });

  it.each([
    ["full", "auth.iam.svc.cluster.local"],
    ["svc", "auth.iam.svc"],
    ["short", "auth.iam"],
    ["bare", "local-auth"],
    ["port", "auth.iam:80"],
  ])("is asked at its endpoints: %s, %s", async (name, host) => {
    expect((await gateway.send({ host: `${name}.example` })).status).toBe(200);
    expect(auth.take(`/${name}`).header("host")).toBe(host);
    auth.answer(`/${name}`, { status: 403 });
    expect((await gateway.send({ host: `${name}.example` })).status).toBe(403);
    auth.forget(`/${name}`);
  });

  it("without endpoints makes the request fail, with a reason", async () => {
    const response = await gateway.send({ host: "idle.example" });

    expect(response.status).toBe(500);
    expect(response.reason).toMatch(/^AuthFail : /);
  });

  it("may be named by an IPv6 address", async () => {
    expect((await gateway.send({ host: "six.example" })).status).toBe(200);
    expect(six.take("/six").header("host")).toBe(`[::1]:${six.port}`);
  });

  it("is followed when its endpoints change, by the same workers", async () => {
    const pids = await gateway.workerPids();
    const next = await scene.use(AuthService.start());
    next.answer("/short", { status: 403 });
    auth.answer("/short", { status: 200 });
    expect((await gateway.send({ host: "short.example" })).status).toBe(200);
    await gateway.change(
      "auth-endpoints.yaml",
      yaml(...endpointSlices("auth", [{ port: next.port }], "iam")),
    );

    for (let i = 0; i < 6; i += 1) {
      expect((await gateway.send({ host: "short.example" })).status).toBe(403);
    }
    expect(await gateway.workerPids()).toEqual(pids);
  });
});

describe.each(AUTH_SURFACES)("by $name:", (surface) => {
  const base = (port: number): Manifest[] => [
    ...surface.shared(port),
    ...service("web", [{ port: backend.port }]),
  ];
  /** `<name>.example`, whose requests are allowed by this URL. */
  const guarded = (name: string, url: string, settings: Settings = {}): readonly Manifest[] =>
    surface.site(name, { "auth-url": url, ...settings });

  async function start(site: (port: number) => string, flags: readonly string[] = []) {
    const port = await freePort();
    const files = { "site.yaml": site(port) };
    return scene.use(Gateway.start({ flags, files, httpPort: port }));
  }

  describe("an auth service that is named by DNS", () => {
    it("is found by the resolver, and one without an address fails with a reason", async () => {
      const auth = await scene.use(AuthService.start());
      const dns = await scene.use(DnsServer.start({ "auth.example.test": "127.0.0.1" }));
      const port = await freePort();
      const gateway = await scene.use(
        Gateway.start({
          httpPort: port,
          flags: ["--resolver", `127.0.0.1:${dns.port}`],
          files: {
            "site.yaml": yaml(
              base(port),
              guarded("found", `http://auth.example.test:${auth.port}/found`),
              guarded("lost", `http://nowhere.example.test:${auth.port}/lost`),
            ),
          },
        }),
      );

      expect((await gateway.send({ host: "found.example" })).status).toBe(200);
      expect(auth.take("/found").header("host")).toBe(`auth.example.test:${auth.port}`);
      const lost = await gateway.send({ host: "lost.example" });
      expect(lost.status).toBe(500);
      expect(lost.reason).toMatch(/^AuthFail : /);
      expect(dns.asked).toContain("nowhere.example.test");
    });
  });

  describe("a short name of an auth service", () => {
    it("is looked up in the search domains, in their order", async () => {
      const auth = await scene.use(AuthService.start());
      const dns = await scene.use(DnsServer.start({ "auth.second.test": "127.0.0.1" }));
      const port = await freePort();
      const gateway = await scene.use(
        Gateway.start({
          httpPort: port,
          flags: ["--resolver", `127.0.0.1:${dns.port}`],
          runFiles: { "environment/resolv": "search first.test second.test\noptions ndots:2\n" },
          files: {
            "site.yaml": yaml(base(port), guarded("found", `http://auth:${auth.port}/found`)),
          },
        }),
      );

      expect((await gateway.send({ host: "found.example" })).status).toBe(200);
      expect(auth.take("/found").header("host")).toBe(`auth:${auth.port}`);
      expect([...new Set(dns.asked)]).toEqual(["auth.first.test", "auth.second.test"]);
    });
  });

  describe("an auth service by https", () => {
    let folder: string;
    let ca: Authority;
    let trusted: AuthService;
    let stranger: AuthService;
    let misnamed: AuthService;

    beforeAll(async () => {
      folder = await makeTempFolder();
      await scene.use(Promise.resolve<Closable>({ close: () => removeFolder(folder) }));
      ca = await Authority.create();
      const other = await Authority.create("Stranger");
      trusted = await scene.use(
        AuthService.start({ tls: await ca.issue("auth.iam.svc.cluster.local", "127.0.0.1") }),
      );
      stranger = await scene.use(AuthService.start({ tls: await other.issue("127.0.0.1") }));
      misnamed = await scene.use(AuthService.start({ tls: await ca.issue("wrong.example") }));
    });

    function site(port: number): string {
      return yaml(
        base(port),
        service("auth", [{ port: trusted.port }], "iam"),
        // Port 443 of the Service, as https has it.
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "secure", namespace: "iam" },
          spec: { ports: [{ name: "http", port: 443 }] },
        },
        ...endpointSlices("secure", [{ port: trusted.port }], "iam"),
        guarded("trusted", `https://127.0.0.1:${trusted.port}/trusted`),
        guarded("stranger", `https://127.0.0.1:${stranger.port}/stranger`),
        guarded("misnamed", `https://127.0.0.1:${misnamed.port}/misnamed`),
        guarded("clear", `https://127.0.0.1:${backend.port}/clear`),
      );
    }

    it("is asked when its certificate is of the trusted CA and for its name", async () => {
      const caFile = join(folder, "ca.pem");
      await writeFile(caFile, ca.pair.certificate);
      const flags = ["--auth-ca-file", caFile];
      const gateway = await start(site, flags);

      expect((await gateway.send({ host: "trusted.example" })).status).toBe(200);
      expect(trusted.take("/trusted").method).toBe("GET");
      for (const name of ["stranger", "misnamed", "clear"]) {
        const response = await gateway.send({ host: `${name}.example` });
        expect([name, response.status]).toEqual([name, 500]);
        expect(response.reason).toMatch(/^AuthFail : /);
      }
      expect(stranger.requests).toHaveLength(0);
      expect(misnamed.requests).toHaveLength(0);
    });

    it("is asked as a Service by the name that its certificate has", async () => {
      const caFile = join(folder, "ca-2.pem");
      await writeFile(caFile, ca.pair.certificate);
      const named = yaml(
        ...guarded("named", "https://secure.iam.svc.cluster.local/named"),
        ...guarded("short", "https://secure.iam/short"),
      );
      const secure = await scene.use(
        AuthService.start({ tls: await ca.issue("secure.iam.svc.cluster.local") }),
      );
      const ofSecure = (port: number): string =>
        `${site(port).replaceAll(String(trusted.port), String(secure.port))}---\n${named}`;
      const gateway = await start(ofSecure, ["--auth-ca-file", caFile]);

      expect((await gateway.send({ host: "named.example" })).status).toBe(200);
      expect(secure.take("/named").header("host")).toBe("secure.iam.svc.cluster.local");
      // The certificate does not name the short form.
      expect((await gateway.send({ host: "short.example" })).status).toBe(500);
    });

    it("is refused when only the system's CAs are trusted", async () => {
      const gateway = await start(site);

      expect((await gateway.send({ host: "trusted.example" })).status).toBe(500);
      expect(trusted.asked("/trusted")).toHaveLength(0);
    });

    it("is asked whatever its certificate when verification is off", async () => {
      const flags = ["--auth-tls-verify", "false"];
      const gateway = await start(site, flags);

      for (const name of ["trusted", "stranger", "misnamed"]) {
        expect([name, (await gateway.send({ host: `${name}.example` })).status]).toEqual([
          name,
          200,
        ]);
      }
      expect((await gateway.send({ host: "clear.example" })).status).toBe(500);
    });
  });

  describe("the config map of auth-proxy-set-headers", () => {
    it("is followed when it comes late, changes and goes", async () => {
      const auth = await scene.use(AuthService.start());
      const url = `http://127.0.0.1:${auth.port}/`;
      const port = await freePort();
      const gateway = await scene.use(
        Gateway.start({
          httpPort: port,
          errors: [/AUTH_/],
          files: {
            "site.yaml": yaml(
              base(port),
              guarded("web", `${url}a`, { "auth-proxy-set-headers": "default/late" }),
              guarded("sibling", `${url}b`),
            ),
          },
        }),
      );
      const missing = await gateway.send({ host: "web.example" });
      expect([missing.status, missing.reason]).toEqual([
        503,
        expect.stringMatching(/^AuthFail : invalid cfg /) as unknown,
      ]);
      expect((await gateway.send({ host: "sibling.example" })).status).toBe(200);

      await gateway.change("late.yaml", yaml(configMap("late", { "X-Tenant": "one" })));
      expect((await gateway.send({ host: "web.example" })).status).toBe(200);
      expect(auth.take("/a").header("x-tenant")).toBe("one");

      await gateway.change("late.yaml", yaml(configMap("late", { "X-Tenant": "two" })));
      expect((await gateway.send({ host: "web.example" })).status).toBe(200);
      expect(auth.take("/a").header("x-tenant")).toBe("two");

      await gateway.change("late.yaml", "");
      expect((await gateway.send({ host: "web.example" })).status).toBe(503);
      expect(auth.asked("/a")).toHaveLength(0);
    });
  });
});
