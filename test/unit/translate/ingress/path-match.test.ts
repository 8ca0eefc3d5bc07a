import { ANY_HOST } from "../../../../src/model/values.js";
import { looksLikePattern, matchPath } from "../../../../src/translate/ingress/path-match.js";

const HOST = { kind: "exact", host: "a.example" } as const;

it.each([
  ["/a", "Exact", ["exact", "/a"]],
  ["/a/", "Prefix", ["prefix", "/a"]],
  ["/", "Prefix", ["prefix", ""]],
  ["/a.*", "ImplementationSpecific", ["prefix", "/a.*"]],
])("%s of type %s is %j", (path, pathType, expected) => {
  expect(matchPath(HOST, { path, pathType, isRegex: false }).path).toEqual(expected);
});

it.each([
  ["/admin.*", ["regex", "^/admin.*", ""]],
  ["/v1:run", ["regex", "^/v1:run", ""]],
  ["/(a|b)", ["regex", "^/(a|b)", ""]],
  ["/a\\d", ["regex", "^/a\\d", ""]],
  ["/admin", ["start", "/admin"]],
  ["/a.b+c", ["start", "/a.b+c"]],
])("%s of type ImplementationSpecific of an ALB2 is %j", (path, expected) => {
  const text = { path, pathType: "ImplementationSpecific", isRegex: false, isOrigin: true };
  expect(matchPath(HOST, text).path).toEqual(expected);
});

it("in regex mode is a pattern without case, whatever its type", () => {
  const text = { path: "^/a", pathType: "Exact", isRegex: true };
  expect(matchPath(HOST, text).path).toEqual(["regex", "^/a", "i"]);
});

it("that is no pattern matches all that it could have matched, with a problem", () => {
  const match = matchPath(HOST, { path: "/v(1", pathType: "Prefix", isRegex: true });
  expect(match.path).toEqual(["start", "/v"]);
  expect(match.problem).toBeDefined();
});

it("is narrower with a host, when exact, and when longer; a slash at the end is not longer", () => {
  const rank = (path: string, pathType = "Prefix", host: Parameters<typeof matchPath>[0] = HOST) =>
    matchPath(host, { path, pathType, isRegex: false }).specificity;
  expect(rank("/a").complexity).toBeGreaterThan(rank("/a", "Prefix", ANY_HOST).complexity);
  expect(rank("/a", "Exact").complexity).toBeGreaterThan(rank("/a").complexity);
  expect(rank("/ab").length).toBeGreaterThan(rank("/a").length);
  expect(rank("/a/")).toEqual(rank("/a"));
});

it.each([
  ["/a(b)", true],
  ["/admin.*", true],
  ["/a.b", false],
  ["/v1:run", false],
])("%s looks like a pattern: %j", (path, looks) => {
  expect(looksLikePattern(path)).toBe(looks);
});
