/**
 * Workers get a policy before the reload that brings the locations of its new settings. Until then they do less for a request, never
 * more: no body exceeds its limit, and no request fails for want of a location.
 */
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { Authority } from "../../../e2e/harness/certificates.js";
import { listen } from "../../../e2e/harness/free-port.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { profilesOf } from "../../support/backend-ways.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";

const scene = useScene();
const MIB = 1024 * 1024;

const retry = { codes: [503], attempts: 2 } as const;
const errorPages = { statuses: [404, 413, 503], upstream: "pages" };
const external = { scheme: "http", host: ["127.0.0.1"], port: ["1"], target: [] } as const;
const overHttp2 = [{ upstream: "h2c", weight: 1, protocol: "h2c" }] as const;

const PROTOCOLS = { verified: "https", named: "https", grpcs: "grpcs" } as const;
const TLS = { verified: "ca-hostname", named: "ca-names", grpcs: "ca-hostname" } as const;

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "codes.example": { retry },
  "pages.example": { errorPages },
  "both.example": { retry, errorPages },
  "known-codes.example": { retry: { codes: [500], attempts: 2 }, errorPages },
  "h2c.example": { deadlines: { request: 60_000 }, backends: overHttp2 },
  "h2c-pages.example": { retry, errorPages, backends: overHttp2 },
  "limit.example": { bodyLimit: 1000 },
  "streamed-limit.example": { bodyLimit: 1000, streamed: true },
  "paged-limit.example": { bodyLimit: 1000, errorPages },
  "retried-limit.example": { bodyLimit: 1000, retry },
  "h2c-limit.example": { bodyLimit: 1000, backends: overHttp2 },
  "known-limit.example": { bodyLimit: 2000 },
  // Its namespace has too many limits, and this one is another namespace's, too.
  "held-limit.example": { bodyLimit: 2000, holdsBody: true },
  "large-limit.example": { bodyLimit: 20 * MIB },
  ...Object.fromEntries(
    (["verified", "named", "grpcs"] as const).map((way) => [
      `${way}.example`,
      { backends: [{ upstream: "secure", weight: 1, protocol: PROTOCOLS[way], tls: TLS[way] }] },
    ]),
  ),
  "auth.example": { auth: [authPolicy({ external: { ...external, maxBody: 100 } })] },
};

let gateway: LuaGateway;
/** Of requests that have reached the backend. */
let bodies: number[] = [];
let status = 200;

beforeAll(async () => {
  const answer: Parameters<typeof createServer>[1] = (request, response) => {
    let length = 0;
    request.on("data", (part: Buffer) => (length += part.length));
    request.on("end", () => {
      bodies.push(length);
      response.writeHead(status, { "Content-Type": "text/plain" });
      response.end("of the backend");
    });
  };
  const backend = createServer(answer);
  const http2 = createHttp2Server(answer as never);
  const [port, http2Port] = await Promise.all([listen(backend), listen(http2)]);
  for (const server of [backend, http2]) {
    await scene.use(Promise.resolve({ close: () => Promise.resolve(void server.close()) }));
  }
  const authority = await Authority.create("backends");
  gateway = await scene.use(
    LuaGateway.start({
      backend: port,
      routes: ROUTES,
      loaded: {
        "known-codes.example": { retry: { codes: [500], attempts: 2 } },
        "known-limit.example": { bodyLimit: 2000 },
      },
      upstreams: [
        { id: "pages", endpoints: [["127.0.0.1", port]] },
        { id: "h2c", endpoints: [["127.0.0.1", http2Port]] },
        { id: "secure", endpoints: [["127.0.0.1", port]] },
      ],
      model: (model) => ({ ...model, backendTls: profilesOf(authority) }),
    }),
  );
});

beforeEach(() => {
  bodies = [];
  status = 200;
});

afterEach(() => {
  const lines = gateway.newLog().split("\n");
  const problems = lines.filter((line) => / \[(?:error|crit|alert|emerg)\] /.test(line));
  expect(problems.filter((line) => !line.includes("intended to send too large"))).toEqual([]);
});

const VERIFIED = Object.keys(TLS).map((way) => `${way}.example`);
const HOSTS = Object.keys(ROUTES).filter((host) => ![...VERIFIED, "auth.example"].includes(host));

it.each(HOSTS)("a request of %s is answered", async (host) => {
  expect((await gateway.send({ host })).status).toBe(200);
});

it.each(HOSTS)("a body without a length of %s arrives", async (host) => {
  const response = await gateway.send({
    host,
    method: "POST",
    chunked: true,
    body: "x".repeat(900),
  });
  expect([response.status, bodies]).toEqual([200, [900]]);
});

it.each(["codes", "pages", "both", "h2c-pages"])("an error of %s is passed on", async (name) => {
  status = 503;
  const response = await gateway.send({ host: `${name}.example` });
  expect([response.status, response.text, bodies]).toEqual([503, "of the backend", [0]]);
});

it("codes whose location is there are retried, although the one with their pages is not", async () => {
  status = 500;
  expect((await gateway.send({ host: "known-codes.example" })).status).toBe(500);
  expect(bodies).toHaveLength(3);
});

const LIMITED = ["limit", "streamed-limit", "paged-limit", "retried-limit", "h2c-limit"];

it.each([
  ...LIMITED.map((name) => [name, 1000] as const),
  ["known-limit", 2000],
  ["held-limit", 2000],
] as const)("a body of %s is at most %d bytes long", async (name, limit) => {
  const post = async (body: string, chunked: boolean) =>
    (await gateway.send({ host: `${name}.example`, method: "POST", chunked, body })).status;
  // From a worker's memory, and from its file.
  for (const beyond of [limit + 1, MIB]) {
    expect(await post("x".repeat(beyond), true)).toBe(413);
    expect(await post("x".repeat(beyond), false)).toBe(413);
  }
  expect(bodies.filter((length) => length > 0)).toEqual([]);
  expect(await post("x".repeat(limit), true)).toBe(200);
  expect(bodies).toEqual([limit]);
});

it("a body that may not wait here is refused, with a length it arrives", async () => {
  const body = Buffer.alloc(17 * MIB);
  const post = { host: "large-limit.example", method: "POST", body };
  expect((await gateway.send({ ...post, chunked: true })).status).toBe(413);
  expect((await gateway.send(post)).status).toBe(200);
  expect(bodies).toEqual([17 * MIB]);
});

it.each(VERIFIED)("a request of %s waits for what checks the certificate", async (host) => {
  const response = await gateway.send({ host });
  expect([response.status, response.reason]).toEqual([
    503,
    "InvalidBackend : TLS to the backend is not ready",
  ]);
});

it("a body without a length that an auth service is to get is refused", async () => {
  const post = { host: "auth.example", method: "POST", chunked: true, body: "x" };
  expect((await gateway.send(post)).status).toBe(503);
  expect(bodies).toEqual([]);
});
