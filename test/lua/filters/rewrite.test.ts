import fc from "fast-check";
import type { PolicyRewrite } from "../../../src/render/policy/policy-document.js";
import { echoOf } from "../../../e2e/harness/echo-backend.js";
import { readVectors } from "../../support/vectors.js";
import { startFilterServer } from "./filter-server.js";
import type { FilterServer } from "./filter-server.js";

interface Vector {
  readonly name: string;
  readonly rewrite: PolicyRewrite;
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

describe("rewrites", () => {
  it("refuse a request whose expression backtracks beyond the limit", async () => {
    const rewrite = ["regex", "^/(a+)+$", "", "/x", true] as const;
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
        expect(url.endsWith(`/${encodeURIComponent(rest)}`) || rest.includes('.')).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
