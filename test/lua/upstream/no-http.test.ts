import { Connection } from "../../../e2e/harness/http-client.js";
import { Http2Client } from "../../../e2e/harness/http2-client.js";
import { useScene } from "../../../e2e/harness/scene.js";
import { LuaGateway } from "../../support/lua-gateway.js";
import { say, sayAndEnd, ScriptedServer } from "../../support/scripted-server.js";

const scene = useScene();
const REASON = "BackendError : no valid response from backend";
let gateway: LuaGateway;
let backend: ScriptedServer;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  const pages = await scene.use(ScriptedServer.start());
  pages.answer = say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage");
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "plain.example": {},
        "filtered.example": { host: "inner.example", bodyLimit: 10 },
        "deadline.example": { deadlines: { request: 5000 } },
        "pages.example": { errorPages: { statuses: [502, 599], upstream: "pages" } },
      },
      upstreams: [{ id: "pages", endpoints: [["127.0.0.1", pages.port]] }],
    }),
  );
});

/** With a body that is a response: a client takes it for one after a status below 200. */
const status = (code: string): string =>
  `HTTP/1.1 ${code} Odd\r\nContent-Length: 38\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`;

/** nginx would pass each of them on as it is, to a client that takes it for the next response on its connection. */
describe.each([
  ...["raw bytes", "HTTP/2 200 OK\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n", "<script>\n"],
  ...["000", "012", "100", "101", "199"].map(status),
])("a backend that answers %j", (text) => {
  beforeEach(() => {
    backend.answer = sayAndEnd(text);
  });

  it.each(["plain.example", "filtered.example", "deadline.example", "pages.example"])(
    "is a 502 with its reason for %s",
    async (host) => {
      for (const method of ["GET", "HEAD", "POST"]) {
        const connection = await Connection.open(gateway.target());
        const response = await connection.send({ host, method });
        const rest = await connection.reader.rest();
        connection.close();

        expect([method, response.status, response.reason]).toEqual([method, 502, REASON]);
        expect(rest.toString("latin1")).toBe("");
      }
    },
  );

  it("is the same by HTTP/2", async () => {
    const client = await scene.use(Http2Client.open({ port: gateway.nginx.port }));
    for (const host of ["plain.example", "deadline.example", "pages.example"]) {
      const response = await client.send({ ":path": "/", ":authority": host });
      expect([response.status, response.headers["x-alb-err-reason"]]).toEqual([502, REASON]);
      expect(response.body.toString()).not.toContain("script");
    }
  });
});
