import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { Connection } from "../../e2e/harness/http-client.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/model/options.js";
import { fc } from "../support/fast-check.js";
import { LuaGateway } from "../support/lua-gateway.js";
import { ScriptedServer } from "../support/scripted-server.js";
import { until } from "../support/until.js";

const scene = useScene();
let gateway: LuaGateway;
let silent: ScriptedServer;
let count = 0;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  silent = await scene.use(ScriptedServer.start());
  silent.answer = () => undefined;
  const backends = [{ upstream: "silent", weight: 1, protocol: "http" }] as const;
  const dataPlane = { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "logs/access.log" };
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: { "open.example": {}, "silent.example": { backends } },
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
}

async function begin({ host, uri, agent }: Texts): Promise<Connection> {
  const connection = await Connection.open(gateway.target());
  const head = `GET /${uri} HTTP/1.1\r\nUser-Agent: ${agent}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
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
  const expected = { uri: `/${logged}`, user_agent: logged };
  await send({ host: "open.example", uri: sent, agent: sent });
  expect((await entries()).at(-1)).toMatchObject(expected);
  await abort({ host: "silent.example", uri: "", agent: "" });
  // The route is known by now: the short way to it has to leave the same line.
  await abort({ host: "silent.example", uri: `?${sent}`, agent: sent });
  expect((await entries()).at(-1)).toMatchObject({ ...expected, status: 499, uri: `/?${logged}` });
});

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
