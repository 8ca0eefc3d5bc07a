import { useScene } from "../../../e2e/harness/scene.js";
import { LuaGateway } from "../../support/lua-gateway.js";
import { say, ScriptedServer } from "../../support/scripted-server.js";

const scene = useScene();
let gateway: LuaGateway;
let backend: ScriptedServer;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: {
        "plain.example": {},
        "filtered.example": { host: "inner.example" },
        "deadline.example": { deadlines: { request: 5000 } },
      },
    }),
  );
});

// A backend may close a connection at the moment when the gateway takes it again. nginx then repeats the request, and asks for an endpoint
// anew.
test.each(["plain.example", "filtered.example", "deadline.example"])(
  "a request of %s on a connection that the backend has closed is sent again",
  async (host) => {
    const answer = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    backend.answer = (socket, request) => {
      if (request.number === 1) answer(socket, request);
      else socket.resetAndDestroy();
    };
    for (let sent = 0; sent < 6; sent += 1) {
      expect((await gateway.send({ host })).status).toBe(200);
    }
    expect(backend.requests.some(({ number }) => number > 1)).toBe(true);
  },
);
