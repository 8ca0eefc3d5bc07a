/**
 * What a client sends as a special header (src/model/special-headers.ts) reaches backends, mirrors and auth services only as the table
 * says, and in a spelling with `_` it changes nothing at all.
 */
import { AuthService } from "../../e2e/harness/auth-service.js";
import { EchoBackend, echoOf } from "../../e2e/harness/echo-backend.js";
import { GrpcBackend } from "../../e2e/harness/grpc-backend.js";
import { Http2Client } from "../../e2e/harness/http2-client.js";
import type { HeaderLines } from "../../e2e/harness/http-message.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { headersThatAre, rolesOf } from "../../src/model/special-headers.js";
import { externalAuth, forwardAuth } from "../support/forward-auth.js";
import { authPolicy, LuaGateway, type TestRoute } from "../support/lua-gateway.js";
import { until } from "../support/until.js";

const scene = useScene();
const TRUSTED = "127.0.0.9";
const PEERS = { "a trusted proxy": TRUSTED, "a client": "127.0.0.8" } as const;

/** Every row, with examples for beginnings. */
const NAMES: readonly string[] = headersThatAre().flatMap((name) =>
  name.endsWith("*")
    ? ["Verify", "Cert", "Method", "Subject-DN", "For"].map((rest) => name.slice(0, -1) + rest)
    : [name],
);
const DASHED = NAMES.filter((name) => name.includes("-"));

/** Each spelling with `_` for some `-`, in some case. */
function underscored(name: string): readonly string[] {
  const [first = "", ...rest] = name.split("-");
  const all = rest.reduce(
    (starts, part) => starts.flatMap((start) => [`${start}-${part}`, `${start}_${part}`]),
    [first],
  );
  return all.filter((spelling) => spelling.includes("_"));
}

/** A value that would have an effect if it were believed. */
function valueOf(name: string): string {
  if (/turns$/i.test(name)) return "1111111";
  if (/length$/i.test(name)) return "3";
  if (/encoding$/i.test(name)) return "chunked";
  if (/(?:proto|scheme)$/i.test(name)) return "https";
  if (/port$/i.test(name)) return "4443";
  return "forged.example";
}

let gateway: LuaGateway;
let backend: EchoBackend;
let mirror: EchoBackend;
let auth: AuthService;
let grpc: GrpcBackend;

/** Ways to the backend: `location /`, `@http`, and what else gets a request. */
function routes(): Readonly<Record<string, TestRoute>> {
  const headers = NAMES.map((name) => name.toLowerCase());
  const copy = { upstream: "mirror", protocol: "http", numerator: 1, denominator: 1 } as const;
  return {
    "plain.example": {},
    "streamed.example": { streamed: true },
    "forward.example": {
      auth: [authPolicy({ forward: forwardAuth(auth.port, "/forward") })],
    },
    "external.example": {
      auth: [authPolicy({ external: externalAuth(auth.port, "/external", { headers }) })],
    },
    "mirror.example": { mirrors: [copy] },
    "grpc.example": { backends: [{ upstream: "grpc", weight: 1, protocol: "grpc" }] },
  };
}

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  mirror = await scene.use(EchoBackend.start("mirror"));
  auth = await scene.use(AuthService.start());
  grpc = await scene.use(GrpcBackend.start());
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: routes(),
      upstreams: [
        { id: "mirror", endpoints: [["127.0.0.1", mirror.port]] },
        { id: "grpc", endpoints: [["127.0.0.1", grpc.port]] },
      ],
      options: {
        dataPlane: {
          ...DEFAULT_OPTIONS.dataPlane,
          accessLog: "off",
          trustedProxies: [`${TRUSTED}/32`],
        },
      },
    }),
  );
});

type Received = readonly HeaderLines[];

/** What each receiver got of one request, without what differs in each. */
async function received(host: string, from: string, headers: HeaderLines): Promise<Received> {
  for (const each of [auth, mirror]) each.requests.splice(0);
  const response = await gateway.send({ host, from, headers });
  const isMirrored = host === "mirror.example";
  if (isMirrored) await until(async () => mirror.requests.length > 0);
  const asked = auth.requests.map((request) => request.headers);
  const copied = mirror.requests.map((request) => request.headers);
  return [echoOf(response).headers, ...asked, ...copied].map((lines) =>
    lines.filter(([name]) => !/^x-(?:request-id|albc-.*)$/i.test(name)),
  );
}

const HOSTS = ["plain", "streamed", "forward", "external", "mirror"].map(
  (name) => `${name}.example`,
);

describe.each(Object.entries(PEERS))("of %s", (_, from) => {
  it.each(HOSTS)("no spelling with _ changes anything at %s", async (host) => {
    const usual = await received(host, from, []);
    for (const spelling of DASHED.flatMap(underscored)) {
      const got = await received(host, from, [[spelling, valueOf(spelling)]]);
      expect([spelling, ...got]).toEqual([spelling, ...usual]);
    }
  });

  it("none changes anything over HTTP/2 to a gRPC backend", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port, from }));
    const ask = async (more: Readonly<Record<string, string>>) => {
      const head = { ":method": "POST", ":path": "/", ":authority": "grpc.example" };
      await client.send({ ...head, "content-type": "application/grpc", ...more }, "");
      const { "x-request-id": _id, ...rest } = grpc.calls.at(-1) ?? {};
      return { ...rest };
    };
    const usual = await ask({});
    for (const spelling of DASHED.flatMap(underscored)) {
      const name = spelling.toLowerCase();
      expect([name, await ask({ [name]: valueOf(name) })]).toEqual([name, usual]);
    }
    for (const name of NAMES.filter((each) => rolesOf(each)?.includes("dropped") === true)) {
      if (/^(?:proxy-connection|http2-settings)$/i.test(name)) continue;
      expect([name, await ask({ [name.toLowerCase()]: valueOf(name) })]).toEqual([name, usual]);
    }
  });

  /** Not sent as they are: they would be another request. */
  const FRAMING =
    /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|x-albc-turns)$/i;

  it.each(HOSTS)("the usual spelling gets to %s only as the table says", async (host) => {
    const usual = await received(host, from, []);
    for (const name of NAMES.filter((each) => !FRAMING.test(each))) {
      const value = valueOf(name);
      const got = await received(host, from, [[name, value]]);
      const isTold = got.map((lines) => lines.some(([key, text]) => isIt(key, text, name, value)));
      if (may(name, from)) continue;
      // In place of what says where a request came from, auth services get the gateway's value.
      const isOrigin = rolesOf(name)?.includes("origin") === true;
      if (isOrigin) expect([name, ...isTold]).toEqual([name, ...isTold.map(() => false)]);
      else expect([name, ...got]).toEqual([name, ...usual]);
    }
  });
});

it("an auth service that gets no body is told of none", async () => {
  for (const name of headersThatAre("content").filter((each) => each !== "Content-Length")) {
    await received("forward.example", TRUSTED, [[name, "forged.example"]]);
    expect([name, auth.requests.map((request) => request.all(name))]).toEqual([name, [[]]]);
  }
});

/** Whether a header may reach backends with the sender's value. */
function may(name: string, from: string): boolean {
  const roles = rolesOf(name) ?? [];
  const isBelieved = from === TRUSTED && !roles.includes("dropped");
  const isOfProxy = roles.includes("claim") || roles.includes("origin");
  const isAnyones = roles.some((role) => ["one spelling", "content", "response"].includes(role));
  return (isBelieved && isOfProxy) || isAnyones;
}

const isIt = (key: string, text: string, name: string, value: string) =>
  key.toLowerCase() === name.toLowerCase() && text.includes(value);
