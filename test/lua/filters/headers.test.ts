import type { HeaderChanges } from "../../../src/model/filters.js";
import { echoOf } from "../../../e2e/harness/echo-backend.js";
import type { HeaderLines } from "../../../e2e/harness/http-message.js";
import { readVectors } from "../../support/vectors.js";
import { type FilterServer, startFilterServer } from "./filter-server.js";

interface Vector {
  readonly name: string;
  readonly changes: HeaderChanges;
  readonly before: HeaderLines;
  /** Lines afterwards, by name in lower case. */
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

const vectors = readVectors("header-changes") as readonly Vector[];

let nginx: FilterServer;
beforeAll(async () => {
  nginx = await startFilterServer();
});
afterAll(() => nginx.stop());

/** The lines of a message whose names a vector has an opinion on. */
function linesOf(message: { all(name: string): string[] }, { expected }: Vector) {
  return Object.fromEntries(Object.keys(expected).map((name) => [name, message.all(name)]));
}

describe("vectors of header-changes", () => {
  it.each(vectors)("request: $name", async (vector) => {
    const route = { requestHeaders: vector.changes };
    const response = await nginx.send({ route }, { headers: vector.before });

    expect(linesOf(echoOf(response), vector)).toEqual(vector.expected);
  });

  it.each(vectors)("response: $name", async (vector) => {
    const route = { responseHeaders: vector.changes };
    const response = await nginx.send({ route, answer: { headers: vector.before } }, {});

    expect(response.status).toBe(200);
    expect(linesOf(response, vector)).toEqual(vector.expected);
  });
});

/** The compiler refuses them; a policy that has them all the same can't break the message. */
describe("vectors of special-headers", () => {
  it.each(readVectors("special-headers") as readonly { name: string; response: boolean }[])(
    "response: $name",
    async ({ name, response: may }) => {
      const set = [[name, "5"]] as const;
      const changed = await nginx.send({ route: { responseHeaders: { set } } }, {});

      expect(changed.all(name).includes("5")).toBe(may);
    },
  );
});

/** Of these ngx_lua keeps one line: an addition replaces what is there unless somebody takes care. */
describe("additions to headers of which there is one line", () => {
  const values = (lines: readonly string[]): string => lines.join(",").replaceAll(", ", ",");

  it.each([
    ...["Accept-Encoding", "Authorization", "Content-Type", "Date", "Depth", "Destination"],
    ...["If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since"],
    ...["Overwrite", "Range", "Referer", "User-Agent", "Via"],
    ...["Accept", "Cache-Control", "Cookie", "Origin", "X-Other"],
  ])("request: %s", async (name) => {
    const route = { requestHeaders: { add: [[name, "new"]] as const } };
    const there = await nginx.send({ route }, { headers: [[name, "old"]] });
    const absent = await nginx.send({ route }, {});

    expect(values(echoOf(there).all(name))).toBe("old,new");
    expect(values(echoOf(absent).all(name))).toBe("new");
  });

  it.each([
    ...["Accept-Ranges", "Content-Encoding", "Content-Type", "ETag", "Location", "Refresh"],
    ...["Content-Range", "Expires"],
    ...["Cache-Control", "Link", "Set-Cookie", "Vary", "Via", "X-Other"],
  ])("response: %s", async (name) => {
    const route = { responseHeaders: { add: [[name, "new"]] as const } };
    const there = await nginx.send({ route, answer: { headers: [[name, "old"]] } }, {});
    const absent = await nginx.send({ route }, {});

    expect(values(there.all(name))).toBe("old,new");
    expect(values(absent.all(name))).toBe("new");
  });
});

describe("request headers", () => {
  const send = async (requestHeaders: HeaderChanges) =>
    echoOf(await nginx.send({ route: { requestHeaders } }, { host: "a.example" }));

  it("take the Host that is set", async () => {
    const echo = await send({ set: [["Host", "b.example"]] });

    expect(echo.all("host")).toEqual(["b.example"]);
  });

  it("keep the client's Host when it is to be removed or added to", async () => {
    const echo = await send({ remove: ["host"], add: [["HOST", "b.example"]] });

    expect(echo.all("host")).toEqual(["a.example"]);
  });

  it("keep the body's length", async () => {
    const response = await nginx.send(
      { route: { requestHeaders: { remove: ["content-length"], set: [["content-length", "1"]] } } },
      { method: "POST", body: "hello" },
    );

    expect(echoOf(response).bodyLength).toBe(5);
  });
});

describe("response headers", () => {
  it("are changed on errors of the backend too", async () => {
    const route = { responseHeaders: { set: [["X-A", "1"]] as const } };
    const response = await nginx.send({ route, answer: { status: 503 } }, {});

    expect(response.status).toBe(503);
    expect(response.header("x-a")).toBe("1");
  });

  it("can lose what nginx writes itself", async () => {
    const route = { responseHeaders: { remove: ["server", "date"] } };
    const response = await nginx.send({ route }, {});

    expect(response.all("server")).toEqual([]);
    expect(response.all("date")).toEqual([]);
  });

  it("keep cookies on lines of their own", async () => {
    const route = { responseHeaders: { add: [["Set-Cookie", "b=2"]] as const } };
    const answer = { headers: [["Set-Cookie", "a=1, x"]] as const };
    const response = await nginx.send({ route, answer }, {});

    expect(response.all("set-cookie")).toEqual(["a=1, x", "b=2"]);
  });
});
