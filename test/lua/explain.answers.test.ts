/** What explain answers for a request, compared with nginx, which serves the same policy. */
import { selfSigned, type KeyPair } from "../../e2e/harness/certificates.js";
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import type { HttpResponse } from "../../e2e/harness/http-message.js";
import { explain, readPolicy } from "../../src/explain/explain.js";
import { parseRequest } from "../../src/explain/request.js";
import type { DataPlaneConfig } from "../../src/model/config.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { onePlace } from "../../src/model/route.js";
import { contentsOf } from "../../src/render/rendered-file.js";
import { Renderer } from "../../src/render.js";
import { authPolicy, LuaGateway, type TestRoute } from "../support/lua-gateway.js";
import { hostPattern, tlsListener, withTls } from "../support/tls-gateway.js";

const BASIC = authPolicy({ basic: { realm: "r", file: "users" } });
const USERS = { alice: ["salt", "0123456789012345678901"] };
const BROKEN = authPolicy({ invalid: "secret a/b not found" });
const WEB = { upstream: "backend", weight: 1, protocol: "http" } as const;
const REDIRECT = { status: 302, url: ["https://elsewhere.example/"] } as const;
const HERE = ["127.0.0.0/8"];
const ELSEWHERE = ["10.0.0.0/8"];

/** By host. The clients of the test come from 127.0.0.1 and have no credentials. */
const ROUTES: Readonly<Record<string, TestRoute>> = {
  plain: {},
  refused: { refuse: [500, "InvalidRule : x"], redirect: REDIRECT, deny: HERE },
  redirected: { redirect: REDIRECT, auth: [BASIC], deny: HERE },
  "redirected-after-auth": { redirect: REDIRECT, authFirst: true, auth: [BROKEN] },
  "redirected-without-auth": { redirect: REDIRECT, authFirst: true },
  "of-the-scheme": { redirect: { ...REDIRECT, unlessScheme: "http" } },
  "no-backend": { backends: [] },
  "no-weight": { backends: [{ ...WEB, weight: 0 }] },
  "no-endpoint": { backends: [{ ...WEB, upstream: "empty" }] },
  "refused-backend": { backends: [{ weight: 1, protocol: "http", refuse: [500, "x"] }] },
  allowed: { allow: HERE },
  "not-allowed": { allow: ELSEWHERE },
  denied: { allow: HERE, deny: HERE },
  "not-denied": { deny: ELSEWHERE },
  broken: { auth: [BROKEN], allow: ELSEWHERE },
  "broken-second": { auth: [BASIC, BROKEN] },
  "allowed-or-auth": { auth: [BASIC], satisfy: "any", allow: HERE },
  "allowed-or-broken": { auth: [BROKEN], satisfy: "any", allow: HERE },
  "neither-allowed-nor-auth": { satisfy: "any", allow: ELSEWHERE },
  protected: { auth: [BASIC] },
  "not-allowed-and-no-backend": { allow: ELSEWHERE, backends: [] },
  rewritten: { rewrite: ["prefix", "/old", "/new"] },
  grown: { rewrite: ["prefix", "/old", `/${"n".repeat(30_000)}`] },
};

/** Its backend does not speak HTTP/2: only refusals are compared. */
const HTTP2: TestRoute = {
  rewrite: ["prefix", "/old", "/new"],
  backends: [{ ...WEB, protocol: "h2c" }],
};

/** The host `paths` is open below /open and closed below /closed. */
function withPaths(model: DataPlaneConfig): DataPlaneConfig {
  const at = onePlace("test", { kind: "exact", host: "paths" });
  const bind = (route: string, path: string) => ({
    ...{ at, when: [], order: `9${route}`, route },
    path: ["prefix", path] as const,
  });
  return {
    ...model,
    bindings: [...model.bindings, bind("not-allowed", "/closed"), bind("plain", "/open")],
    upstreams: [...model.upstreams, { id: "empty", endpoints: [] }],
  };
}

let backend: EchoBackend;
let pair: KeyPair;
const gateways: LuaGateway[] = [];
beforeAll(async () => {
  backend = await EchoBackend.start("backend");
  pair = await selfSigned("first.example");
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await backend.close();
});

