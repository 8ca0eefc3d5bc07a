import type { PathRewrite } from "../../../src/model/filters.js";
import { fc } from "../../support/fast-check.js";
import { echoOf } from "../../../e2e/harness/echo-backend.js";
import { readVectors } from "../../support/vectors.js";
import { type FilterServer, startFilterServer } from "./filter-server.js";

interface Vector {
  readonly name: string;
  readonly rewrite: PathRewrite;
  /** Request target as received, and the normalised path that nginx makes of it. */
  readonly target: string;
  readonly path: string;
  /** New target; null: the rewrite does not apply. */
  readonly expected: string | null;
}

let nginx: FilterServer;
beforeAll(async () => {
  nginx = await startFilterServer();
});
afterAll(() => nginx.stop());

describe.each(["path-rewrite", "regex-rewrite"])("vectors of %s", (table) => {
  it.each(readVectors(table) as readonly Vector[])("$name", async (vector) => {
    const { rewrite, target, path, expected } = vector;
    const response = await nginx.send({ route: { rewrite } }, { path: target });

    expect(echoOf(response).url).toBe(expected ?? target);
    const normalised = Buffer.from(response.header("x-test-path") ?? "", "base64");
    expect(normalised.toString("utf8")).toBe(path);
  });
});

describe("rewrites in place", () => {
  const send = async (rewrite: PathRewrite, path: string) =>
    echoOf(await nginx.send({ route: { rewrite }, inPlace: true }, { path })).url;

  it("give the backend the new path and the query as received", async () => {
    expect(await send(["prefix", "/foo", "/xyz"], "/foo/a?b=%20c&d")).toBe("/xyz/a?b=%20c&d");
    expect(await send(["full", "/pkg.Service/Method"], "/foo")).toBe("/pkg.Service/Method");
  });

  it("mean the same path, spelled as nginx does", async () => {
    expect(await send(["prefix", "/foo", "/x+y z"], "/foo/a%20b%3Fc%25%C3%A4+d")).toBe(
      "/x+y%20z/a%20b%3Fc%25%C3%A4+d",
    );
  });

  it("replace and drop the query as the replacement says", async () => {
    const query = ["regex", "^/u/(.*)$", "", ["/user?name=", [1, "query"]], true] as const;
    const dropped = ["regex", "^/u/(.*)$", "", ["/user/", [1, "path"], "?"], true] as const;

    expect(await send(query, "/u/ann?x=1")).toBe("/user?name=ann&x=1");
    expect(await send(dropped, "/u/ann?x=1")).toBe("/user/ann");
  });

  it("leave a request alone that they do not apply to", async () => {
    expect(await send(["prefix", "/foo", "/xyz"], "/b%2Fc?d")).toBe("/b%2Fc?d");
  });
});

describe("rewrites", () => {
  it("refuse a request whose expression backtracks beyond the limit", async () => {
    const rewrite = ["regex", "^/(a+)+$", "", ["/x"], true] as const;
    const path = `/${"a".repeat(40)}!`;
    const response = await nginx.send({ route: { rewrite } }, { path });

    expect(response.status).toBe(500);
    expect(nginx.errorLog()).toContain("rewrite of route test: ");
  });

  it("give a legal target that ends as the request did, whatever the replacement", async () => {
    const text = fc.string({ unit: "binary", maxLength: 12 }).map((s) => s.replaceAll("\0", ""));
    await fc.assert(
      fc.asyncProperty(text, text, async (replacement, rest) => {
        const path = `/p/${encodeURIComponent(rest)}`;
        const rewrite = ["prefix", "/p", replacement] as const;
        const response = await nginx.send({ route: { rewrite } }, { path });
        if (response.status === 400) return; // It climbs above the root.

        const { url } = echoOf(response);
        expect(url).toMatch(/^\/(?!\/)(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/);
        expect(url.endsWith(`/${encodeURIComponent(rest)}`) || rest.includes(".")).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
