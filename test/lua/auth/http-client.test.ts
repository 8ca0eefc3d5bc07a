import { type Socket, createServer } from "node:net";
import { listen } from "../../../e2e/harness/free-port.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { freePort } from "../../support/free-port.js";
import { startLuaNginx, type LuaNginx } from "../../support/lua-nginx.js";
import {
  drip,
  say,
  sayAndEnd,
  ScriptedServer,
  type Answer,
} from "../../support/scripted-server.js";

const scene = useScene();
let nginx: LuaNginx;
let server: ScriptedServer;

beforeAll(async () => {
  nginx = await startLuaNginx();
});
afterAll(() => nginx.stop());
beforeEach(async () => {
  server = await scene.use(ScriptedServer.start());
});

interface Options {
  readonly method?: string;
  readonly timeout?: number;
  readonly body?: number;
  readonly wanted?: readonly string[];
}

/** Status, or the error, of a request for this answer. */
async function ask(answer?: Answer, options: Options = {}, port = server.port): Promise<unknown> {
  if (answer) server.answer = answer;
  const service = { scheme: "http", host: "127.0.0.1", port, verify: true };
  const [status, rest] = await nginx.call("http_client_case", "request", service, options);
  return status ?? rest;
}

async function headers(answer: Answer, ...wanted: readonly string[]): Promise<unknown> {
  server.answer = answer;
  const service = { scheme: "http", host: "127.0.0.1", port: server.port, verify: true };
  const [, rest] = await nginx.call("http_client_case", "request", service, { wanted });
  return rest;
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("a response that is complete", () => {
  it.each<[string, string, number]>([
    ["with a length", OK, 200],
    ["without a body", "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", 401],
    ["204", "HTTP/1.1 204 No Content\r\n\r\n", 204],
    ["304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", 304],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 200],
    [
      "in chunks with extensions and a trailer",
      'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\nA;x="y"\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n',
      200,
    ],
    ["without a reason phrase", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200],
    ["with an empty reason phrase", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200],
    ["with bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", 200],
    [
      "after interim ones",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n${OK}`,
      200,
    ],
  ])("%s is read, and its connection used again", async (_, text, status) => {
    for (let i = 0; i < 3; i += 1) expect(await ask(say(text))).toBe(status);
    expect(server.connections).toBe(1);
  });

  it("may come byte by byte", async () => {
    const text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\r\n\r\n0\r\n\r\n";
    for (let i = 0; i < 2; i += 1) expect(await ask(drip(Array.from(text), 1))).toBe(200);
    expect(server.connections).toBe(1);
  });

  it("of a HEAD request has no body whatever it announces", async () => {
    for (let i = 0; i < 2; i += 1) {
      expect(
        await ask(say("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"), { method: "HEAD" }),
      ).toBe(200);
    }
    expect(server.connections).toBe(1);
  });

  it.each([
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"],
    ["close among others", "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n"],
    ["bytes after its end", `${OK}HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n`],
    ["bytes after 204", "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 401 No\r\n\r\n"],
    [
      "bytes after the last chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx",
    ],
    ["a large body", `HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1000)}`],
    [
      "a large chunked body",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n${"x".repeat(131072)}`,
    ],
    ["a body without an end", "HTTP/1.1 200 OK\r\n\r\nsome"],
    ["other protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
  ])("with %s costs its connection only", async (_, text) => {
    const status = Number(text.slice(9, 12));
    for (let i = 1; i <= 3; i += 1) {
      expect(await ask(say(text))).toBe(status);
      expect(server.connections).toBe(i);
    }
  });
});

describe("headers", () => {
  it("are given by lower-case name, each line a value, in order", async () => {
    const lines =
      "SET-COOKIE: a=1\r\nX-Other: x\r\nset-cookie:\t b=2; Path=/ \t\r\nSet-Cookie:\r\n";
    const text = `HTTP/1.1 200 OK\r\n${lines}Content-Length: 0\r\n\r\n`;

    expect(await headers(say(text), "set-cookie")).toMatchObject({
      "set-cookie": ["a=1", "b=2; Path=/", ""],
    });
    expect(await headers(say(text), "set-cookie")).not.toHaveProperty("x-other");
  });

  it("of interim responses don't count", async () => {
    const text = `HTTP/1.1 103 Early\r\nX-User: root\r\n\r\n${OK}`;
    expect(await headers(say(text), "x-user")).not.toHaveProperty("x-user");
  });

  it.each(["a\0b", "a\rb", "a\x01b", "a\x7fb"])("with the value %j are refused", async (value) => {
    const text = `HTTP/1.1 200 OK\r\nX-User: ${value}\r\nContent-Length: 0\r\n\r\n`;
    expect(await headers(say(text), "x-user")).toBe("malformed response");
  });
});

