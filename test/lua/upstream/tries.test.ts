import { MOST_HELD } from "../../../src/model/held-bodies.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { Connection, formatRequest } from "../../../e2e/harness/http-client.js";
import { freePort } from "../../support/free-port.js";
import { externalAuth, forwardAuth } from "../../support/forward-auth.js";
import { authPolicy, LuaGateway, type TestRoute } from "../../support/lua-gateway.js";
import {
  drip,
  say,
  sayAndEnd,
  ScriptedServer,
  type Answer,
} from "../../support/scripted-server.js";

const scene = useScene();

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const status = (code: number) => `HTTP/1.1 ${code} Status\r\nContent-Length: 5\r\n\r\nerror`;

/** Answers the requests with these, the last for all that follow. */
function answers(...list: readonly Answer[]): Answer {
  let next = 0;
  return (socket, request) => {
    const answer = list[Math.min(next, list.length - 1)];
    next += 1;
    answer?.(socket, request);
  };
}

const to = (upstream: string): NonNullable<TestRoute["backends"]> => [
  { upstream, weight: 1, protocol: "http" },
];

const LONG = "x".repeat(MOST_HELD);

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "retry.example": { retry: { codes: [500, 503], attempts: 3 } },
  "timeout-code.example": {
    retry: { codes: [504], attempts: 1 },
    deadlines: { backendRequest: 200 },
  },
  "connect.example": { retry: { codes: [], attempts: 5 }, backends: to("half") },
  "never.example": { retry: { codes: [500], attempts: 0 } },
  "other.example": { retry: { codes: [500], attempts: 1 }, backends: to("two") },
  "budget.example": { retry: { codes: [500], attempts: 5 }, deadlines: { request: 400 } },
  "request.example": { deadlines: { request: 300 } },
  "each.example": { deadlines: { backendRequest: 300 } },
  "large-limit.example": { retry: { codes: [503], attempts: 1 }, bodyLimit: 1_000_000 },
  "limited.example": { retry: { codes: [503], attempts: 1 }, bodyLimit: 10 },
  "long.example": { deadlines: { request: 1000 } },
  "six.example": { deadlines: { request: 1000 }, backends: to("six") },
  "plain.example": {},
};

/** Routes whose auth service is on this port. */
function slowAuths(port: number): Readonly<Record<string, TestRoute>> {
  const auths = [{ forward: forwardAuth(port, "/") }, { external: externalAuth(port, "/") }];
  return Object.fromEntries(
    auths.map((methods) => [
      `${Object.keys(methods).join("")}.example`,
      { deadlines: { request: 300 }, auth: [authPolicy(methods)] },
    ]),
  );
}

let backend: ScriptedServer;
let second: ScriptedServer;
let sixth: ScriptedServer;
let gateway: LuaGateway;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  second = await scene.use(ScriptedServer.start());
  sixth = await scene.use(ScriptedServer.start({ address: "::1" }));
  const closed = await freePort();
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: { ...ROUTES, ...slowAuths(second.port) },
      upstreams: [
        { id: "half", endpoints: [endpoint(closed), endpoint(backend.port)] },
        { id: "six", endpoints: [["::1", sixth.port]] },
        { id: "two", endpoints: [endpoint(backend.port), endpoint(second.port)] },
      ],
    }),
  );
});

beforeEach(() => {
  backend.requests.splice(0);
  second.requests.splice(0);
  backend.answer = say(OK);
  second.answer = say(OK);
});

/** How many requests have come; the end of a body in chunks looks like a head, too. */
const takeHeads = () =>
  backend.requests.splice(0).filter(({ head }) => head.includes(" HTTP/1.1\r\n")).length;

const endpoint = (port: number) => ["127.0.0.1", port] as const;

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work;
  return { result, ms: performance.now() - start };
}

