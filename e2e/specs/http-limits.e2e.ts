import { once } from "node:events";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { sendBytes } from "../harness/http-client.js";
import { ingress, nginx, service, yaml } from "../harness/manifests.js";
import { peakMemory } from "../harness/processes.js";
import { useScene } from "../harness/scene.js";

const scene = useScene();
const HOST = "web.example";
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** What a worker may need more than at rest while a large body passes; far below the body's size. */
const HEADROOM = 24 * MIB;
let gateway: Gateway;
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    Gateway.start({
      files: {
        "web.yaml": yaml(
          service("web", [{ port: backend.port }]),
          ingress("web", { hosts: { [HOST]: [{ service: "web" }] } }),
          ingress("small", {
            annotations: nginx({ "proxy-body-size": "1k" }),
            hosts: { "small.example": [{ service: "web" }] },
          }),
        ),
      },
    }),
  );
});

async function memoryOfWorkers(): Promise<number[]> {
  return Promise.all((await gateway.workerPids()).map(peakMemory));
}

/** Growth of the largest peak of the workers while `work` is done, in bytes. */
async function growth(work: () => Promise<void>): Promise<number> {
  // Settles what a first request allocates for good.
  for (let i = 0; i < 20; i += 1) await gateway.send({ host: HOST });
  const before = await memoryOfWorkers();
  await work();
  const after = await memoryOfWorkers();
  return Math.max(...after.map((bytes, index) => bytes - (before[index] ?? 0)));
}

describe("a body of 1 GB", () => {
  it("is streamed to the backend", async () => {
    const part = Buffer.alloc(4 * MIB, "up");
    const grown = await growth(async () => {
      const connection = await gateway.connect();
      connection.reader.deadline = 60_000;
      connection.write(`POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${GIB}\r\n\r\n`);
      for (let sent = 0; sent < GIB; sent += part.length) await connection.writeSlowly(part);
      const echo = echoOf(await connection.receive());
      connection.close();
      expect(echo.bodyLength).toBe(GIB);
    });

    expect(grown).toBeLessThan(HEADROOM);
  });

  it("is streamed to the client", async () => {
    const part = Buffer.alloc(MIB, "down");
    backend.on("/large", (_, response) => {
      void (async () => {
        response.writeHead(200, { "content-length": String(GIB) });
        for (let sent = 0; sent < GIB; sent += part.length) {
          if (!response.write(part)) await once(response, "drain");
        }
        response.end();
      })();
    });
    const grown = await growth(async () => {
      const connection = await gateway.connect();
      connection.write(`GET /large HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
      await connection.receiveHead();
      let received = 0;
      while (received < GIB) received += (await connection.reader.some()).length;
      connection.close();
      expect(received).toBe(GIB);
    });

    expect(grown).toBeLessThan(HEADROOM);
  });
});

describe("the limits", () => {
  it("answer 414 for a request line above 16 KiB", async () => {
    const response = await gateway.send({ host: HOST, path: `/${"x".repeat(17_000)}` });

    expect(response.status).toBe(414);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("let a request line of 15 KiB pass", async () => {
    const path = `/${"x".repeat(15_000)}`;

    expect(echoOf(await gateway.send({ host: HOST, path })).url).toBe(path);
  });

  it("answer 431 for a header line above 16 KiB", async () => {
    const response = await gateway.send({ host: HOST, headers: [["X-Big", "y".repeat(17_000)]] });

    expect(response.status).toBe(431);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("answer 431 for a header of more than 64 KiB in all", async () => {
    const headers = Array.from({ length: 9 }, (_, i) => [`X-${i}`, "z".repeat(9_000)] as const);
    const response = await gateway.send({ host: HOST, headers });

    expect(response.status).toBe(431);
  });

  it.each([
    ["a length", false],
    ["chunks", true],
  ])("answer 413 for a body that is too large, sent with %s", async (_, chunked) => {
    const body = "b".repeat(1025);
    const request = { host: "small.example", method: "POST", chunked };
    const response = await gateway.send({ ...request, body });

    expect(response.status).toBe(413);
    expect(response.reason).toBe("BadRequest : request body too large");
    expect(echoOf(await gateway.send({ ...request, body: "b".repeat(1024) })).bodyLength).toBe(
      1024,
    );
  });

  it.each([
    ["chunked", true],
    ["with a length", false],
  ])("are not raised by Content_Length, for a body %s", async (_, chunked) => {
    const headers = [["Content_Length", "5"]] as const;
    const request = { host: "small.example", method: "POST", chunked, headers };

    expect((await gateway.send({ ...request, body: "b".repeat(1025) })).status).toBe(413);
    const echo = echoOf(await gateway.send({ ...request, body: "b".repeat(1024) }));
    expect([echo.bodyLength, echo.all("Content_Length")]).toEqual([1024, []]);
  });

  it.each([
    ["no HTTP", "what is this\r\n\r\n"],
    ["a header without a colon", `GET / HTTP/1.1\r\nHost: ${HOST}\r\nbroken line\r\n\r\n`],
    ["a control character in the target", `GET /\x01 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
    ["a NUL in the path", `GET /a%00b HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
    ["an invalid escape", `GET /%zz HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
    [
      "a length and chunks",
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "two lengths",
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    ],
    [
      "a length that is no number",
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: +3\r\n\r\nabc`,
    ],
  ])("answer 400 for %s", async (_, bytes) => {
    const response = await sendBytes(gateway.target(), bytes);

    expect(response.status).toBe(400);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it.each(["TRACE", "CONNECT"])("answer 405 or 400 for %s", async (method) => {
    const path = method === "CONNECT" ? `${HOST}:80` : "/";
    const response = await gateway.send({ host: HOST, method, path });

    expect([400, 405]).toContain(response.status);
    expect(response.reason).toMatch(/^BadRequest : /);
  });

  it("do not touch an error that the backend makes", async () => {
    backend.on("/own-error", (_, response) =>
      response.writeHead(503, { "x-own": "1" }).end("mine"),
    );
    const response = await gateway.send({ host: HOST, path: "/own-error" });

    expect(response.status).toBe(503);
    expect(response.text).toBe("mine");
    expect(response.reason).toBeUndefined();
  });
});
