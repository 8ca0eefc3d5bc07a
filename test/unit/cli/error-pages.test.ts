import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileOptions, resolveSettings } from "../../../src/cli/settings.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "albc-pages-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function pages(flags: Readonly<Record<string, unknown>>) {
  return compileOptions(resolveSettings({ flags, variables: {} })).errorPages;
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

test("files say for which statuses they are", () => {
  write({ "503.json": "{}", "404.html": "gone", ".hidden": "" });
  expect(pages({ errorPages: folder })).toEqual({
    statuses: [404, 503],
    files: { "404.html": "gone", "503.json": "{}" },
  });
});

test("a file of a class is for all of its statuses that clients get", () => {
  write({ "4xx.html": "" });
  const { statuses } = pages({ errorPages: folder }) ?? {};
  expect(statuses).toHaveLength(99);
  expect(statuses).not.toContain(499);
});

test("a Service has the statuses of an option", () => {
  const flags = { errorPageService: "a/b:80", errorPageStatuses: [503, "404"] };
  expect(pages(flags)).toEqual({
    statuses: [404, 503],
    service: { namespace: "a", name: "b", port: 80 },
  });
  expect(pages({ errorPageService: "a/b:80" })?.statuses).toEqual([404, 502, 503, 504]);
  expect(pages({ errorPageStatuses: "404" })).toBeUndefined();
});

test.each([
  [{ errorPageService: "b:80" }, "errorPageService must be NAMESPACE/NAME:PORT"],
  [{ errorPageService: "a/b:70000" }, "errorPageService must be NAMESPACE/NAME:PORT"],
  [{ errorPageService: "a/b:80", errorPages: "x" }, "are both given"],
  [{ errorPages: "/nowhere" }, "errorPages can't be read"],
  [
    { errorPageStatuses: "404,600" },
    "--error-page-statuses must be a list of statuses from 400 to 599",
  ],
])("%j is refused", (flags, message) => {
  expect(() => pages(flags)).toThrow(message);
});

test.each<[Readonly<Record<string, string>>, string]>([
  [{}, "has no page such as 404.html"],
  [{ "499.html": "" }, '"499.html" in'],
  [{ "404.htm": "" }, "is no page; pages are named 404.html"],
  [{ "404.html": "x".repeat(256 * 1024 + 1) }, "more than 256 KiB"],
])("a folder with other files is refused", (files, message) => {
  write(files);
  expect(() => pages({ errorPages: folder })).toThrow(message);
});