describe("retries", () => {
  it("try a code again at the only endpoint until it is another", async () => {
    backend.answer = answers(say(status(500)), say(status(503)), say(OK));
    const response = await gateway.send({ host: "retry.example" });

    expect(response.status).toBe(200);
    expect(backend.requests).toHaveLength(3);
  });

  it("end after the attempts with the last answer of the backend", async () => {
    backend.answer = answers(
      say(status(500)),
      say(status(500)),
      say(status(500)),
      say(status(503)),
    );
    const response = await gateway.send({ host: "retry.example" });

    expect([response.status, response.text]).toEqual([503, "error"]);
    expect(response.reason).toBeUndefined();
    expect(backend.requests).toHaveLength(4);
  });

  it("pass on a code that is not among them", async () => {
    backend.answer = say(status(502));
    const response = await gateway.send({ host: "retry.example" });

    expect([response.status, response.text]).toEqual([502, "error"]);
    expect(backend.requests).toHaveLength(1);
  });

  it("are not made of a route without them", async () => {
    backend.answer = say(status(500));

    expect((await gateway.send({ host: "plain.example" })).status).toBe(500);
    expect((await gateway.send({ host: "never.example" })).status).toBe(500);
    expect(backend.requests).toHaveLength(2);
  });

  it("send the method, target, headers and body again", async () => {
    backend.answer = answers(say(status(503)), say(OK));
    const response = await gateway.send({
      host: "retry.example",
      method: "POST",
      path: "/a%20b?c",
      headers: [["X-Test", "1"]],
      body: LONG,
    });

    expect(response.status).toBe(200);
    const [first, again] = backend.requests.map(({ head }) => head);
    expect(first).toContain("POST /a%20b?c HTTP/1.1");
    expect(first).toContain(`Content-Length: ${MOST_HELD}`);
    expect(again).toBe(first);
  });

  it("prefer another endpoint", async () => {
    backend.answer = say(status(500));
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await gateway.send({ host: "other.example" }));

    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200]);
    expect(second.requests).toHaveLength(4);
  });

  it("are made after failures to connect, whatever the codes", async () => {
    for (let i = 0; i < 4; i++) {
      expect(
        (await gateway.send({ host: "connect.example", method: "POST", body: "a" })).status,
      ).toBe(200);
    }
  });

  it("repeat nothing that may have been done: a POST whose connection broke", async () => {
    backend.answer = (socket) => socket.destroy();
    const response = await gateway.send({ host: "retry.example", method: "POST", body: "a" });

    expect([response.status, response.reason]).toEqual([
      502,
      "BackendError : no valid response from backend",
    ]);
    expect(backend.requests).toHaveLength(1);
  });

  it("are made without a body or with one of known length, by HTTP/2 too", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    const told = { "content-length": String(MOST_HELD) };
    for (const [method, length, tries] of [
      ["GET", undefined, 2],
      ["POST", told, 2],
      ["POST", {}, 1],
    ] as const) {
      for (const host of ["retry.example", "large-limit.example"]) {
        backend.answer = answers(say(status(503)), say(OK));
        const headers = { ":authority": host, ":path": "/", ":method": method, ...length };
        const { status: answered } = await client.send(headers, length && LONG);
        expect([answered, takeHeads()]).toEqual([tries === 2 ? 200 : 503, tries]);
      }
    }
  });

  it.each([
    ["is longer than what is held", { body: "x".repeat(MOST_HELD + 1) }],
    ["has no length", { body: LONG, chunked: true }],
  ])(
    "are not made of a request whose body %s, but where no connection came about",
    async (_, over) => {
      const post = { method: "POST", ...over };
      for (let i = 0; i < 4; i++) {
        expect((await gateway.send({ host: "connect.example", ...post })).status).toBe(200);
      }
      backend.requests.splice(0);
      backend.answer = answers(say(status(503)), say(OK));

      expect((await gateway.send({ host: "retry.example", ...post })).status).toBe(503);
      expect(takeHeads()).toBe(1);
    },
  );

  it("hold a body without a length to its limit", async () => {
    const post = { host: "limited.example", method: "POST", chunked: true };

    expect((await gateway.send({ ...post, body: "0123456789" })).status).toBe(200);
    expect((await gateway.send({ ...post, body: "0123456789a" })).status).toBe(413);
  });
});