describe("a response that is wrong", () => {
  it.each([
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n\r\n", "malformed response"],
    ["TLS", "\x16\x03\x01\x02\x00\x01\xfe\r\n\r\n", "malformed response"],
    ["HTTP/2", "HTTP/2 200\r\n\r\n", "malformed response"],
    ["HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n", "malformed response"],
    ["letters in the status", "HTTP/1.1 2OO OK\r\n\r\n", "malformed response"],
    ["two digits", "HTTP/1.1 20 OK\r\n\r\n", "malformed response"],
    ["four digits", "HTTP/1.1 2000 OK\r\n\r\n", "malformed response"],
    ["a blank before it", " HTTP/1.1 200 OK\r\n\r\n", "malformed response"],
    ["an empty line before it", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "malformed response"],
    ["a line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "malformed response"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "malformed response"],
    ["a folded line", "HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\n\r\n", "malformed response"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "contradictory length",
    ],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "contradictory length",
    ],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "contradictory length"],
    [
      "a hexadecimal length",
      "HTTP/1.1 200 OK\r\nContent-Length: 0x1\r\n\r\na",
      "contradictory length",
    ],
    [
      "another coding",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "contradictory length",
    ],
    [
      "a chunk without a size",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n",
      "malformed chunk",
    ],
    [
      "a huge chunk size",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx",
      "malformed chunk",
    ],
    [
      "a chunk that is longer than it says",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
      "malformed chunk",
    ],
  ])("%s", async (_, text, error) => {
    expect(await ask(say(text))).toBe(error);
  });

  it.each([
    ["nothing", ""],
    ["half a head", "HTTP/1.1 200 OK\r\nContent-Type: te"],
    ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ["half of the chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"],
    ["an interim response alone", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("%s and the end of the connection", async (_, text) => {
    expect(await ask(sayAndEnd(text))).toBe("closed");
    expect(server.requests).toHaveLength(1);
  });

  it("a reset", async () => {
    expect(await ask((socket) => socket.resetAndDestroy())).toMatch(/reset|closed/);
  });

  it.each([
    ["a line without end", `HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(1_000_000)}`],
    ["too many lines", `HTTP/1.1 200 OK\r\n${"X-Filler: some value\r\n".repeat(10_000)}`],
  ])("%s", async (_, text) => {
    expect(await ask(say(text))).toBe("response header too large");
  });

  it.each([
    ["headers", `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(300)}\r\n`, "malformed response"],
    ["interim responses", "HTTP/1.1 100 C\r\n\r\n".repeat(11) + OK, "too many interim responses"],
    [
      "chunks",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(2049)}0\r\n\r\n`,
      "too many chunks",
    ],
  ])("too many %s", async (_, text, error) => {
    expect(await ask(say(text))).toBe(error);
  });

  it("a head up to 64 KiB is read", async () => {
    const text = `HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(60_000)}\r\nContent-Length: 0\r\n\r\n`;
    expect(await ask(say(text))).toBe(200);
  });
});

describe("the deadline", () => {
  async function timed(answer: Answer): Promise<number> {
    const started = performance.now();
    expect(await ask(answer, { timeout: 0.3 })).toBe("timeout");
    return performance.now() - started;
  }

  it.each<[string, Answer]>([
    ["silence", say()],
    ["half a head", say("HTTP/1.1 200 OK\r\nConte")],
    ["half a body", say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nha")],
    ["half a chunk", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nha")],
    ["a byte now and then", drip(Array.from("HTTP/1.1 200 OK\r\nX-Long: ".padEnd(200, "x")), 20)],
    [
      "interim responses now and then",
      drip(Array<string>(200).fill("HTTP/1.1 102 Wait\r\n\r\n"), 50),
    ],
  ])("ends %s", async (_, answer) => {
    const time = await timed(answer);
    expect(time).toBeGreaterThan(250);
    expect(time).toBeLessThan(5000);
  });

  it("ends a body that the service reads a little now and then", async () => {
    const sockets: Socket[] = [];
    const slow = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", () => {
        socket.pause();
        setTimeout(() => socket.resume(), 5);
      });
    });
    const port = await listen(slow, { host: "127.0.0.1" });
    const close = () => {
      for (const socket of sockets) socket.destroy();
      slow.close();
      return Promise.resolve();
    };
    await scene.use(Promise.resolve({ close }));
    const started = performance.now();
    // More than the kernel keeps for the two of them.
    expect(await ask(undefined, { timeout: 1, body: 100_000_000 }, port)).toBe("timeout");
    expect(performance.now() - started).toBeLessThan(4000);
    expect(await ask(say(OK))).toBe(200);
  }, 60_000);
});

describe("an answer", () => {
  const ok = (lines: string, body = "") =>
    `HTTP/1.1 200 OK\r\nContent-Length: ${String(body.length)}\r\n${lines}\r\n${body}`;
  const remembered = async () => Number((await nginx.call("http_client_case", "remembered"))[0]);

  it.each<[string, string, number]>([
    ["with all that is wanted", ok("X-User: ann\r\n", "yes"), 1],
    ["with a cookie", ok("X-User: ann\r\nSet-Cookie: a=b\r\n"), 0],
    ["that refuses", "HTTP/1.1 401 No\r\nX-User: ann\r\nContent-Length: 0\r\n\r\n", 0],
    ["that is long", ok("X-User: ann\r\n", "y".repeat(2048)), 0],
    ["that closes", ok("X-User: ann\r\nConnection: close\r\n"), 0],
    ["with more after it", `${ok("X-User: ann\r\n")}more`, 0],
  ])("%s is parsed alike each time, and remembered: %#", async (_, text, more) => {
    const before = await remembered();
    for (let i = 0; i < 3; i += 1) {
      expect(await headers(say(text), "x-user")).toMatchObject({ "x-user": ["ann"] });
    }
    expect(await remembered()).toBe(before + more);
  });

  it("that comes in pieces is not remembered", async () => {
    const before = await remembered();
    expect(
      await ask(drip([ok("X-Piece: 1\r\n").slice(0, 30), ok("X-Piece: 1\r\n").slice(30)], 20)),
    ).toBe(200);
    expect(await remembered()).toBe(before);
  });

  it("is one of at most 128", async () => {
    for (let i = 0; i < 140; i += 1) {
      const wanted = await headers(say(ok(`X-Many: ${String(i)}\r\n`)), "x-many");
      expect(wanted).toMatchObject({ "x-many": [String(i)] });
    }
    expect(await remembered()).toBeLessThan(140);
  });

  it("is one of at most 2048 of all policies", async () => {
    server.answer = (socket, request) =>
      socket.write(ok(`X-Number: ${String(request.number)}\r\n`));
    const service = { scheme: "http", host: "127.0.0.1", port: server.port, verify: true };
    let most = 0;
    for (let i = 0; i < 10; i += 1) {
      await nginx.call("http_client_case", "request_for_many", service, 24, 100);
      most = Math.max(most, await remembered());
    }
    expect(most).toBeGreaterThan(100);
    expect(most).toBeLessThanOrEqual(2048);
  });
});

describe("a kept connection", () => {
  it("that was closed meanwhile is replaced once", async () => {
    expect(await ask(say(OK))).toBe(200);
    // The service hangs up when the next request comes: the race that keeping connections brings.
    server.answer = (socket, request) => {
      if (request.number > 1) socket.destroy();
      else socket.write(OK);
    };
    expect(await ask()).toBe(200);
    expect(server.connections).toBe(2);
    expect(server.requests.map(({ connection, number }) => [connection, number])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  it("that failed after its answer began is no reason to ask again", async () => {
    expect(await ask(say(OK))).toBe(200);
    expect(await ask(sayAndEnd("HTTP/1.1 2"))).toBe("closed");
    expect(server.requests).toHaveLength(2);
  });

  it("that is silent is no reason to ask again", async () => {
    expect(await ask(say(OK))).toBe(200);
    expect(await ask(say(), { timeout: 0.2 })).toBe("timeout");
    expect(server.requests).toHaveLength(2);
  });

  it("is not tried without end when the service is gone", async () => {
    const answers = Promise.all(Array.from({ length: 5 }, () => ask(say(OK))));
    expect(await answers).toEqual([200, 200, 200, 200, 200]);
    expect(await ask((socket) => socket.destroy())).toMatch(/closed|reset/);
    expect(server.requests.length).toBeLessThanOrEqual(7);
  });
});

it("a service that refuses the connection is told at once", async () => {
  expect(await ask(undefined, {}, await freePort())).toBe("connection refused");
});
