import { type LuaNginx, startLuaNginx } from "../../support/lua-nginx.js";

const CLIENTS = 4000;

const conf = `
map "" $albc_scheme { default $http_x_test_scheme; }`;
const server = `
location / {
    content_by_lua_block { require("upstream.affinity_server").run() }
}`;

let nginx: LuaNginx;
beforeAll(async () => {
  nginx = await startLuaNginx({ http: conf, server });
});
afterAll(() => nginx.stop());

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, i) => [`10.0.0.${i + 1}`, 8080] as const);

/** The endpoint of each of the first clients, as `address:port`. */
async function placed(list: readonly (readonly [string, number])[]): Promise<readonly string[]> {
  const [names] = await nginx.call("upstream.affinity_server", "place", list, CLIENTS);
  return names as readonly string[];
}

/** How many clients each name has. */
function shares(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const moved = (before: readonly string[], after: readonly string[]) =>
  before.filter((name, i) => name !== after[i]).length;

describe("the endpoint of a client", () => {
  it("is any with about the same chance", async () => {
    const counts = shares(await placed(endpoints(8)));

    expect(counts.size).toBe(8);
    for (const count of counts.values()) {
      expect(count / CLIENTS).toBeGreaterThan(0.8 / 8);
      expect(count / CLIENTS).toBeLessThan(1.2 / 8);
    }
  });

  it("does not depend on the order of the endpoints", async () => {
    const list = endpoints(8);

    expect(await placed(list.toReversed())).toEqual(await placed(list));
  });

  it("changes only for those that a new endpoint wins", async () => {
    const [before, after] = [await placed(endpoints(8)), await placed(endpoints(9))];
    const winners = after.filter((name) => name === "10.0.0.9:8080").length;

    expect(moved(before, after)).toBe(winners);
    expect(winners / CLIENTS).toBeCloseTo(1 / 9, 1);
  });

  it("changes only for those whose endpoint went", async () => {
    const [before, after] = [await placed(endpoints(8)), await placed(endpoints(8).slice(1))];
    const orphans = before.filter((name) => name === "10.0.0.1:8080").length;

    expect(moved(before, after)).toBe(orphans);
  });

  it("is any of the ports of one address", async () => {
    const counts = shares(
      await placed([
        ["10.0.0.1", 80],
        ["10.0.0.1", 81],
      ]),
    );

    expect(counts.get("10.0.0.1:80")).toBeGreaterThan(CLIENTS * 0.45);
    expect(counts.get("10.0.0.1:81")).toBeGreaterThan(CLIENTS * 0.45);
  });
});

/** What the data plane chose for a request. */
interface Choice {
  readonly backend: string;
  readonly endpoint: number | null;
}

async function choose(
  affinity: readonly [string, string?],
  headers: Readonly<Record<string, string>> = {},
  backends: Readonly<Record<string, number>> = { "default/a/80": 1 },
): Promise<{ choice: Choice; cookie: string | null }> {
  const setup = {
    affinity,
    backends: Object.entries(backends).map(([upstream, weight]) => ({ upstream, weight })),
    endpoints: endpoints(8),
  };
  const response = await fetch(nginx.origin, {
    headers: { "x-test-setup": JSON.stringify(setup), ...headers },
  });
  return {
    choice: (await response.json()) as Choice,
    cookie: response.headers.get("set-cookie"),
  };
}

describe("affinity", () => {
  it("by client address gives one client one endpoint", async () => {
    const choices = await Promise.all([1, 2, 3].map(() => choose(["clientAddress"])));

    expect(new Set(choices.map(({ choice }) => choice.endpoint)).size).toBe(1);
    expect(choices.map(({ cookie }) => cookie)).toEqual([null, null, null]);
  });

  it("by header goes by its value, whatever the case of its name", async () => {
    const of = async (name: string, user: string) =>
      (await choose(["header", name], { "x-user-id": user })).choice.endpoint;
    const users = Array.from({ length: 20 }, (_, i) => `user${i}`);
    const chosen = await Promise.all(users.map((user) => of("X-User-Id", user)));

    expect(await Promise.all(users.map((user) => of("x-USER-id", user)))).toEqual(chosen);
    expect(new Set(chosen).size).toBeGreaterThan(3);
  });

  it("by header leaves the choice open without it", async () => {
    expect((await choose(["header", "X-User-Id"])).choice.endpoint).toBeNull();
  });

  it("by cookie gives a new client a cookie that leads back to its endpoint", async () => {
    for (let i = 0; i < 10; i++) {
      const first = await choose(["cookie", "route-key"]);
      expect(first.cookie).toMatch(/^route-key=[0-9a-f]{32}; Path=\/; HttpOnly$/);
      const cookie = first.cookie?.split(";")[0] ?? "";
      const second = await choose(["cookie", "route-key"], { cookie: `a=b; ${cookie}` });

      expect(second).toEqual({ choice: first.choice, cookie: null });
    }
  });

  it("by cookie gives clients of https a cookie for https only", async () => {
    const { cookie } = await choose(["cookie", "k"], { "x-test-scheme": "https" });

    expect(cookie).toMatch(/; Secure; HttpOnly$/);
  });

  it("by cookie keeps a new client on the backend that its cookie leads to", async () => {
    const backends = { "default/a/80": 1, "default/b/80": 1 };
    for (let i = 0; i < 10; i++) {
      const first = await choose(["cookie", "k"], {}, backends);
      const second = await choose(
        ["cookie", "k"],
        { cookie: first.cookie?.split(";")[0] ?? "" },
        backends,
      );

      expect(second.choice).toEqual(first.choice);
    }
  });

  it("shares clients over backends by weight, and moves only as many as a new weight asks for", async () => {
    const place = async (weights: Readonly<Record<string, number>>) => {
      const [names] = await nginx.call(
        "upstream.affinity_server",
        "place_backends",
        weights,
        CLIENTS,
      );
      return names as readonly string[];
    };
    const before = await place({ a: 1, b: 3 });
    const after = await place({ a: 2, b: 3 });

    expect((shares(before).get("a") ?? 0) / CLIENTS).toBeCloseTo(0.25, 1);
    expect((shares(after).get("a") ?? 0) / CLIENTS).toBeCloseTo(0.4, 1);
    expect(before.every((name, i) => name === "b" || after[i] === "a")).toBe(true);
  });

  it("never chooses a backend without weight", async () => {
    const users = Array.from({ length: 20 }, (_, i) => `user${i}`);
    const chosen = await Promise.all(
      users.map((user) => choose(["header", "x-user"], { "x-user": user }, { a: 0, b: 1, c: 0 })),
    );

    expect(new Set(chosen.map(({ choice }) => choice.backend))).toEqual(new Set(["b"]));
  });
});