describe("a deadline for each try", () => {
  it("answers 504 when the backend is silent", async () => {
    backend.answer = say();
    const { result, ms } = await timed(gateway.send({ host: "each.example" }));

    expect([result.status, result.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(1000);
    expect(backend.requests).toHaveLength(1);
  });

  it("is followed by another try when 504 is among the codes", async () => {
    backend.answer = answers(say(), say(OK));
    const { result, ms } = await timed(gateway.send({ host: "timeout-code.example" }));

    expect(result.status).toBe(200);
    expect(ms).toBeGreaterThan(190);
    expect(backend.requests).toHaveLength(2);
  });

  it("leaves those alone that are in time", async () => {
    backend.answer = drip(["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "ab", "cd"], 50);

    expect((await gateway.send({ host: "each.example" })).text).toBe("abcd");
  });
});

describe("a deadline for the whole answer", () => {
  it("answers 504 for a header that drips", async () => {
    const head = ["HTTP/1.1 200 OK\r\n", ...Array.from({ length: 20 }, () => "A: b\r\n")];
    backend.answer = drip(head, 100);
    const { result, ms } = await timed(gateway.send({ host: "request.example" }));

    expect([result.status, result.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(ms).toBeLessThan(1000);
  });

  it.each(["forward", "external"])("bounds auth of the kind %s, too", async (kind) => {
    second.answer = say();
    const { result, ms } = await timed(gateway.send({ host: `${kind}.example` }));

    expect([result.status, result.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(ms).toBeLessThan(1000);
    expect(backend.requests).toHaveLength(0);
  });

  it("bounds all tries together", async () => {
    backend.answer = (socket) => setTimeout(() => socket.write(status(500)), 150);
    const { result, ms } = await timed(gateway.send({ host: "budget.example" }));

    expect([result.status, result.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(backend.requests).toHaveLength(3);
    expect(ms).toBeGreaterThan(390);
    expect(ms).toBeLessThan(1000);
  });

  it.each([
    ["with a length", "Content-Length: 100\r\n\r\n", "ab"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"],
    ["that ends with its connection", "Connection: close\r\n\r\n", "ab"],
  ])("ends a response %s that drips", async (_, headers, part) => {
    backend.answer = drip([`HTTP/1.1 200 OK\r\n${headers}`, ...Array<string>(30).fill(part)], 50);
    const { ms } = await timed(expect(gateway.send({ host: "request.example" })).rejects.toThrow());

    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(1000);
  });

  it.each(["long.example", "six.example"])(
    "ends a response that falls silent, without waiting as long again: %s",
    async (host) => {
      const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
      const answer = drip([head, ...Array<string>(8).fill("ab")], 100);
      backend.answer = answer;
      sixth.answer = answer;
      const { ms } = await timed(expect(gateway.send({ host })).rejects.toThrow());

      expect(ms).toBeGreaterThan(990);
      expect(ms).toBeLessThan(1600);
    },
  );

  it("does not touch the next request of the same connection", async () => {
    const connection = await Connection.open(gateway.target());
    try {
      for (let i = 0; i < 3; i++) {
        backend.answer = drip([OK], 0);
        expect((await connection.send({ host: "request.example" })).text).toBe("ok");
        backend.answer = (socket) => setTimeout(() => socket.write(OK), 400);
        expect((await connection.send({ host: "plain.example" })).text).toBe("ok");
      }
    } finally {
      connection.close();
    }
  });

  it("ends with the handshake of a tunnel", async () => {
    const upgrade = [
      ["Connection", "Upgrade"],
      ["Upgrade", "websocket"],
    ] as const;
    const accept =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    backend.answer = (socket) => {
      socket.write(accept);
      setTimeout(() => socket.write("later"), 700);
    };
    const connection = await Connection.open(gateway.target());
    try {
      connection.write(formatRequest({ host: "request.example", headers: upgrade }));
      expect((await connection.receiveHead()).status).toBe(101);
      expect((await connection.reader.bytes(5)).toString()).toBe("later");
    } finally {
      connection.close();
    }
    backend.answer = say();
    const { result } = await timed(gateway.send({ host: "request.example", headers: upgrade }));

    expect([result.status, result.reason]).toEqual([504, "TimeoutViaAlb"]);
  });

  it("lets a backend that hangs up early be what it is", async () => {
    backend.answer = sayAndEnd("");
    const response = await gateway.send({ host: "request.example", method: "POST", body: "a" });

    expect([response.status, response.reason]).toEqual([
      502,
      "BackendError : no valid response from backend",
    ]);
  });
});

it("logs no error of its own", () => {
  expect(gateway.newLog()).not.toMatch(
    /\[(alert|crit|emerg)\]|attempt to|lua entry thread aborted/,
  );
});
