import type { AnnotationType } from "../../../../../src/translate/ingress/annotations/annotation.js";
import * as types from "../../../../../src/translate/ingress/annotations/annotation.js";

it.each<[string, AnnotationType<unknown>, string, unknown]>([
  ["boolean of Go", types.BOOLEAN, "T", true],
  ["boolean of Go", types.BOOLEAN, "0", false],
  ["duration in seconds", types.DURATION, "1.5", 1500],
  ["duration", types.DURATION, "20ms", 20],
  ["size of nginx", types.SIZE, "2K", 2048],
  ["address", types.CIDRS, "10.0.0.1", ["10.0.0.1/32"]],
  ["network", types.CIDRS, "fd00::/08", ["fd00::/8"]],
  ["host name", types.DNS_NAME, "A.Example", "a.example"],
  ["port", types.PORT, "65535", 65_535],
  ["methods", types.METHOD_LIST, "GET, *", ["GET", "*"]],
  ["choice", types.choiceOf(["a", "b"]), "b", "b"],
])("%s: %j", (_, type, text, value) => {
  expect(type.parse(text)).toEqual({ ok: true, value });
});

it.each<[string, AnnotationType<unknown>, string]>([
  ["boolean", types.BOOLEAN, "yes"],
  ["number", types.NATURAL, "-1"],
  ["duration of nothing", types.DURATION, "0"],
  ["duration above what a timer holds", types.DURATION, "99999999999"],
  ["size", types.SIZE, "8 megabytes"],
  ["network", types.CIDRS, "10.0.0.0/33"],
  ["list of no addresses", types.CIDRS, ","],
  ["redirect status", types.REDIRECT_STATUS, "200"],
  ["host with a line break", types.AUTHORITY, "b.example\r\nX: y"],
  ["port", types.PORT, "0"],
  ["cookie name", types.COOKIE, "a;b"],
])("no %s: %j", (_, type, text) => {
  expect(type.parse(text).ok).toBe(false);
});

it.each([
  [
    types.ORIGINS,
    "https://a.example, x",
    ["https://a.example"],
    '"x" is none of origins, `*` for any',
  ],
  [
    types.ORIGINS,
    "https://a.example/",
    [],
    '"https://a.example/" has a slash at its end; leave it out',
  ],
  [types.METHOD_LIST, "GET, PU T", ["GET"], '"PU T" is none of HTTP methods'],
  [types.HEADER_NAMES, "X-A, X-*", ["X-A"], '"X-*" is none of header names'],
])("%# a bad item costs no other", (type, text, value, problem) => {
  expect(type.parse(text)).toEqual({ ok: true, value, problem });
});

it.each(["my-app.id", "__Host-a", "a!b"])("%s is the name of a cookie", (name) => {
  expect(types.COOKIE.parse(name)).toEqual({ ok: true, value: name });
});

it("a list of host names keeps those that can be read", () => {
  const read = types.DNS_NAMES.parse("a.example, ~^www");
  expect(read).toEqual({
    ok: true,
    value: ["a.example"],
    problem: '"~^www" is none of host names',
  });
});
