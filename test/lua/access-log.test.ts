import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Authority, selfSigned } from "../../e2e/harness/certificates.js";
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { Connection } from "../../e2e/harness/http-client.js";
import { Http2Client } from "../../e2e/harness/http2-client.js";
import { basic } from "../../e2e/harness/htpasswd.js";
import { useScene } from "../../e2e/harness/scene.js";
import { LOG_FIELDS } from "../../src/model/log-fields.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { credentialSet } from "../support/credentials.js";
import { forwardAuth } from "../support/forward-auth.js";
import { fc } from "../support/fast-check.js";
import { authPolicy, LuaGateway } from "../support/lua-gateway.js";
import { ScriptedServer, say } from "../support/scripted-server.js";
import { startLuaNginx } from "../support/lua-nginx.js";
import { tlsListener, withTls } from "../support/tls-gateway.js";
import { until } from "../support/until.js";

const run = promisify(execFile);
const scene = useScene();
let gateway: LuaGateway;
let silent: ScriptedServer;
let authService: ScriptedServer;
let count = 0;

/** All of them: each text that a client can choose is in the lines that must be JSON. */
const FIELDS = LOG_FIELDS.map(({ name }) => name);

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  silent = await scene.use(ScriptedServer.start());
  silent.answer = () => undefined;
  authService = await scene.use(ScriptedServer.start());
  const backends = [{ upstream: "silent", weight: 1, protocol: "http" }] as const;
  const dataPlane = { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLogFields: FIELDS };
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      credentials: [await credentialSet("users", { ann: "secret", grün: "geheim" })],
      routes: {
        "open.example": {},
        "silent.example": { backends },
        "basic.example": { auth: [authPolicy({ basic: { realm: "r", file: "users" } })] },
        "forward.example": { auth: [authPolicy({ forward: forwardAuth(authService.port, "/") })] },
      },
      upstreams: [{ id: "silent", endpoints: [["127.0.0.1", silent.port]] }],
      options: { dataPlane },
    }),
  );
});

/** Latin-1: each character is a byte. */
interface Texts {
  readonly host: string;
  readonly uri: string;
  readonly agent: string;
  readonly authorization?: string;
}

