import { once } from "node:events";
import { selfSigned } from "../harness/certificates.js";
import { EchoBackend, asking, echoOf } from "../harness/echo-backend.js";
import { Gateway } from "../harness/gateway.js";
import { formatChunk } from "../harness/http-client.js";
import { readChunk } from "../harness/http-message.js";
import { Http2Client } from "../harness/http2-client.js";
import { ingress, service, tlsSecret, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { within } from "../harness/wait.js";
import { WebSocketClient } from "../harness/websocket.js";

const scene = useScene();
const HOST = "web.example";
let gateway: Gateway;
let backend: EchoBackend;

beforeAll(async () => {
  backend = await scene.use(EchoBackend.start("web"));
  gateway = await scene.use(
    Gateway.start({
      files: {
        "web.yaml": yaml(
          service("web", [{ port: backend.port }]),
          tlsSecret("web-tls", await selfSigned(HOST)),
          ingress("web", {
            tls: [{ hosts: [HOST], secretName: "web-tls" }],
            annotations: { "nginx.ingress.kubernetes.io/ssl-redirect": "false" },
            hosts: { [HOST]: [{ service: "web" }] },
          }),
          ingress("any", { hosts: { "": [{ path: "/any", service: "web" }] } }),
        ),
      },
    }),
  );
});

describe("HTTP/1.1", () => {
  it("serves several requests on one client connection", async () => {
    const connection = await gateway.connect();
    for (const path of ["/1", "/2", "/3"]) {
      expect(echoOf(await connection.send({ host: HOST, path })).url).toBe(path);
    }
    connection.close();
  });

  it("answers pipelined requests in order", async () => {
    const connection = await gateway.connect();
    connection.write(
      ["/1", "/2", "/3"].map((p) => `GET ${p} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`).join(""),
    );
    for (const path of ["/1", "/2", "/3"])
      expect(echoOf(await connection.receive()).url).toBe(path);
    connection.close();
  });

  it("keeps its connections to the backend", async () => {
    const before = backend.connections;
    for (let i = 0; i < 40; i += 1) await gateway.send({ host: HOST });

    // Each worker has its own, and needs one at a time.
    expect(backend.connections - before).toBeLessThanOrEqual(2);
  });

  it("sends no body for HEAD and keeps the length", async () => {
    const response = await gateway.send({ host: HOST, method: "HEAD", headers: [asking({})] });

    expect(response.status).toBe(200);
    expect(response.body).toHaveLength(0);
    expect(Number(response.header("content-length"))).toBeGreaterThan(0);
  });

  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "forwards %s with its body",
    async (method) => {
      const echo = echoOf(await gateway.send({ host: HOST, method, body: "content" }));

      expect(echo).toMatchObject({ method, bodyLength: 7 });
      expect(echo.header("content-length")).toBe("7");
    },
  );

  it("forwards repeated header lines, and answers', as they are", async () => {
    const response = await gateway.send({
      host: HOST,
      headers: [
        ["X-Many", "one"],
        ["X-Many", "two"],
        asking({
          headers: [
            ["Set-Cookie", "a=1"],
            ["Set-Cookie", "b=2"],
            ["X-Answer", "y"],
          ],
        }),
      ],
    });

    expect(echoOf(response).all("x-many")).toEqual(["one", "two"]);
    expect(response.all("set-cookie")).toEqual(["a=1", "b=2"]);
    expect(response.header("x-answer")).toBe("y");
  });

  it("asks for the body with 100 Continue", async () => {
    const connection = await gateway.connect();
    connection.write(
      `POST / HTTP/1.1\r\nHost: ${HOST}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    );
    expect(await connection.reader.line()).toMatch(/^HTTP\/1\.1 100/);
    expect(await connection.reader.line()).toBe("");
    connection.write("hello");
    const echo = echoOf(await connection.receive());
    connection.close();

    expect(echo.bodyLength).toBe(5);
  });

  it("answers HTTP/1.0 with an end of the connection", async () => {
    const connection = await gateway.connect();
    connection.write(`GET /old HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`);
    const response = await connection.receive();
    await connection.reader.rest();

    expect(echoOf(response).url).toBe("/old");
    expect(connection.reader.ended).toBe(true);
  });

  it.each([
    ["its own address", "127.0.0.1", "/any", "127.0.0.1"],
    ["its own IPv6 address", "::1", "/any", "[::1]"],
    ["what the target says", "127.0.0.1", `http://${HOST}:80/any`, HOST],
  ])("names %s to backends where HTTP/1.0 names no host", async (_, address, target, host) => {
    const connection = await gateway.connect({ address });
    connection.write(`GET ${target} HTTP/1.0\r\n\r\n`);
    const echo = echoOf(await connection.receive());
    connection.close();

    expect([echo.url, echo.header("host")]).toEqual(["/any", host]);
  });

  it("listens on IPv6 too", async () => {
    const echo = echoOf(await gateway.send({ host: HOST, address: "::1" }));

    expect(echo.header("x-real-ip")).toBe("::1");
  });
});

describe("streaming", () => {
  it("passes each server-sent event on when it comes", async () => {
    const next: (() => void)[] = [];
    backend.on("/events", (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
      next.push(
        () => response.write("data: 2\n\n"),
        () => response.end("data: 3\n\n"),
      );
    });
    const connection = await gateway.connect();
    connection.write(`GET /events HTTP/1.1\r\nHost: ${HOST}\r\nAccept: text/event-stream\r\n\r\n`);
    const head = await connection.receiveHead();
    const events = [String(await readChunk(connection.reader))];
    for (const send of next) {
      send();
      events.push(String(await readChunk(connection.reader)));
    }
    connection.close();

    expect(head.headers).toContainEqual(["Content-Type", "text/event-stream"]);
    expect(events).toEqual(["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]);
  });

  it("passes each part of a chunked request on when it comes", async () => {
    const parts: string[] = [];
    const arrived = new Promise<void>((resolve) => {
      backend.on("/upload", (request, response) => {
        request.on("data", (chunk: Buffer) => {
          parts.push(chunk.toString());
          resolve();
        });
        request.on("end", () => response.end(parts.join("|")));
      });
    });
    const connection = await gateway.connect();
    connection.write(
      `POST /upload HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    connection.write(formatChunk(Buffer.from("first")));
    await within("the first part's way to the backend", arrived);
    expect(parts).toEqual(["first"]);
    connection.write(Buffer.concat([formatChunk(Buffer.from("second")), formatChunk()]));
    const response = await connection.receive();
    connection.close();

    expect(response.text).toBe("first|second");
  });

  it("tells the backend when the client goes away", async () => {
    const gone = new Promise<void>((resolve) => {
      backend.on("/forever", (request, response) => {
        response.write("started");
        request.socket.on("close", () => resolve());
      });
    });
    const connection = await gateway.connect();
    connection.write(`GET /forever HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await connection.receiveHead();
    connection.close();

    await expect(within("the backend's notice", gone)).resolves.toBeUndefined();
  });

  it("ends an answer that the backend breaks off as broken", async () => {
    backend.on("/broken", (request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => request.socket.resetAndDestroy());
    });

    await expect(gateway.send({ host: HOST, path: "/broken" })).rejects.toThrow(/ended/);
  });
});

describe("HTTP/2", () => {
  it("is served in clear text with prior knowledge, with many requests at once", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
    const responses = await Promise.all(
      paths.map((path) => client.send({ ":path": path, ":authority": HOST })),
    );

    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(responses.map(({ body }) => (JSON.parse(String(body)) as { url: string }).url)).toEqual(
      paths,
    );
  });

  it("is agreed on by TLS", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpsPort, servername: HOST }));
    const body = Buffer.alloc(1_000_000, "b");
    const response = await client.send(
      { ":path": "/", ":method": "POST", ":authority": HOST },
      body,
    );

    expect(client.alpn).toBe("h2");
    expect(JSON.parse(String(response.body))).toMatchObject({
      method: "POST",
      bodyLength: 1_000_000,
    });
  });

  it("carries the reason of an error", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.httpPort }));
    const response = await client.send({ ":path": "/", ":authority": "nobody.example" });

    expect(response.status).toBe(404);
    expect(response.headers["x-alb-err-reason"]).toBe("InvalidUpstream : no rule match");
  });
});

