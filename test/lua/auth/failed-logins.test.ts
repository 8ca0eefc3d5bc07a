import { renameSync } from "node:fs";
import { join } from "node:path";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { basic } from "../../../e2e/harness/htpasswd.js";
import { send } from "../../../e2e/harness/http-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { credentialSet } from "../../support/credentials.js";
import { authPolicy, LuaGateway } from "../../support/lua-gateway.js";
import { startLuaNginx, type LuaNginx } from "../../support/lua-nginx.js";
import { until } from "../../support/until.js";

const scene = useScene();
let nginx: LuaNginx;
let users: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  users = (await credentialSet("users", { ann: "secret" })).entries;
  nginx = await startLuaNginx({
    server: ["refused", "counting"]
      .map(
        (name) => `location /${name} {
          content_by_lua_block {
            local users = require("cjson").decode('${JSON.stringify(users)}')
            require("basic_case").serve_${name}(users)
          }
        }`,
      )
      .join("\n"),
  });
});
afterAll(() => nginx.stop());

const call = (name: string, ...args: readonly unknown[]) => nginx.call("basic_case", name, ...args);

describe("failed logins", () => {
  it.each([-3600, -2, 3600])("hold nobody up when the clock is set by %d s", async (seconds) => {
    expect(await call("drain_after_step", "a", seconds)).toEqual([50]);
  });

  it("of one client are computed 50 times at once", async () => {
    expect(await call("drain_all", ["a", "a"], 1)).toEqual([[50, 0]]);
  });

  it("leave the other clients their share, the last of it to those who did not fail before", async () => {
    const clients = ["a", "b", ...Array.from({ length: 30 }, (_, i) => `c${i}`), "a", "b"];
    const [counts] = (await call("drain_all", clients, 1)) as [number[]];
    // 100 in all: 50 and 25 until only the reserve is left, then one for each client.
    expect(counts.slice(0, 2)).toEqual([50, 25]);
    expect(counts.slice(2, 27)).toEqual(Array<number>(25).fill(1));
    expect(counts.slice(27)).toEqual(Array<number>(7).fill(0));
  });

  it("of 60 clients at one realm leave the others theirs", async () => {
    const flood = Array.from({ length: 60 }, (_, i) => `attacked/${i}`);
    const [counts] = (await call("drain_all", [...flood, "calm/0"], 1)) as [number[]];
    expect(counts.slice(0, 60).reduce((a, b) => a + b)).toBe(100);
    expect(counts.at(-1)).toBe(50);
  });

  it("at many realms are bounded, and leave room for one that did not fail", async () => {
    const flood = Array.from({ length: 100 }, (_, i) => [`${i}/a`, `${i}/b`, `${i}/c`]).flat();
    const [counts] = (await call("drain_all", [...flood, "calm/a"], 1)) as [number[]];
    const sum = counts.reduce((a, b) => a + b);
    expect(sum).toBeGreaterThanOrEqual(200);
    expect(sum).toBeLessThanOrEqual(400);
    expect(counts.at(-1)).toBeGreaterThan(0);
  });

  it("with long passwords count for what they cost", async () => {
    expect(await call("drain_all", ["a"], 10)).toEqual([[5]]);
  });

  it("are computed again as time passes, evenly", async () => {
    const [count] = (await call("drain_again", "a", 0.2)) as [number];
    expect(count).toBeGreaterThanOrEqual(10);
    expect(count).toBeLessThanOrEqual(50);
  });
});

describe("a login", () => {
  const ask = async (path: string, password: string) => {
    const headers = [["Authorization", basic("ann", password)]] as const;
    return (await send({ port: nginx.port }, { host: "x", path, headers })).text;
  };

  it("is not computed when its client has failed too often", async () => {
    expect(await ask("/refused", "secret")).toBe("429 AuthFail : too many logins");
  });

  it("that was right before is computed nevertheless when its memory has aged", async () => {
    expect(await ask("/refused?known=1", "secret")).toBe("200 ");
    expect(await ask("/refused?known=1", "wrong")).toBe("401 AuthFail : invalid user or passwd");
  });

  it("of an unknown user is hashed like that of a known one", async () => {
    const [salt] = users["ann"] ?? [];
    expect(await call("salts_used", users, "ann", "secret")).toEqual([true, [salt]]);
    expect(await call("salts_used", users, "ann", "wrong")).toEqual([false, [salt]]);
    expect(await call("salts_used", users, "eve", "secret")).toEqual([false, [salt]]);
  });
});

