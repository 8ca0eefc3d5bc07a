/** What one request costs a worker, in processor time, whatever patterns the host's rules have and whatever it holds. */
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { useScene } from "../../e2e/harness/scene.js";
import { LuaGateway } from "../support/lua-gateway.js";
import { startLuaNginx } from "../support/lua-nginx.js";
import { MOST_MS, workerTime } from "../support/worker-time.js";
import { type PathMatch, type Predicate, onePlace } from "../../src/model/route.js";

const scene = useScene();
const MANY = 3000;

const hard = (index: number) => `(?:.*a|.*b)c{${String(index + 1)}}`;
const regex = (pattern: string): PathMatch => ["regex", pattern, ""];
const on = (of: Predicate["of"], key: (index: number) => string) => (index: number) => ({
  path: undefined,
  when: [{ of, key: key(index), any: [["regex", hard(index % 200)]] } as Predicate],
});
const same = () => "x";
const each = (index: number) => `x${String(index)}`;
interface Place {
  readonly path: PathMatch | undefined;
  readonly when: readonly Predicate[];
}

/** Conditions of many rules for one host, by host. */
const HOSTS: Readonly<Record<string, (index: number) => Place>> = {
  "path.example": (index) => ({ path: regex(hard(index % 400)), when: [] }),
  "cheap.example": (index) => ({ path: regex(`${each(index)}$`), when: [] }),
  "anchored.example": (index) => ({ path: regex(`^/${each(index)}/[a-z]+$`), when: [] }),
  "header.example": on("header", same),
  "headers.example": on("header", each),
  "cookie.example": on("cookie", same),
  "cookies.example": on("cookie", each),
  "query.example": on("query", same),
  "queries.example": on("query", each),
};

let gateway: LuaGateway;
let ran: () => number;
let nginx: Awaited<ReturnType<typeof startLuaNginx>>;
beforeAll(async () => {
  nginx = await startLuaNginx();
  const backend = await scene.use(EchoBackend.start("a"));
  const hosts = Object.entries(HOSTS);
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: Object.fromEntries(hosts.map(([host]) => [host, {}])),
      model: (model) => ({
        ...model,
        bindings: hosts.flatMap(([host, place]) =>
          Array.from({ length: MANY }, (_, index) => ({
            at: onePlace("test", { kind: "exact", host }),
            ...place(index),
            order: String(index).padStart(6, "0"),
            route: host,
          })),
        ),
      }),
    }),
  );
  ran = await workerTime(gateway.nginx);
}, 60_000);
afterAll(() => nginx.stop());

type Header = readonly [string, string];
const REQUESTS: readonly (readonly [string, string, readonly Header[]])[] = [
  ["a plain one", "/", []],
  ["a long path", `/${"ab".repeat(4000)}`, []],
  ["a path of many readings", `/${"./a;b%5c..%3b/%252e/".repeat(400)}`, []],
  ["a path of many elements", `/${";/".repeat(4000)}%2525`, []],
  ["a path of elements with parameters", "/a;b".repeat(3900), []],
  ["a path of elements with blanks", "/a%20;%09".repeat(1700), []],
  ["one long header", "/", [["X", "ab".repeat(4000)]]],
  ["headers of one name", "/", Array.from({ length: 900 }, () => ["X", "ab".repeat(25)] as const)],
  [
    "headers of many names",
    "/",
    Array.from({ length: 900 }, (_, index) => [`X${String(index)}`, "ab".repeat(25)] as const),
  ],
  ["many cookies", "/", Array.from({ length: 4 }, () => ["Cookie", "a=b;".repeat(3900)] as const)],
  ["blanks in cookies", "/", [["Cookie", `x=a${" ".repeat(15_000)}b; y=${"\t".repeat(900)}c`]]],
  ["many parameters", `/?${"x=ab&".repeat(1600)}`, []],
  ["a long parameter", `/?x=${"ab".repeat(4000)}`, []],
];

describe.each(Object.keys(HOSTS))("%s with thousands of rules", (host) => {
  it.each(REQUESTS)("%s", async (_request, path, headers) => {
    const costs: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      const before = ran();
      const { status } = await gateway.send({ host, path, headers });
      expect([200, 400, 404, 500]).toContain(status);
      const cost = ran() - before;
      const [times] = await nginx.call("regular_expressions", "slowness");
      costs.push(cost / (times as number));
    }
    expect(Math.min(...costs)).toBeLessThan(MOST_MS);
  });
});
