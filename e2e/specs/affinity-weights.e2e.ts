import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import type { Request, Target } from "../harness/http-client.js";
import {
  type Manifest,
  alb2,
  frontend,
  namespace,
  rule,
  service,
  serviceGroup,
  yaml,
} from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const OWNER = { alb: "edge", frontend: "web" };
let gateway: Gateway;
let port: number;

function on(
  name: string,
  services: Readonly<Record<string, number>>,
  affinity: Readonly<Record<string, string>> = {},
): Manifest {
  return rule(name, OWNER, {
    dslx: [{ type: "HOST", values: [["EQ", `${name}.example`]] }],
    serviceGroup: serviceGroup(services, affinity),
  });
}

beforeAll(async () => {
  const names = ["a", "b", "c", "d", "e"];
  const backends = await Promise.all(names.map((name) => scene.use(EchoBackend.start(name))));
  const [a, b, c, d, e] = backends.map((backend) => ({ port: backend.port }));
  if (!a || !b || !c || !d || !e) throw new Error("five backends");
  port = await freePort();
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          namespace("default"),
          alb2("edge", { ingressHTTPPort: 0, ingressHTTPSPort: 0 }),
          frontend("web", "edge", { port }),
          service("a", [a]),
          service("b", [b]),
          service("pool", [b, c, d, e]),
          on("nothing", { a: 0, b: 0 }),
          on("by-address", { pool: 100 }, { session_affinity_policy: "sip-hash" }),
          on(
            "by-cookie",
            { pool: 100 },
            { session_affinity_policy: "cookie", session_affinity_attribute: "stick" },
          ),
          on(
            "by-header",
            { pool: 100 },
            { session_affinity_policy: "header", session_affinity_attribute: "X-User-Id" },
          ),
          on("over-services", { a: 50, b: 50 }, { session_affinity_policy: "sip-hash" }),
        ),
      },
    }),
  );
});

async function answered(request: Request & Partial<Target>): Promise<string> {
  return echoOf(await gateway.send({ port, ...request })).backend;
}

test("weights that are all 0 leave no backend", async () => {
  const response = await gateway.send({ port, host: "nothing.example" });

  expect(response.status).toBe(500);
  expect(response.reason).toBe("InvalidBackend : no backend");
});

describe("session affinity", () => {
  // As many that one of four endpoints gets none of them once in a million runs.
  const CLIENTS = 60;
  const addresses = Array.from({ length: CLIENTS }, (_, i) => `127.0.1.${i + 1}`);

  it.each(["by-address.example", "over-services.example"])(
    "by client address keeps each client on its endpoint, and uses all: %s",
    async (host) => {
      const first = new Map<string, string>();
      for (const from of addresses) first.set(from, await answered({ host, from }));
      for (const from of [...addresses, ...addresses]) {
        expect(await answered({ host, from })).toBe(first.get(from));
      }

      expect(new Set(first.values()).size).toBe(host.startsWith("over") ? 2 : 4);
    },
  );

  it("by cookie gives a client one and keeps to it", async () => {
    const host = "by-cookie.example";
    const seen = new Set<string>();
    for (let i = 0; i < CLIENTS; i += 1) {
      const first = await gateway.send({ port, host });
      const [cookie = ""] = first.all("set-cookie");
      expect(cookie).toMatch(/^stick=[^;]+; Path=\/; HttpOnly$/);
      const { backend } = echoOf(first);
      seen.add(backend);
      const headers = [["Cookie", `other=1; ${cookie.split(";")[0] ?? ""}`]] as const;
      for (let again = 0; again < 4; again += 1) {
        const next = await gateway.send({ port, host, headers });
        expect(echoOf(next).backend).toBe(backend);
        expect(next.all("set-cookie")).toEqual([]);
      }
    }

    expect(seen.size).toBe(4);
  });

  it("by header keeps each value on its endpoint and spreads requests without it", async () => {
    const host = "by-header.example";
    const users = Array.from({ length: CLIENTS }, (_, i) => `user-${i}`);
    const first = new Map<string, string>();
    const of = async (user: string) => answered({ host, headers: [["X-User-Id", user]] });
    for (const user of users) first.set(user, await of(user));
    for (const user of users) expect(await of(user)).toBe(first.get(user));
    expect(new Set(first.values()).size).toBe(4);

    const without = new Set<string>();
    for (let i = 0; i < 20; i += 1) without.add(await answered({ host }));
    expect(without.size).toBe(4);
  });
});