it("a right login is computed once, in however many ways it is written", async () => {
  const token = basic("ann", "secret").slice(6);
  const ways = ["Basic ", "basic ", "BASIC ", "bAsIc   ", `Basic${" ".repeat(300)}`, "Basic "];
  for (const way of ways) {
    const headers = [["Authorization", `${way}${token}`]] as const;
    const request = { host: "x", path: "/counting", headers };
    expect((await send({ port: nginx.port }, request)).text).toBe("200 1");
  }
  const headers = [["Authorization", basic("ann", "secreu")]] as const;
  const wrong = await send({ port: nginx.port }, { host: "x", path: "/counting", headers });
  expect(wrong.text).toBe("401 2");
});

it("verified logins are remembered within bounds of number and age", async () => {
  const [left, age] = (await call("remembered", 50_000)) as [number, number];
  expect(left).toBeGreaterThanOrEqual(10_000);
  expect(left).toBeLessThanOrEqual(20_000);
  expect(age).toBeGreaterThan(0);
  expect(age).toBeLessThanOrEqual(300);
});

describe("a worker", () => {
  let gateway: LuaGateway;
  const ask = (host: string, user: string, password: string, from = "127.0.0.1") =>
    gateway.send({ host, from, headers: [["Authorization", basic(user, password)]] });

  beforeAll(async () => {
    const backend = await scene.use(EchoBackend.start("web"));
    const guard = (file: string) => ({
      auth: [authPolicy({ basic: { realm: "", file } })],
    });
    gateway = await scene.use(
      LuaGateway.start({
        backend: backend.port,
        credentials: [
          await credentialSet("flooded", { ann: "secret", bob: "secret" }),
          await credentialSet("calm", {
            ann: "secret",
            ...Object.fromEntries(Array.from({ length: 39 }, (_, i) => [`user${i}`, "secret"])),
          }),
          await credentialSet("late", { ann: "secret" }),
        ],
        routes: {
          "flooded.example": guard("flooded"),
          "calm.example": guard("calm"),
          "late.example": guard("late"),
        },
      }),
    );
  });

  it("cuts a flood short, and only for who makes it", async () => {
    expect((await ask("flooded.example", "ann", "secret")).status).toBe(200);
    const statuses: number[] = [];
    let refused;
    for (let batch = 0; batch < 20; batch += 1) {
      const guesses = Array.from({ length: 20 }, (_, i) =>
        ask("flooded.example", i % 2 ? "ann" : "eve", `guess ${batch} ${i}`),
      );
      for (const response of await Promise.all(guesses)) {
        statuses.push(response.status);
        if (response.status === 429) refused = response;
      }
    }
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(50);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(refused?.reason).toBe("AuthFail : too many logins");
    expect(refused?.header("retry-after")).toBe("1");
    expect(refused?.header("www-authenticate")).toBeUndefined();

    // Someone logged in, someone from elsewhere, someone else's credentials.
    expect((await ask("flooded.example", "ann", "secret")).status).toBe(200);
    expect((await ask("flooded.example", "bob", "secret", "127.0.0.2")).status).toBe(200);
    expect((await ask("calm.example", "ann", "secret")).status).toBe(200);
  });

  it("answers first logins of a realm while 60 addresses flood another", async () => {
    const addresses = Array.from({ length: 60 }, (_, i) => `127.0.1.${i + 1}`);
    let flooding = true;
    const flood = addresses.map(async (from) => {
      for (let n = 0; flooding; n += 1) await ask("flooded.example", "eve", `${from} ${n}`, from);
    });
    const first = Array.from({ length: 39 }, (_, i) =>
      ask("calm.example", `user${i}`, "secret", `127.0.2.${i + 1}`),
    );
    const statuses = (await Promise.all(first)).map(({ status }) => status);
    flooding = false;
    await Promise.all(flood);

    expect(statuses).toEqual(statuses.map(() => 200));
  });

  it("looks at credentials again that could not be read", async () => {
    const folder = join(gateway.nginx.dir, "credentials");
    renameSync(folder, `${folder}.away`);
    const closed = await ask("late.example", "ann", "secret");
    expect([closed.status, closed.reason]).toEqual([
      503,
      "AuthFail : invalid cfg credentials can't be read",
    ]);
    renameSync(`${folder}.away`, folder);
    await until(async () => (await ask("late.example", "ann", "secret")).status === 200);
    expect(gateway.newLog()).not.toContain("$apr1$");
  });
});
