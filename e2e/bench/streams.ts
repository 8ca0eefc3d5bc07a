/**
 * A process of its own: streams PORT
 * A backend for what takes long: GET answers with 1 MiB, POST reads the whole body, `…/events` sends one event and stays,
 * WebSockets stay too.
 */
import { createServer } from "node:http";
import { echoWebSocket } from "../harness/websocket.js";

const port = Number(process.argv[2]);
const MEBIBYTE = Buffer.alloc(2 ** 20, "b");

const server = createServer((request, response) => {
  if (request.url?.endsWith("/events")) {
    // nginx passes the event on at once.
    response.writeHead(200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    response.write("data: hello\n\n");
    return;
  }
  const body = request.method === "GET" ? MEBIBYTE : Buffer.from("ok");
  request.resume().on("end", () => {
    response.writeHead(200, { "Content-Length": body.length }).end(body);
  });
});
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
server.on("upgrade", echoWebSocket);
server.listen(port, "127.0.0.1");
