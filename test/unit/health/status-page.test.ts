import { createHash } from "node:crypto";
import type { RunStatus } from "../../../src/health/run-status.js";
import { PAGE_HEADERS, StatusPage, formatPage } from "../../../src/health/status-page.js";

const HOSTILE = `</td><script>alert(1)</script>"'&\u202e\u0007`;
const STATUS: RunStatus = {
  version: "v1",
  listeners: [{ port: 443, tls: true, hosts: [HOSTILE], names: 2, bindings: 3 }],
  ...{ routes: 3, protectedRoutes: 1, upstreams: 1, endpoints: 2 },
  empty: [HOSTILE],
  broken: [{ object: HOSTILE, reason: HOSTILE, paths: [HOSTILE] }],
  run: { version: HOSTILE, pod: HOSTILE, namespace: HOSTILE },
  ...{ brokenFiles: [HOSTILE], unreadable: [] },
  problem: HOSTILE,
  out: [{ upstream: HOSTILE, endpoint: HOSTILE, reason: HOSTILE, since: 0 }],
  changes: [
    {
      at: HOSTILE,
      outcome: HOSTILE,
      milliseconds: 1,
      objects: [HOSTILE],
      more: 0,
      reason: HOSTILE,
    },
  ],
  waiting: [{ namespace: HOSTILE, until: HOSTILE, objects: [HOSTILE] }],
};

test("everything is text", () => {
  const page = formatPage(STATUS, new Date(0));
  for (const text of ["<script", "\u202e", "\u0007"]) expect(page).not.toContain(text);
  const escaped = "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\ufffd\ufffd";
  expect(page.split(escaped)).toHaveLength(21);
});

test("the browser is told which style is ours", () => {
  const [, style = ""] = /<style>([^]*)<\/style>/.exec(formatPage(STATUS, new Date(0))) ?? [];
  const digest = createHash("sha256").update(style).digest("base64");
  expect(PAGE_HEADERS["Content-Security-Policy"]).toContain(`style-src 'sha256-${digest}'`);
});

test("a page of thousands of objects has a part of them", () => {
  const empty = Array.from({ length: 3000 }, (_, i) => `shop/web-${String(i)}/80`);
  const page = formatPage({ ...STATUS, empty }, new Date(0));
  expect(page.match(/shop\/web/g)).toHaveLength(500);
  expect(page).toContain("and 2500 more");
});

test("the policy is read once until another is applied, however many ask, and again after a failure", async () => {
  let reads = 0;
  const page = new StatusPage(
    () => {
      reads += 1;
      return reads === 2 ? Promise.reject(new Error("no")) : Promise.resolve(STATUS);
    },
    () => Promise.resolve(STATUS),
  );
  expect(await page.html()).toBeUndefined();
  page.applied("started", {}, "v1");
  await Promise.all([page.html(), page.html()]);
  page.applied("unchanged", {}, "v1");
  page.applied("refused", {});
  await page.html();
  expect(reads).toBe(1);
  page.applied("swapped", {}, "v2");
  await expect(page.html()).rejects.toThrow("no");
  expect(await page.html()).toContain("v1");
  expect(reads).toBe(3);
});
