import type { Predicate, ValueTest } from "../../src/model/route.js";
import { Agent, request as httpRequest } from "node:http";
import { fc } from "../support/fast-check.js";
import { findCandidates } from "../../src/explain/candidates.js";
import { parseRequest } from "../../src/explain/request.js";
import type { PolicyBinding, PolicyDocument } from "../../src/model/policy.js";
import { startLuaNginx, type LuaNginx } from "../support/lua-nginx.js";

const RUNS = 500;

let nginx: LuaNginx;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  nginx = await startLuaNginx({
    server: `location / { content_by_lua_block { require("route_request").run() } }`,
    http: "large_client_header_buffers 8 64k;",
  });
});
afterAll(async () => {
  agent.destroy();
  await nginx.stop();
});

interface Sent {
  readonly method: string;
  readonly host: string;
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly (readonly [string, string])[];
}

type Hosts = Readonly<Record<string, readonly PolicyBinding[]>>;

/** What the router of the data plane says: the route, `""` for none, or the status of a refusal. */
async function askNginx(hosts: Hosts, sent: Sent): Promise<string | number> {
  const encoded = Buffer.from(JSON.stringify(hosts)).toString("base64");
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        agent,
        port: nginx.port,
        method: sent.method,
        path: sent.target,
        headers: ["Host", sent.host, "X-Test-Hosts", encoded, ...sent.headers.flat()],
      },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (data: string) => (body += data));
        response.on("end", () =>
          resolve(response.statusCode === 200 ? body : (response.statusCode ?? 0)),
        );
      },
    );
    outgoing.on("error", reject).end();
  });
}

/** What the explanation says; undefined when it says that it can't tell. */
function askExplain(hosts: Hosts, sent: Sent): string | number | undefined {
  const request = parseRequest({
    method: sent.method,
    url: `http://${sent.host}${sent.target}`,
    headers: sent.headers.map(([name, value]) => `${name}: ${value}`),
    client: "127.0.0.1",
  });
  if (!request.ok) throw new Error(request.problem);
  if (request.value.path === undefined) return 400;
  const keyed = Object.entries(hosts).map(([key, list]) => [`l|${key}`, list] as const);
  const policy: PolicyDocument = {
    format: 5,
    version: "",
    settings: { authTimeout: 1, authTlsVerify: true },
    servers: {},
    hosts: Object.fromEntries(keyed),
    routes: {},
    auths: {},
    upstreams: {},
    certificates: {},
  };
  const { chosen, certain } = findCandidates(policy, "l", request.value);
  return certain ? (chosen?.route ?? "") : undefined;
}

const PIECES = ["/", "a", "b", "ab", "/a", "/a/b", ".", "..", "%2F", "%2e", "%61", "%C3%A9", "%zz"];
const target = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }),
    fc.array(fc.constantFrom("q=1", "q=a+b", "q", "r=%61&q=2", "q=%zz", "=x", "&"), {
      maxLength: 3,
    }),
  )
  .map(([path, query]) => `/${path.join("")}${query.length > 0 ? "?" : ""}${query.join("&")}`);
const headers = fc.array(
  fc.constantFrom<readonly [string, string]>(
    ["X-A", "1"],
    ["x-a", "v2"],
    ["X_A", "1"],
    ["X-B", ""],
    ["Cookie", "c=1; d=2"],
    ["Cookie", "c=3"],
  ),
  { maxLength: 3 },
);
const sent = fc.record({
  method: fc.constantFrom("GET", "POST", "DELETE"),
  host: fc.constantFrom("a.example", "b.a.example", "A.Example:8080", "example", "a.example."),
  target,
  headers,
});

const value = fc.constantFrom("1", "2", "3", "a", "a b", "v2", "GET", "/a", "/é", "a.example", "");
const test = fc.oneof(
  value.map((v) => ["eq", v] as const),
  fc.array(value, { minLength: 1, maxLength: 3 }).map((vs) => ["in", ...vs] as const),
  value.map((v) => ["start", v] as const),
  value.map((v) => ["end", v] as const),
  fc.constantFrom<ValueTest>(
    ["exists"],
    ["oneLabel", "example"],
    ["regex", "^[[:alnum:]]+$"],
    ["regex", "\\d"],
    ["range", "1", "2"],
    ["range", "127.0.0.0", "127.0.0.9"],
    ["cidr", "127.0.0.0/8"],
    ["cidr", "::/0"],
  ),
);
const predicate: fc.Arbitrary<Predicate> = fc
  .record({
    subject: fc.constantFrom<Pick<Predicate, "of" | "key">>(
      { of: "method" },
      { of: "path" },
      { of: "host" },
      { of: "sourceIp" },
      { of: "header", key: "x-a" },
      { of: "header", key: "x-b" },
      { of: "query", key: "q" },
      { of: "query", key: "r" },
      { of: "cookie", key: "c" },
    ),
    any: fc.array(test, { minLength: 1, maxLength: 2 }),
  })
  .map(({ subject, any }) => ({ ...subject, any }));
const path = fc.option(
  fc.oneof(
    fc.tuple(
      fc.constantFrom("exact" as const, "prefix" as const, "start" as const),
      fc.constantFrom("", "/a", "/a/b", "/ab", "/é", "/a/"),
    ),
    fc.tuple(
      fc.constant("regex" as const),
      fc.constantFrom("^/a", "b$", "/A", ".", "^/[^/]+$", "\\s", "^/(?:a|b)/", "(?i)^/AB", "a++b"),
      fc.constantFrom("", "i"),
    ),
  ),
  { nil: undefined },
);
const bindings = fc.array(
  fc.record({
    host: fc.constantFrom("", "a.example", "*.example", "**.example", "*.a.example"),
    path,
    when: fc.oneof(fc.constant([]), fc.array(predicate, { maxLength: 2 })),
    rank: fc.nat({ max: 99 }),
  }),
  { maxLength: 8 },
);

type BindingList = typeof bindings extends fc.Arbitrary<infer T> ? T : never;

function hostsOf(list: BindingList): Hosts {
  const hosts: Record<string, PolicyBinding[]> = {};
  for (const [i, binding] of list.entries()) {
    // Exact values of the policy are paths; a prefix has no final slash.
    const fits = binding.path?.[0] === "exact" ? binding.path[1] !== "" : true;
    const prefix = binding.path?.[0] === "prefix" && binding.path[1].endsWith("/");
    if (!fits || prefix) continue;
    (hosts[binding.host] ??= []).push({
      order: `${String(binding.rank).padStart(2, "0")} ${String(i)}`,
      route: `r${String(i)}`,
      ...(binding.path && { path: binding.path }),
      ...(binding.when.length > 0 && { when: binding.when }),
    });
  }
  for (const group of Object.values(hosts)) group.sort((a, b) => (a.order < b.order ? -1 : 1));
  return hosts;
}

describe("explain", () => {
  it("chooses the route that the data plane chooses", async () => {
    let decided = 0;
    let routed = 0;
    await fc.assert(
      fc.asyncProperty(bindings, sent, async (list, request) => {
        const hosts = hostsOf(list);
        const explained = askExplain(hosts, request);
        if (explained === undefined) return;
        decided += 1;
        if (typeof explained === "string" && explained !== "") routed += 1;
        expect(explained).toBe(await askNginx(hosts, request));
      }),
      { numRuns: RUNS },
    );
    // The property must not hold because there is never anything to say.
    expect(decided).toBeGreaterThan(RUNS * 0.7);
    expect(routed).toBeGreaterThan(RUNS * 0.1);
  });
});
