import { EchoBackend, echoOf } from "../../../e2e/harness/echo-backend.js";
import type { HttpResponse } from "../../../e2e/harness/http-message.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { Session } from "../../../src/model/route.js";
import { LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { until } from "../../support/until.js";

const scene = useScene();

const session = (parts: Partial<Session> = {}): Session => ({
  in: "cookie",
  name: "sid",
  path: "/",
  ...parts,
});

const to = (...weights: readonly (readonly [string, number])[]): TestRoute["backends"] & object =>
  weights.map(([upstream, weight]) => ({ upstream, weight, protocol: "http" }));

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "cookie.example": { session: session(), backends: to(["abc", 1]) },
  "path.example": { session: session({ path: "/shop" }), backends: to(["abc", 1]) },
  "permanent.example": {
    session: session({ absoluteTimeout: 60, permanent: true }),
    backends: to(["abc", 1]),
  },
  "short.example": { session: session({ absoluteTimeout: 1 }), backends: to(["abc", 1]) },
  "header.example": {
    session: session({ in: "header", name: "X-Session" }),
    backends: to(["abc", 1]),
  },
  "weighted.example": { session: session(), backends: to(["a", 1], ["b", 9]) },
  "drained.example": { session: session(), backends: to(["a", 0], ["b", 1]) },
  "other-name.example": { session: session({ name: "other" }), backends: to(["abc", 1]) },
  "smaller.example": { session: session(), backends: to(["b", 1]) },
  "tried.example": {
    session: session(),
    retry: { codes: [], attempts: 2 },
    backends: to(["gone", 1]),
  },
};

let gateway: LuaGateway;
let backends: readonly EchoBackend[];
const KEY = "k".repeat(32);

async function start(key: string): Promise<LuaGateway> {
  const upstream = (id: string, names: string) => ({
    id,
    endpoints: backends
      .filter(({ name }) => names.includes(name))
      .map(({ port }) => ["127.0.0.1", port] as const),
  });
  return scene.use(
    LuaGateway.start({
      backend: 1,
      routes: ROUTES,
      upstreams: [
        upstream("abc", "abc"),
        upstream("a", "a"),
        upstream("b", "b"),
        {
          id: "gone",
          endpoints: [["127.0.0.9", 1], ...upstream("a", "a").endpoints],
        },
      ],
      environment: key === "" ? {} : { "session.key": key },
    }),
  );
}

beforeAll(async () => {
  backends = await Promise.all(["a", "b", "c"].map((name) => scene.use(EchoBackend.start(name))));
  gateway = await start(KEY);
});

const cookieOf = (response: HttpResponse) => response.header("set-cookie")?.split(";")[0] ?? "";
const tokenOf = (response: HttpResponse) => cookieOf(response).replace(/^sid=/, "");
const ask = (host: string, cookie = "", of = gateway) =>
  of.send({ host, headers: cookie === "" ? [] : [["Cookie", `x=y; ${cookie}`]] });

describe("a session", () => {
  it("begins with a cookie and goes on at the same endpoint", async () => {
    for (let i = 0; i < 6; i++) {
      const first = await ask("cookie.example");
      expect(first.header("set-cookie")).toMatch(/^sid=[\w-]{32}; Path=\/; HttpOnly$/);
      for (let again = 0; again < 3; again++) {
        const next = await ask("cookie.example", cookieOf(first));
        expect(echoOf(next).backend).toBe(echoOf(first).backend);
        expect(next.all("set-cookie")).toEqual([]);
      }
    }
  });

  it("spreads new clients over the endpoints", async () => {
    const found = new Set<string>();
    for (let i = 0; i < 6; i++) found.add(echoOf(await ask("cookie.example")).backend);

    expect([...found].sort()).toEqual(["a", "b", "c"]);
  });

  it("may be kept in a header", async () => {
    const first = await gateway.send({ host: "header.example" });
    const token = first.header("x-session") ?? "";
    expect(token).toMatch(/^[\w-]{32}$/);
    for (let i = 0; i < 4; i++) {
      const next = await gateway.send({ host: "header.example", headers: [["X-Session", token]] });
      expect(echoOf(next).backend).toBe(echoOf(first).backend);
      expect(next.header("x-session")).toBeUndefined();
    }
  });

  it("has the path and the age that it is given", async () => {
    expect((await ask("path.example")).header("set-cookie")).toMatch(/; Path=\/shop; HttpOnly$/);
    expect((await ask("permanent.example")).header("set-cookie")).toMatch(
      /; Max-Age=60; Path=\/; HttpOnly$/,
    );
  });

  it("ends after its time", async () => {
    const cookie = cookieOf(await ask("short.example"));

    await until(async () => (await ask("short.example", cookie)).all("set-cookie").length === 1);
  });

  it("keeps the backend, even one that gets no new clients", async () => {
    let first = await ask("weighted.example");
    for (let i = 0; i < 10 && echoOf(first).backend !== "a"; i++) {
      first = await ask("weighted.example");
    }
    for (let i = 0; i < 5; i++) {
      expect(echoOf(await ask("weighted.example", cookieOf(first))).backend).toBe("a");
      expect(echoOf(await ask("drained.example", cookieOf(first))).backend).toBe("a");
      expect(echoOf(await ask("drained.example")).backend).toBe("b");
    }
  });

  it("begins anew when its endpoint is gone", async () => {
    let first = await ask("weighted.example");
    for (let i = 0; i < 10 && echoOf(first).backend !== "a"; i++) {
      first = await ask("weighted.example");
    }
    const next = await ask("smaller.example", cookieOf(first));

    expect(echoOf(next).backend).toBe("b");
    expect(tokenOf(next)).toMatch(/^[\w-]{32}$/);
  });

  it("is with the endpoint that answered, not with one that was tried in vain", async () => {
    for (let i = 0; i < 3; i++) {
      const first = await ask("tried.example");
      const next = await ask("tried.example", cookieOf(first));

      expect(echoOf(first).backend).toBe("a");
      expect(next.all("set-cookie")).toEqual([]);
    }
  });
});

describe("a token", () => {
  const refused = async (cookie: string, of = gateway) =>
    (await ask("cookie.example", cookie, of)).all("set-cookie").length === 1;

  it("that was changed is none of ours", async () => {
    const token = tokenOf(await ask("cookie.example"));
    for (let i = 0; i < token.length; i += 5) {
      const other = token[i] === "A" ? "B" : "A";
      expect(await refused(`sid=${token.slice(0, i)}${other}${token.slice(i + 1)}`)).toBe(true);
    }
    for (const wrong of ["", "a", "%", "a".repeat(32), "a".repeat(5000), token.slice(1)]) {
      expect(await refused(`sid=${wrong}`)).toBe(true);
    }
    expect(await refused(`sid=${token}`)).toBe(false);
  });

  it("is of one name only", async () => {
    const token = tokenOf(await ask("cookie.example"));

    expect((await ask("other-name.example", `other=${token}`)).all("set-cookie")).toHaveLength(1);
  });

  it("holds for all gateways of the same key, and for no other", async () => {
    const cookie = cookieOf(await ask("cookie.example"));

    expect(await refused(cookie, await start(KEY))).toBe(false);
    expect(await refused(cookie, await start(""))).toBe(true);
  });
});