describe("upgrades", () => {
  it("let a WebSocket through", async () => {
    const connection = await gateway.connect();
    const { head, client } = await WebSocketClient.upgrade(connection, { host: HOST, path: "/ws" });
    expect(head.status).toBe(101);
    expect(await client?.exchange("one")).toBe("one");
    expect(await client?.exchange("two")).toBe("two");
    connection.close();
    await once(connection.socket, "close");
  });

  it("let a WebSocket through TLS", async () => {
    const connection = await gateway.connect({ tls: { servername: HOST } });
    const { client } = await WebSocketClient.upgrade(connection, { host: HOST, path: "/ws" });
    expect(await client?.exchange("over TLS")).toBe("over TLS");
    connection.close();
  });

  it.each(["h2c", "foo", "h2c, websocket"])("to %j never reach the backend", async (upgrade) => {
    const response = await gateway.send({
      host: HOST,
      headers: [
        ["Connection", "Upgrade, HTTP2-Settings"],
        ["Upgrade", upgrade],
        ["HTTP2-Settings", "AAMAAABkAAQAAP__"],
      ],
    });
    const echo = echoOf(response);

    expect(echo.all("upgrade")).toEqual([]);
    expect(echo.all("connection").join().toLowerCase()).not.toContain("upgrade");
  });
});
