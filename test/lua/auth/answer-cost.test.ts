import type { Socket } from "node:net";
import { childrenOf, cpuTime } from "../../../e2e/bench/cpu-time.js";
import { EchoBackend } from "../../../e2e/harness/echo-backend.js";
import { useScene } from "../../../e2e/harness/scene.js";
import type { ForwardAuth } from "../../../src/model/auth.js";
import { fc, runs, timeoutOf } from "../../support/fast-check.js";
import { externalAuth, forwardAuth } from "../../support/forward-auth.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import { ScriptedServer } from "../../support/scripted-server.js";
import { until } from "../../support/until.js";

const scene = useScene();
/** Milliseconds of CPU that one request may cost a worker, doubled for a machine whose caches are shared. */
const MOST = 40;
let gateway: LuaGateway;
let service: ScriptedServer;
let worker: readonly number[];

beforeAll(async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  service = await scene.use(ScriptedServer.start());
  const route = (parts: Partial<ForwardAuth>): TestRoute => ({
    auth: [authPolicy({ forward: forwardAuth(service.port, "/", parts) })],
  });
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      options: { auth: { timeout: 20_000, tlsVerify: true } },
      routes: {
        "forward.example": route({ responseHeaders: ["X-User"], alwaysSetCookie: true }),
        "external.example": {
          auth: [authPolicy({ external: externalAuth(service.port, "/") })],
        },
        "mirror.example": {
          mirrors: [{ upstream: "service", protocol: "http", numerator: 1, denominator: 1 }],
        },
      },
      upstreams: [{ id: "service", endpoints: [["127.0.0.1", service.port]] }],
    }),
  );
  worker = await childrenOf(gateway.nginx.pid);
});

/** An answer with everything that a service may overdo. */
interface Answer {
  readonly status: number;
  /** Interim responses before it, and what ends their lines. */
  readonly interim: number;
  readonly newline: "\n" | "\r\n";
  readonly lines: { readonly count: number; readonly name: "same" | "other" | "cookie" };
  /** Bytes of each value, of which all but the ends are blanks or none is. */
  readonly value: { readonly size: number; readonly blanks: boolean };
  readonly framing: "length" | "chunked" | "close";
  readonly body: number;
  readonly chunk: { readonly size: number; readonly extension: number };
  readonly trailer: number;
  /** Bytes of each write at most; 0: all at once. */
  readonly piece: number;
}

const times = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

function headOf({ status, interim, newline, lines, value, framing, body }: Answer): string {
  const name = (index: number) =>
    ({ same: "x-user", other: `h${index}`, cookie: "set-cookie" })[lines.name];
  const text = (value.blanks ? " " : "v").repeat(value.size);
  const own = {
    length: `content-length: ${body}${newline}`,
    chunked: `transfer-encoding: chunked${newline}`,
    close: "",
  };
  return [
    times(interim, () => `HTTP/1.1 100 C${newline}${newline}`),
    `HTTP/1.1 ${status} S${newline}`,
    times(lines.count, (index) => `${name(index)}: a${text}b ${newline}`),
    own[framing] + newline,
  ].join("");
}

function bodyOf({ framing, body, chunk, trailer }: Answer): string {
  if (framing !== "chunked") return "b".repeat(body);
  const extension = chunk.extension === 0 ? "" : `;${"e".repeat(chunk.extension)}`;
  const one = `${chunk.size.toString(16)}${extension}\r\n${"b".repeat(chunk.size)}\r\n`;
  return `${one.repeat(Math.ceil(body / chunk.size))}0${extension}\r\n${times(trailer, () => "t: x\r\n")}\r\n`;
}

function serve(socket: Socket, answer: Answer): void {
  const bytes = Buffer.from(headOf(answer) + bodyOf(answer), "latin1");
  if (answer.piece === 0) {
    socket.end(bytes);
    return;
  }
  const next = (from: number) => {
    if (socket.destroyed) return;
    if (from >= bytes.length) socket.end();
    else
      socket.write(bytes.subarray(from, from + answer.piece), () =>
        setImmediate(next, from + answer.piece),
      );
  };
  next(0);
}

