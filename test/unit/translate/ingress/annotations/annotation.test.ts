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
  ["origins", types.ORIGINS, "https://a b"],
])("no %s: %j", (_, type, text) => {
  expect(type.parse(text).ok).toBe(false);
});

it("a list of host names keeps those that can be read", () => {
  const read = types.DNS_NAMES.parse("a.example, ~^www");
  expect(read).toEqual({
    ok: true,
    value: ["a.example"],
    problem: '"~^www" is none of host names',
  });
});
