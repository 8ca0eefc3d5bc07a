/** Annotations that clusters bring along from ingress-nginx: what they do there. */
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { basic, htpasswdLine } from "../harness/htpasswd.js";
import type { HeaderLines, HttpResponse } from "../harness/http-message.js";
import { ingress, nginx, secret, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
let gateway: Gateway;
let backends: readonly EchoBackend[];

const STICKY = { affinity: "cookie", "session-cookie-name": "my-route.x" };
const POOL = ["a", "b", "c", "d"];

beforeAll(async () => {
  backends = await Promise.all(POOL.map((name) => scene.use(EchoBackend.start(name))));
  const [first] = backends;
  if (first === undefined) throw new Error("there is no backend");
  for (const backend of backends) {
    backend.on("/large", (_, response) => {
      const names = Array.from({ length: 30 }, (__, i) => `X-Large-${i}`);
      response.writeHead(200, Object.fromEntries(names.map((name) => [name, "x".repeat(8000)])));
      response.end();
    });
  }
  const site = (name: string, annotations: Record<string, string>, to = "pool", path = "/") =>
    ingress(name, {
      annotations: nginx(annotations),
      hosts: {
        [`${name}.example`]: [{ path, service: to, port: to === "central" ? first.port : 80 }],
      },
    });
  const central = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "central" },
    spec: { clusterIP: "127.0.0.1", ports: [{ port: first.port }] },
  };
  gateway = await scene.use(
    Gateway.start({
      errors: [/upstream sent too big header/, /Connection refused/, /prematurely closed/],
      files: {
        "site.yaml": yaml(
          service("pool", backends),
          service("one", [first]),
          central,
          secret("users", { auth: await htpasswdLine("ann", "right") }),
          site("cookie", STICKY, "pool", "/shop"),
          site(
            "attributes",
            {
              ...STICKY,
              "session-cookie-path": "/other",
              "session-cookie-domain": "attributes.example",
              "session-cookie-expires": "60",
              "session-cookie-max-age": "100",
              "session-cookie-samesite": "None",
              "session-cookie-conditional-samesite-none": "true",
              "session-cookie-secure": "true",
            },
            "pool",
            "/shop",
          ),
          site("persistent", { ...STICKY, "affinity-mode": "persistent" }, "pool", "/shop"),
          site("moving", { ...STICKY, "session-cookie-change-on-failure": "true" }),
          site("large", { "proxy-buffer-size": "64k" }),
          site("large-pages", { "proxy-buffer-size": "64k", "custom-http-errors": "503" }),
          site("large-limited", { "proxy-buffer-size": "64k", "proxy-body-size": "1k" }),
          site("usual", { "proxy-buffer-size": "8k" }),
          site("hashed", { "upstream-hash-by": "$arg_user" }),
          site("subset", {
            "upstream-hash-by": "$arg_user",
            "upstream-hash-by-subset": "true",
            "upstream-hash-by-subset-size": "2",
          }),
          site("central", { "service-upstream": "true" }, "central"),
          site("errors", { "custom-http-errors": "401,500,503" }, "one"),
          site("guarded", {
            "custom-http-errors": "401",
            "auth-type": "basic",
            "auth-secret": "users",
          }),
        ),
      },
    }),
  );
});

async function ask(host: string, path = "/", headers: HeaderLines = []): Promise<HttpResponse> {
  return gateway.send({ host, path, headers });
}

function cookieOf(response: HttpResponse): string {
  return response.header("set-cookie")?.split(";")[0] ?? "";
}

