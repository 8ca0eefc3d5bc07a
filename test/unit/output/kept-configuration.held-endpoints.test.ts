import { inTime, keepingEndpoints } from "../../../src/output/kept-configuration.js";
import type { RenderedFile } from "../../../src/render/rendered-file.js";

function files(contents: Readonly<Record<string, string>>): readonly RenderedFile[] {
  return Object.entries(contents).map(([path, text]) => ({
    ...{ path, contents: text, mode: 0o644 },
    ...(path.startsWith("streams/") && { patient: true }),
  }));
}

const OLD = { "nginx.conf": "a", "streams/endpoints.conf": "1", "lua/a.lua": "x", other: "o" };

test("endpoints alone can wait; what needs no reload is new", () => {
  const kept = keepingEndpoints(
    files(OLD),
    files({ ...OLD, "streams/endpoints.conf": "2", other: "p" }),
  );
  expect(kept).toEqual(files({ ...OLD, other: "p" }));
});

test.each<[string, Readonly<Record<string, string>>]>([
  ["with another nginx.conf", { ...OLD, "nginx.conf": "b", "streams/endpoints.conf": "2" }],
  ["with other Lua code", { ...OLD, "lua/a.lua": "y", "streams/endpoints.conf": "2" }],
  ["that are the same", OLD],
  ["that are gone", { "nginx.conf": "a" }],
])("endpoints %s do not", (_what, now) => {
  expect(keepingEndpoints(files(OLD), files(now))).toBeUndefined();
});

test("the first ones do not", () => {
  expect(keepingEndpoints(files({ "nginx.conf": "a" }), files(OLD))).toBeUndefined();
});

test("they wait as long as they are told to, and no reload is taken for anything else", () => {
  const now = files({ ...OLD, "streams/endpoints.conf": "2" });
  expect(inTime(files(OLD), now, { take: () => 0 })).toEqual({ due: now, held: 0 });
  expect(inTime(files(OLD), now, { take: () => 7 })).toEqual({ due: files(OLD), held: 7 });
  const taken = (): number => {
    throw new Error("taken");
  };
  const other = files({ ...OLD, "nginx.conf": "b" });
  expect(inTime(files(OLD), other, { take: taken })).toEqual({ due: other, held: 0 });
});