/** Headers of the log other than User-Agent have the same text. */
async function begin({ host, uri, agent, authorization = agent }: Texts): Promise<Connection> {
  const connection = await Connection.open(gateway.target());
  const others = `Referer: ${agent}\r\nX-Request-ID: ${agent}\r\nAuthorization: ${authorization}`;
  const head = `GET /${uri} HTTP/1.1\r\nUser-Agent: ${agent}\r\n${others}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  connection.write(Buffer.from(head, "latin1"));
  count += 1;
  return connection;
}

async function send(texts: Texts): Promise<void> {
  const connection = await begin(texts);
  await connection.receive();
  connection.close();
}

/** The client leaves when the backend has the request, which it does not answer. */
async function abort(texts: Texts): Promise<void> {
  const before = silent.requests.length;
  const connection = await begin(texts);
  await until(async () => silent.requests.length > before);
  connection.close();
}

const logFile = () => readFileSync(join(gateway.nginx.dir, "logs/access.log"));

/** Lines of the log once all requests are in it; throws for bytes that are no UTF-8 or no JSON. */
async function entries(): Promise<readonly Record<string, unknown>[]> {
  await until(async () => logFile().toString("latin1").split("\n").length > count);
  const text = new TextDecoder("utf-8", { fatal: true }).decode(logFile());
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The entry of a request of its own for this host. */
async function entryOf(texts: Partial<Texts>): Promise<Record<string, unknown>> {
  await send({ host: "open.example", uri: "", agent: "test", ...texts });
  return (await entries()).at(-1) ?? {};
}

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");

it.each<[string, string, string]>([
  ["ASCII", 'plain"\\', 'plain"\\'],
  ["UTF-8", latin1("grün-€-😀"), "grün-€-😀"],
  ["Latin-1", "gr\xfcn", "gr\\xFCn"],
  ["UTF-8 beside other bytes", `\xff${latin1("ü")}`, "\\xFF\\xC3\\xBC"],
  ["half a character", "a\xe2\x82", "a\\xE2\\x82"],
  ["a surrogate", "a\xed\xa0\x80b", "a\\xED\\xA0\\x80b"],
  ["an overlong slash", "a\xc0\xafb", "a\\xC0\\xAFb"],
  ["beyond Unicode", "a\xf4\x90\x80\x80b", "a\\xF4\\x90\\x80\\x80b"],
])("writes %s as JSON in UTF-8", async (_, sent, logged) => {
  const expected = { uri: `/${logged}`, path: `/${logged}`, query: "", user_agent: logged };
  await send({ host: "open.example", uri: sent, agent: sent });
  expect((await entries()).at(-1)).toMatchObject(expected);
  await abort({ host: "silent.example", uri: "", agent: "" });
  // The route is known by now: the short way to it has to leave the same line.
  await abort({ host: "silent.example", uri: `?${sent}`, agent: sent });
  expect((await entries()).at(-1)).toMatchObject({
    ...expected,
    ...{ status: 499, uri: `/?${logged}`, path: "/", query: logged },
  });
});

test("a method of any bytes, which nginx refuses over HTTP/2 only after it has read it, is JSON", async () => {
  const client = await Http2Client.open({ port: gateway.nginx.port });
  const { status } = await client.send({ ":method": 'A"\xffB', ":authority": "open.example" });
  await client.close();
  count += 1;
  expect(status).toBe(400);
  expect((await entries()).at(-1)).toMatchObject({ method: 'A"', status: 400 });
});

test.each([
  ["plain", "/a/b"],
  ["encoded", "/a%20b%ff%0a"],
  ["rewritten by nginx", "/a/./b"],
])("keeps the %s path as it came, and the query beside it", async (_, path) => {
  const uri = `${path}?token=x?y`;
  expect(await entryOf({ uri: uri.slice(1) })).toMatchObject({ path, query: "token=x?y", uri });
});

test("has no query of the referring page", async () => {
  expect(await entryOf({ agent: "https://other.example/a?token=x#y" })).toMatchObject({
    referer: "https://other.example/a",
  });
});

describe("the user", () => {
  test.each([
    ["of a login that is right", basic("ann", "secret"), { user: "ann", auth: "passed" }],
    ["whose name is not ASCII", basic("grün", "geheim"), { user: "grün", auth: "passed" }],
    ["of a login that is wrong", basic("ann", "other"), { user: "", auth: "basic_wrong" }],
  ])("%s", async (_, authorization, expected) => {
    const first = await entryOf({ host: "basic.example", authorization });
    // The login is known by now.
    const second = await entryOf({ host: "basic.example", authorization });
    expect([first, second]).toMatchObject([expected, expected]);
  });

  test.each([
    ["X-Auth-Request-User: ann", "ann"],
    ["Remote-User: gr\xfcn", "gr\\xFCn"],
    ['X-Forwarded-User: "\\', '"\\'],
    ["X-Other: ann", ""],
  ])("that an auth service names as %j", async (header, user) => {
    authService.answer = (socket) => {
      const answer = say(`HTTP/1.1 200 OK\r\n${header}\r\nContent-Length: 0\r\n\r\n`);
      setTimeout(() => answer(socket, { head: "", connection: 0, number: 0 }), 20);
    };
    const entry = await entryOf({ host: "forward.example" });
    expect(entry).toMatchObject({ user, auth: "passed" });
    expect(Number(entry["auth_time"])).toBeGreaterThan(0.01);
  });

  test("that an auth service refuses is none", async () => {
    authService.answer = say(
      "HTTP/1.1 403 No\r\nX-Auth-Request-User: ann\r\nContent-Length: 0\r\n\r\n",
    );
    expect(await entryOf({ host: "forward.example" })).toMatchObject({
      ...{ user: "", auth: "forward_status", status: 403, upstream_addr: "" },
    });
  });

  test("of a route without auth is none, whatever Authorization says", async () => {
    const entry = await entryOf({ authorization: basic("ann", "secret") });
    expect(entry).toMatchObject({ user: "", auth: "", auth_time: "" });
  });
});

describe("with TLS", () => {
  const HOST = "tls.example";
  let tlsGateway: LuaGateway;
  let authority: Authority;

  beforeAll(async () => {
    authority = await Authority.create();
    const authorities = authority.pair.certificate;
    const listener = { clientCertificates: { authorities, mode: "requested" } } as const;
    tlsGateway = await scene.use(
      LuaGateway.start({
        backend: silent.port,
        routes: { [HOST]: {} },
        model: withTls(
          await selfSigned(HOST),
          [tlsListener(HOST, listener), tlsListener("")],
          [HOST],
        ),
        options: {
          dataPlane: { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLogFields: FIELDS },
        },
      }),
    );
  });

  const tlsLog = () => readFileSync(join(tlsGateway.nginx.dir, "logs/access.log"));

  /** The entry of one handshake and a request, which nginx refuses: a server name or a certificate is in the log all the same. */
  async function entryOfHandshake(name: string, client: readonly string[] = []): Promise<unknown> {
    const before = tlsLog().toString("latin1").split("\n").length;
    const address = `127.0.0.1:${String(tlsGateway.nginx.port)}`;
    const words = ["s_client", "-quiet", "-connect", address, "-servername", name, ...client];
    const asking = run("openssl", words);
    asking.child.stdin?.end("GET / HTTP/1.1\r\n\r\n");
    await asking.catch(() => undefined);
    await until(async () => tlsLog().toString("latin1").split("\n").length > before);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(tlsLog());
    return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
  }

  test.each([
    ["plain", "Tls.Example", "Tls.Example"],
    ["with quotes", `a"\\b`, `a"\\b`],
    ["with a line break", "a\nb\x01\x7f", "a\nb\x01\x7f"],
    ["that is not ASCII", "aü.example", "a"],
  ])("a server name %s is in the log", async (_, name, logged) => {
    expect(await entryOfHandshake(name)).toMatchObject({ tls_server_name: logged, tls_client: "" });
  });

  test("the subject of a certificate is in the log", async () => {
    const subject = ["-utf8", "-subj", '/CN=a"b\\\\c\nd/O=ü'];
    const { certificate, key } = await authority.issueWith(subject, "client");
    const file = join(tlsGateway.nginx.dir, "client.pem");
    writeFileSync(file, certificate + key);
    expect(await entryOfHandshake(HOST, ["-cert", file])).toMatchObject({
      tls_client: String.raw`O=\C3\BC,CN=a\"b\\c\0Ad`,
    });
  });
});

