/** Error pages of routes that Ingresses can't have: with deadlines, retries and several endpoints. */
import { useScene } from "../../e2e/harness/scene.js";
import { freePort } from "../support/free-port.js";
import { LuaGateway, type TestRoute } from "../support/lua-gateway.js";
import { say, ScriptedServer } from "../support/scripted-server.js";

const scene = useScene();

const answer = (code: number, body: string) =>
  `HTTP/1.1 ${code} Status\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const errorPages = { statuses: [404, 503, 504], upstream: "pages" };
const both = [{ upstream: "both", weight: 1, protocol: "http" }] as const;
const short = { connect: 1000, send: 1000, read: 200 };

const ROUTES: Readonly<Record<string, TestRoute>> = {
  "plain.example": { errorPages },
  "deadline.example": { errorPages, deadlines: { request: 200 } },
  "retry.example": { errorPages, retry: { codes: [503], attempts: 2 } },
  "timeout.example": { errorPages, timeouts: short, backends: both },
  "status.example": {
    errorPages: { statuses: [404], upstream: "pages" },
    ...{ timeouts: short, backends: both },
  },
  "of-gateway.example": {},
};

let backend: ScriptedServer;
let pages: ScriptedServer;
let gateway: LuaGateway;

beforeAll(async () => {
  backend = await scene.use(ScriptedServer.start());
  pages = await scene.use(ScriptedServer.start());
  const closed = await freePort();
  gateway = await scene.use(
    LuaGateway.start({
      backend: backend.port,
      routes: ROUTES,
      upstreams: [
        { id: "pages", endpoints: [["127.0.0.1", pages.port]] },
        {
          id: "both",
          endpoints: [
            ["127.0.0.1", backend.port],
            ["127.0.0.1", closed],
          ],
        },
      ],
      options: {
        errorPages: {
          statuses: [404, 500],
          files: {
            "404.html": "<p>gone</p>",
            "404.json": '{"error":404}',
            "5xx.html": "<p>broken</p>",
          },
        },
      },
    }),
  );
  pages.answer = say(answer(200, "page"));
});

beforeEach(() => {
  backend.requests.splice(0);
  pages.requests.splice(0);
  backend.answer = say(answer(200, "fine"));
});

const never = () => undefined;

describe("a page of a Service", () => {
  it("replaces the error of a backend", async () => {
    backend.answer = say(answer(404, "error"));
    const response = await gateway.send({ host: "plain.example", path: "/a" });

    expect([response.status, response.text]).toEqual([200, "page"]);
    expect(pages.take().head).toMatch(/^GET \/ HTTP\/1.1\r\n/);
  });

  it("replaces the 504 of a deadline, which ends with it", async () => {
    backend.answer = never;
    const response = await gateway.send({ host: "deadline.example" });

    expect([response.status, response.text]).toEqual([200, "page"]);
    expect(pages.take().head).toContain("\r\nX-Code: 504\r\n");
  });

  it("replaces the last answer after retries", async () => {
    backend.answer = say(answer(503, "error"));
    const response = await gateway.send({ host: "retry.example" });

    expect(response.text).toBe("page");
    expect(backend.requests).toHaveLength(3);
  });

  it("replaces the 504 of a backend with further endpoints", async () => {
    backend.answer = never;
    const response = await gateway.send({ host: "timeout.example" });

    expect(response.text).toBe("page");
    expect(pages.take().head).toContain("\r\nX-Code: 504\r\n");
  });

  it("leaves a 504 that has no page as it is, with its reason", async () => {
    backend.answer = never;
    const response = await gateway.send({ host: "status.example" });

    expect([response.status, response.reason]).toEqual([504, "TimeoutViaAlb"]);
    expect(response.text).toContain("<h1>504 Gateway Time-out</h1>");
  });

  it("is not asked for an answer without error", async () => {
    for (const host of ["plain.example", "deadline.example", "retry.example"]) {
      expect((await gateway.send({ host })).text).toBe("fine");
    }
    expect(pages.requests).toHaveLength(0);
  });
});

describe("a file of the gateway", () => {
  it("replaces errors of routes without their own, with their status", async () => {
    backend.answer = say(answer(404, "error"));
    const response = await gateway.send({ host: "of-gateway.example" });

    expect([response.status, response.text]).toEqual([404, "<p>gone</p>"]);
    expect(response.header("content-type")).toBe("text/html; charset=utf-8");
  });

  it("is JSON for clients that want JSON", async () => {
    const headers = [["Accept", "application/json"]] as const;
    const response = await gateway.send({ host: "unknown.example", headers });

    expect([response.status, response.text]).toEqual([404, '{"error":404}']);
    expect(response.header("content-type")).toBe("application/json");
    expect(response.reason).toBe("InvalidUpstream : no rule match");
  });

  it("may be for a class of statuses", async () => {
    backend.answer = say(answer(500, "error"));

    expect((await gateway.send({ host: "of-gateway.example" })).text).toBe("<p>broken</p>");
  });

  it("has no body for HEAD", async () => {
    const response = await gateway.send({ method: "HEAD", host: "unknown.example" });

    expect([response.status, response.text]).toEqual([404, ""]);
    expect(response.header("content-length")).toBe("11");
  });

  it("leaves other statuses alone", async () => {
    backend.answer = say(answer(503, "error"));

    expect((await gateway.send({ host: "of-gateway.example" })).text).toBe("error");
  });
});
