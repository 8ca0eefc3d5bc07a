import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { Authority, selfSigned } from "../../../e2e/harness/certificates.js";
import { DnsServer } from "../../../e2e/harness/dns-server.js";
import { useScene, type Closable } from "../../../e2e/harness/scene.js";
import { freePort } from "../../support/free-port.js";
import { startLuaNginx, type LuaNginx } from "../../support/lua-nginx.js";
import { ScriptedServer } from "../../support/scripted-server.js";

const scene = useScene();

interface Service {
  readonly scheme?: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly verify?: boolean;
}

/** An nginx with this name server and these files. */
async function start(
  dns: number,
  { resolvConf = "", ca = "" }: { resolvConf?: string; ca?: string } = {},
): Promise<LuaNginx> {
  const nginx = await startLuaNginx({
    http: `
      resolver 127.0.0.1:${dns} ipv6=off valid=1s;
      resolver_timeout 30s;
      ${ca === "" ? "" : "lua_ssl_trusted_certificate ca.pem; lua_ssl_verify_depth 5;"}
    `,
    files: { "environment/resolv": resolvConf, "ca.pem": ca },
  });
  await scene.use(Promise.resolve<Closable>({ close: () => nginx.stop() }));
  return nginx;
}

async function ask(nginx: LuaNginx, service: Service, timeout = 5): Promise<unknown> {
  const whole = { scheme: "http", verify: true, ...service };
  const [status, error] = await nginx.call("http_client_case", "request", whole, { timeout });
  return status ?? error;
}

