import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EchoBackend } from "../../e2e/harness/echo-backend.js";
import { Connection } from "../../e2e/harness/http-client.js";
import { useScene } from "../../e2e/harness/scene.js";
import { DEFAULT_OPTIONS } from "../../src/options.js";
import { fc } from "../support/fast-check.js";
import { LuaGateway } from "../support/lua-gateway.js";
import { until } from "../support/until.js";

const scene = useScene();
let gateway: LuaGateway;
let count = 0;

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const dataPlane = { ...DEFAULT_OPTIONS.dataPlane, workers: 1, accessLog: "logs/access.log" };
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: { "open.example": {} },
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

async function send({ host, uri, agent }: Texts): Promise<void> {
  const connection = await Connection.open(gateway.target());
  const head = `GET /${uri} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${agent}\r\nConnection: close\r\n\r\n`;
  connection.write(Buffer.from(head, "latin1"));
  await connection.receive();
  connection.close();
  count += 1;
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
  ["Latin-1", "gr\xfcn", "gr\ufffd"],
  ["half a character", "a\xe2\x82", "a\ufffd"],
  ["a surrogate", "a\xed\xa0\x80b", "a\ufffd"],
  ["an overlong slash", "a\xc0\xafb", "a\ufffd"],
  ["beyond Unicode", "a\xf4\x90\x80\x80b", "a\ufffd"],
])("writes %s as JSON in UTF-8", async (_, sent, logged) => {
  await send({ host: "open.example", uri: sent, agent: sent });
  expect((await entries()).at(-1)).toMatchObject({ uri: `/${logged}`, user_agent: logged });
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

it("is JSON in UTF-8 whatever clients send", async () => {
  const texts = fc.record({ host: text, uri: text, agent: text });
  await fc.assert(fc.asyncProperty(texts, send), { numRuns: 300 });
  expect(await entries()).toHaveLength(count);
}, 60_000);