describe("session cookies", () => {
  it.each([
    ["cookie.example", "", /^my-route\.x=[0-9a-f]{32}; Path=\/shop; HttpOnly$/],
    [
      "attributes.example",
      "",
      /^my-route\.x=\w+; Expires=\w{3}, \d\d-\w{3}-\d\d [\d:]{8} GMT; Max-Age=100; Domain=attributes\.example; Path=\/other; Secure; HttpOnly; SameSite=None$/,
    ],
    ["attributes.example", "Mozilla/5.0 (CPU iPhone OS 12_0)", /; Secure; HttpOnly$/],
    ["persistent.example", "", /^my-route\.x=[\w-]{32}; Path=\/shop; HttpOnly$/],
  ])("of %s for %j", async (host, agent, expected) => {
    const response = await ask(host, "/shop", [["User-Agent", agent]]);

    expect(response.header("set-cookie")).toMatch(expected);
  });

  it.each(["cookie", "persistent"])("keep a client on its endpoint: %s", async (name) => {
    const first = await ask(`${name}.example`, "/shop");
    for (let i = 0; i < 8; i += 1) {
      const next = await ask(`${name}.example`, "/shop", [["Cookie", cookieOf(first)]]);

      expect(echoOf(next).backend).toBe(echoOf(first).backend);
      expect(next.header("set-cookie")).toBeUndefined();
    }
  });
});

describe("proxy-buffer-size", () => {
  it.each([
    ["large", 200],
    ["large-pages", 200],
    ["large-limited", 200],
    ["usual", 502],
  ])("of %s answers 240 KiB of headers by %i", async (name, status) => {
    const response = await ask(`${name}.example`, "/large");

    expect(response.status).toBe(status);
    if (status === 200) expect(response.header("x-large-29")).toHaveLength(8000);
  });

  it("keeps limits and pages", async () => {
    const body = { method: "POST", body: "x".repeat(2000), chunked: true } as const;
    const limited = await gateway.send({ host: "large-limited.example", ...body });
    const paged = await ask("large-pages.example", "/", [asking({ status: 503 })]);

    expect([limited.status, paged.status]).toEqual([413, 404]);
  });
});

describe("upstream-hash-by", () => {
  async function endpoints(host: string, user: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let i = 0; i < 12; i += 1) {
      found.add(echoOf(await ask(host, `/?user=${user}`)).backend);
    }
    return found;
  }

  it("gives requests with the same value the same endpoint, and values different ones", async () => {
    const chosen = await Promise.all(POOL.map((user) => endpoints("hashed.example", user)));
    const more = await Promise.all(
      Array.from({ length: 30 }, (_, i) => ask("hashed.example", `/?user=u${i}`)),
    );

    expect(chosen.map(({ size }) => size)).toEqual([1, 1, 1, 1]);
    expect(new Set(more.map((response) => echoOf(response).backend)).size).toBeGreaterThan(1);
  });

  it("with a subset gives them any of several endpoints", async () => {
    expect((await endpoints("subset.example", "ann")).size).toBe(2);
  });
});

test("service-upstream sends requests to the Service's address", async () => {
  expect(echoOf(await ask("central.example")).backend).toBe("a");
});

describe("custom-http-errors without a page", () => {
  it.each([
    [503, 404],
    [500, 404],
    [502, 502],
    [200, 200],
  ])("answers %i by %i", async (status, expected) => {
    expect((await ask("errors.example", "/", [asking({ status })])).status).toBe(expected);
  });

  it("keeps refusals of access", async () => {
    expect((await ask("guarded.example")).status).toBe(401);
    expect(
      (await ask("guarded.example", "/", [["Authorization", basic("ann", "right")]])).status,
    ).toBe(200);
  });
});

// The last test: it closes a backend.
test("session-cookie-change-on-failure moves a client to the endpoint that answers", async () => {
  const first = await ask("moving.example");
  const { backend } = echoOf(first);
  await backends.find(({ name }) => name === backend)?.close();
  const moved = await ask("moving.example", "/", [["Cookie", cookieOf(first)]]);
  const kept = await ask("moving.example", "/", [["Cookie", cookieOf(moved)]]);

  expect(echoOf(moved).backend).not.toBe(backend);
  expect(cookieOf(moved)).toMatch(/^my-route\.x=/);
  expect(echoOf(kept).backend).toBe(echoOf(moved).backend);
  expect(kept.header("set-cookie")).toBeUndefined();
});