describe("names", () => {
  let nginx: LuaNginx;
  let dns: DnsServer;
  let server: ScriptedServer;

  beforeAll(async () => {
    server = await scene.use(ScriptedServer.start());
    dns = await scene.use(
      DnsServer.start({
        "auth.example.test": "127.0.0.1",
        "auth.iam.svc.cluster.test": "127.0.0.1",
        "short.second.test": "127.0.0.1",
        "moves.example.test": "127.0.0.1",
      }),
    );
    nginx = await start(dns.port, {
      resolvConf: "nameserver 127.0.0.1\nsearch svc.cluster.test second.test\noptions ndots:2\n",
    });
  });
  beforeEach(() => {
    dns.asked.length = 0;
  });

  const reach = (host: string) => ask(nginx, { host, port: server.port });
  const asked = () => [...new Set(dns.asked)];

  it("with enough dots are looked up as they are", async () => {
    expect(await reach("auth.example.test")).toBe(200);
    expect(asked()).toEqual(["auth.example.test"]);
  });

  it("with fewer dots are looked up in the search domains first", async () => {
    expect(await reach("auth.iam")).toBe(200);
    expect(asked()).toEqual(["auth.iam.svc.cluster.test"]);
  });

  it("are looked up in the next domain when they don't exist in one", async () => {
    expect(await reach("short")).toBe(200);
    expect(asked()).toEqual(["short.svc.cluster.test", "short.second.test"]);
  });

  it("that end with a dot are looked up as they are", async () => {
    expect(await reach("auth.iam.")).toMatch(/could not be resolved/);
    expect(asked()).toEqual(["auth.iam"]);
  });

  it("that don't exist anywhere are told", async () => {
    expect(await reach("nowhere")).toMatch(/could not be resolved \(3: /);
    expect(asked()).toEqual(["nowhere.svc.cluster.test", "nowhere.second.test", "nowhere"]);
  });

  it("localhost is this machine, whatever the name server says", async () => {
    expect(await reach("localhost")).toBe(200);
    expect(asked()).toEqual([]);
  });

  it("keep their connections apart, though they lead to one address", async () => {
    const { connections } = server;
    expect(await reach("moves.example.test")).toBe(200);
    expect(server.connections).toBe(connections + 1);
  });
});

describe("a name server that does not answer", () => {
  it("costs no more than the deadline", async () => {
    const silent = createSocket("udp4");
    silent.bind(0, "127.0.0.1");
    await once(silent, "listening");
    const nginx = await start(silent.address().port, {
      resolvConf: "search a.test b.test c.test\n",
    });
    const started = performance.now();
    expect(await ask(nginx, { host: "auth", port: 80 }, 0.4)).toBe("timeout");
    expect(performance.now() - started).toBeLessThan(5000);
    // The worker is well after that.
    const server = await scene.use(ScriptedServer.start());
    expect(await ask(nginx, { host: "127.0.0.1", port: server.port })).toBe(200);
    expect(nginx.errorLog()).not.toMatch(/\[(error|alert|crit|emerg)\]/);
    silent.close();
  });
});

describe("search domains of a resolv.conf", () => {
  let nginx: LuaNginx;
  beforeAll(async () => {
    nginx = await start(await freePort());
  });

  it.each([
    ["", [], 1],
    ["search a b.c\noptions ndots:5 timeout:1\n", ["a", "b.c"], 5],
    ["domain x\nsearch a.\n# search b\n; search c\n", ["a"], 1],
    ["search a\nsearch b\n", ["b"], 1],
    ["options rotate ndots:3 edns0\r\nsearch\ta\tb \r\n", ["a", "b"], 3],
    ["options xndots:3", [], 1],
  ])("%j has the domains %j and ndots %s", async (text, search, ndots) => {
    const [parsed] = await nginx.call("alb.auth.name_search", "parse", text);
    const settings = parsed as { search: readonly string[]; ndots: number };
    // An empty Lua table comes as an object.
    expect([Object.values(settings.search), settings.ndots]).toEqual([search, ndots]);
  });
});

describe("IPv6", () => {
  it("addresses need no brackets here", async () => {
    const server = await scene.use(ScriptedServer.start({ address: "::1" }));
    const nginx = await start(await freePort());
    expect(await ask(nginx, { host: "::1", port: server.port })).toBe(200);
    // localhost has no IPv4 server on that port.
    expect(await ask(nginx, { host: "localhost", port: server.port })).toBe(200);
  });
});

describe("TLS", () => {
  let nginx: LuaNginx;
  let ca: Authority;
  const names = ["auth.example.test", "wrong.example.test"];

  beforeAll(async () => {
    ca = await Authority.create();
    const dns = await scene.use(
      DnsServer.start(Object.fromEntries(names.map((name) => [name, "127.0.0.1"]))),
    );
    nginx = await start(dns.port, { ca: ca.pair.certificate });
  });

  async function serve(pair: Awaited<ReturnType<typeof selfSigned>>, address?: string) {
    return scene.use(
      ScriptedServer.start({ tls: pair, ...(address !== undefined && { address }) }),
    );
  }
  const reach = (host: string, port: number, verify = true) =>
    ask(nginx, { scheme: "https", host, port, verify });

  it("is made for the name, which is told, and kept", async () => {
    const server = await serve(await ca.issue("auth.example.test"));
    for (let i = 0; i < 3; i += 1) expect(await reach("auth.example.test", server.port)).toBe(200);
    expect(server.connections).toBe(1);
    const [socket] = server.open;
    expect((socket as TLSSocket & { servername: string }).servername).toBe("auth.example.test");
  });

  it("is refused for another name, another CA and no certificate at all", async () => {
    const server = await serve(await ca.issue("auth.example.test"));
    expect(await reach("wrong.example.test", server.port)).toMatch(/^TLS: /);
    const stranger = await serve(
      await (await Authority.create("Other")).issue("auth.example.test"),
    );
    expect(await reach("auth.example.test", stranger.port)).toMatch(/^TLS: /);
    const alone = await serve(await selfSigned("auth.example.test"));
    expect(await reach("auth.example.test", alone.port)).toMatch(/^TLS: /);
    const plain = await scene.use(ScriptedServer.start());
    expect(await reach("auth.example.test", plain.port, false)).toMatch(/^TLS: |timeout/);
    expect(server.requests).toHaveLength(0);
  });

  it("is refused however fast the handshake is", async () => {
    const wrong = await serve(await ca.issue("other.example.test"));
    const stranger = await serve(await selfSigned("auth.example.test", "127.0.0.1"));
    // A handshake that never has to wait goes another way in ngx_lua; it comes about by chance.
    for (let i = 0; i < 60; i += 1) {
      const { port } = i % 2 === 0 ? wrong : stranger;
      const host = i % 4 < 2 ? "auth.example.test" : "127.0.0.1";
      expect(await reach(host, port)).toMatch(/^TLS: /);
    }
    expect([wrong.requests, stranger.requests]).toEqual([[], []]);
  });

  it.each(["127.0.0.1", "::1"])("is checked for the address %s", async (address) => {
    const right = await serve(await ca.issue(address), address);
    expect(await reach(address, right.port)).toBe(200);
    const other = await serve(await ca.issue("192.0.2.1", "auth.example.test"), address);
    expect(await reach(address, other.port)).toMatch(
      /^TLS: certificate is not (for the address|trusted)$/,
    );
    const stranger = await serve(await selfSigned(address), address);
    expect(await reach(address, stranger.port)).toMatch(/^TLS: /);
    expect([other.requests, stranger.requests]).toEqual([[], []]);
  });

  it("without verification takes any certificate, and lends no connection to who verifies", async () => {
    const stranger = await serve(await selfSigned("other.example.test"));
    expect(await reach("auth.example.test", stranger.port, false)).toBe(200);
    expect(await reach("127.0.0.1", stranger.port, false)).toBe(200);
    expect(await reach("auth.example.test", stranger.port)).toMatch(/^TLS: /);
    expect(await reach("127.0.0.1", stranger.port)).toMatch(/^TLS: /);
    expect(stranger.requests).toHaveLength(2);
  });

  it("that is never finished ends at the deadline", async () => {
    const silent = await scene.use(ScriptedServer.start());
    silent.answer = () => undefined;
    const service = { scheme: "https", host: "127.0.0.1", port: silent.port } as const;
    expect(await ask(nginx, service, 0.3)).toMatch(/timeout/);
  });
});