test("marks ASCII of every length, and nothing else", async () => {
  const { call, stop } = await startLuaNginx();
  try {
    for (let length = 0; length <= 260; length += 1) {
      const bytes = Buffer.alloc(length, 0x7f);
      expect([length, await call("log_bytes", "is_ascii", bytes)]).toEqual([
        length,
        [length <= 256],
      ]);
    }
    expect(await call("log_bytes", "finds_each_byte")).toEqual([true]);
  } finally {
    await stop();
  }
}, 60_000);

const bytes = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((part) =>
  Buffer.from(part)
    .toString("latin1")
    .replaceAll(/[\0-\x20\x7f]/g, "x"),
);
const words = fc.array(fc.oneof(bytes, fc.string({ unit: "grapheme" }).map(latin1)), {
  maxLength: 6,
});
const text = words.map((parts) => parts.join("").replaceAll(/[\0-\x20\x7f]/g, "x"));

/** UTF-8 as it is; in any other text each byte that is not ASCII as `\xHH`. */
function shown(sent: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(sent, "latin1"),
    );
  } catch {
    return sent.replaceAll(
      /[\x80-\xff]/g,
      (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  }
}

it("keeps every byte that clients send, as JSON in UTF-8", async () => {
  const before = count;
  const sent: Texts[] = [];
  const host = fc.oneof(fc.constant("open.example"), text);
  // nginx keeps no target that it can't decode.
  const uri = text.map((each) => each.replaceAll("%", "%25").replaceAll("..", "x"));
  const texts = fc.record({ host, uri, agent: text });
  await fc.assert(
    fc.asyncProperty(texts, async (each) => {
      sent.push(each);
      await send(each);
    }),
    { numRuns: 300 },
  );
  const logged = (await entries()).slice(before);
  expect(logged.map(({ uri, user_agent }) => [uri, user_agent])).toEqual(
    sent.map(({ uri, agent }) => [`/${shown(uri)}`, shown(agent)]),
  );
}, 60_000);