/**
 * Milliseconds of CPU that the gateway's worker needs for a request with this answer, until the service is rid of it. What is too much
 * is measured again: other work on the machine only adds to it.
 */
async function cost(host: string, answer: Answer): Promise<number> {
  service.answer = (socket) => serve(socket, answer);
  let least = Infinity;
  for (let turn = 0; turn < 4 && least >= MOST; turn += 1) {
    const before = await cpuTime(worker);
    await gateway.send({ host });
    await until(() => service.open.size === 0, 30_000);
    least = Math.min(least, ((await cpuTime(worker)) - before) / 1e6);
  }
  return least;
}

const HOSTS = ["forward.example", "external.example", "mirror.example"];

const plain: Answer = {
  status: 200,
  interim: 0,
  newline: "\r\n",
  lines: { count: 1, name: "same" },
  value: { size: 1, blanks: false },
  framing: "length",
  body: 0,
  chunk: { size: 1, extension: 0 },
  trailer: 0,
  piece: 0,
};

describe.each(HOSTS)("an answer for %s is cheap", (host) => {
  it.each<[string, Partial<Answer>]>([
    ["330,000 chunks of one byte", { framing: "chunked", body: 330_000 }],
    ["chunks of one byte, byte by byte", { framing: "chunked", body: 3000, piece: 1 }],
    ["chunk extensions", { framing: "chunked", body: 2000, chunk: { size: 1, extension: 1000 } }],
    [
      "a chunk extension in pieces",
      { framing: "chunked", body: 1, chunk: { size: 1, extension: 1_000_000 }, piece: 64 },
    ],
    ["a trailer in pieces", { framing: "chunked", body: 1, trailer: 100_000, piece: 64 }],
    ["interim responses", { interim: 4000, newline: "\n" }],
    ["as many chunks as are read", { framing: "chunked", body: 2048 }],
    ["as many headers as are read", { lines: { count: 254, name: "other" } }],
    ["many headers", { lines: { count: 4500, name: "other" } }],
    ["many cookies", { lines: { count: 2900, name: "cookie" }, value: { size: 3, blanks: false } }],
    ["a value of blanks", { value: { size: 60_000, blanks: true } }],
    ["a head byte by byte", { value: { size: 60_000, blanks: false }, piece: 1 }],
    ["a body with a length, byte by byte", { body: 60_000, piece: 1 }],
    ["a body with a length", { body: 1_000_000, piece: 1000 }],
    ["a body without an end", { framing: "close", body: 1_000_000, piece: 500 }],
    ["an error page in chunks", { status: 403, framing: "chunked", body: 330_000 }],
  ])(
    "with %s",
    async (_, parts) => {
      expect(await cost(host, { ...plain, ...parts })).toBeLessThan(MOST);
    },
    60_000,
  );
});

const size = (most: number) => fc.oneof(fc.constant(0), fc.nat(20), fc.nat(most));

const answers: fc.Arbitrary<Answer> = fc
  .record({
    status: fc.constantFrom(200, 401, 403, 500),
    interim: size(4000),
    newline: fc.constantFrom("\n", "\r\n"),
    lines: fc.record({
      count: size(4500),
      name: fc.constantFrom("same", "other", "cookie"),
    }),
    value: fc.record({ size: size(60_000), blanks: fc.boolean() }),
    framing: fc.constantFrom("length", "chunked", "close"),
    body: size(300_000),
    chunk: fc.record({ size: fc.integer({ min: 1, max: 5000 }), extension: size(200) }),
    trailer: size(20_000),
    piece: fc.constantFrom(0, 0, 1, 100, 1400, 65_536),
  })
  .map((answer) => ({
    ...answer,
    // No test needs more than this to find a quadratic reader.
    lines: {
      ...answer.lines,
      count: Math.min(answer.lines.count, Math.ceil(200_000 / (answer.value.size + 8))),
    },
  }));

it(
  "no answer costs more",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...HOSTS), answers, async (host, answer) => {
        expect(await cost(host, answer)).toBeLessThan(MOST);
      }),
      { ...runs(60), endOnFailure: true },
    );
  },
  timeoutOf(240_000),
);