/** Starts nginx for the routes. `explained` is what explain expects of the client of this test: a status and the reason. */
async function start(
  routes: Readonly<Record<string, TestRoute>>,
  change: (model: DataPlaneConfig) => DataPlaneConfig,
) {
  let policy = readPolicy("{}");
  const gateway = await LuaGateway.start({
    backend: backend.port,
    routes,
    credentials: [{ id: "users", entries: USERS }],
    model: (plain) => {
      const model = change(plain);
      const files = new Renderer().render(model, DEFAULT_OPTIONS);
      const [text = ""] = files.filter(({ path }) => path === "policy.json").map(contentsOf);
      policy = readPolicy(text);
      return model;
    },
  });
  gateways.push(gateway);
  const explained = (scheme: string, name: string, host: string, path = "/") => {
    const url = `${scheme}://${name}:${gateway.nginx.port}${path}`;
    const headers = [`Host: ${host}`];
    const request = parseRequest({ method: "GET", url, headers, client: "127.0.0.1" });
    if (!request.ok) throw new Error(request.problem);
    const { answer, route, certificate } = explain(policy, request.value);
    // The folder has no self-signed certificate, as one that `albc render` wrote.
    if (certificate === null) return ["closed", undefined];
    if (answer.kind === "refused") return [answer.status, answer.reason];
    if (answer.kind === "redirected") return [answer.redirect.status, undefined];
    return [route?.authChecked === true ? 401 : 200, undefined];
  };
  return { gateway, explained };
}

/** The reason of a 401 depends on the method of auth. */
function answered(response: HttpResponse) {
  const { status } = response;
  return [status, status === 401 ? undefined : response.header("x-alb-err-reason")];
}

test("nginx answers as explained on every kind of route", async () => {
  const { gateway, explained } = await start({ ...ROUTES, http2: HTTP2 }, withPaths);
  const requests = [
    ...Object.keys(ROUTES).map((host) => [host, "/"] as const),
    ...["/open/a", "/closed/a", "/open/../closed", "/open/..%2fclosed", "/closed/..;/open"].map(
      (path) => ["paths", path] as const,
    ),
    ...([
      ["paths", "/"],
      ["unknown", "/"],
      ["bad!host", "/"],
      ["plain", "/%zz"],
      ["rewritten", "/old/a%2Fb"],
      ["http2", "/old/a%2Fb?%20"],
      ["http2", "/old/%3b"],
      ["grown", `/old/${"a".repeat(10_000)}`],
      ["unknown", `/${"a".repeat(20_000)}`],
      ...[16_368, 16_369, 16_370, 16_371].map((length) => ["plain", `/${"a".repeat(length)}`]),
    ] as const),
  ];
  for (const [host, path] of requests) {
    const response = await gateway.send({ host, path });
    expect([host, path, ...answered(response)]).toEqual([
      ...[host, path],
      ...explained("http", "127.0.0.1", host, path),
    ]);
  }
});

const LISTENERS = ["", "second.example", "*.wild.example", "own.wild.example", "shown.example"];

/** Certificates for some names only; one listener requests client certificates, two have auth for their routes. */
function withListeners(model: DataPlaneConfig): DataPlaneConfig {
  const certificate = "pair";
  const clientCertificates = { authorities: pair.certificate, mode: "requested" } as const;
  const listeners = LISTENERS.map((name) => {
    const { isolated: _, ...plain } = tlsListener(name);
    if (name === "") return plain;
    return name === "shown.example" ? { ...plain, clientCertificates } : tlsListener(name);
  });
  return {
    ...withTls(pair, listeners, ["any", ...LISTENERS.slice(1)])(model),
    inherited: [
      { id: "*.wild.example", policies: [BASIC.id] },
      { id: "shown.example", refuse: [500, "InvalidFilter : x"] },
    ],
    auths: [BASIC],
    serverCertificates: [
      { server: "test", host: hostPattern("second.example"), certificate },
      { server: "test", host: hostPattern("*.wild.example"), certificate },
      { server: "test", host: hostPattern("own.wild.example") },
      { server: "test", host: hostPattern("shown.example"), certificate },
      { server: "test", host: hostPattern("other.example"), certificate },
    ],
  };
}

test("nginx answers as explained for every server name and host", async () => {
  const routes = Object.fromEntries(["any", ...LISTENERS.slice(1)].map((id) => [id, {}]));
  const { gateway, explained } = await start(routes, withListeners);
  const names = ["second.example", "a.wild.example", "a.b.wild.example", "own.wild.example"];
  for (const servername of [...names, "shown.example", "other.example", "unknown.example"]) {
    for (const host of [...names, "shown.example", "elsewhere.example"]) {
      const tls = { servername, rejectUnauthorized: false };
      const answer = await gateway.send({ host, tls }).then(answered, () => ["closed", undefined]);
      expect([servername, host, ...answer]).toEqual([
        ...[servername, host],
        ...explained("https", servername, host),
      ]);
    }
  }
});
