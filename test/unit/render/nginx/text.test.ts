import {
  address,
  bytes,
  cidr,
  dnsName,
  endpoint,
  identifier,
  locationName,
  mapHost,
  integerText,
  milliseconds,
  quoted,
  seconds,
  variable,
  word,
} from "../../../../src/render/nginx/text.js";

describe("quoted", () => {
  test.each([
    ["", '""'],
    ["plain", '"plain"'],
    ["a b;{}#'\\", `"a b;{}#'\\\\"`],
    ['say "so"', '"say \\"so\\""'],
    ["ü→", '"ü→"'],
  ])("%j becomes %s", (text, written) => {
    expect(quoted(text).toString()).toBe(written);
  });

  test.each(["$host", "a\nb", "a\r", "\t", "\0", "\x7f", "x".repeat(2001)])(
    "refuses %j",
    (text) => {
      expect(() => quoted(text)).toThrow("not fit for nginx.conf as quoted");
    },
  );
});

test.each([
  [word, "X-Real-IP", "X-Real-IP"],
  [word, "/dev/stdout", "/dev/stdout"],
  [identifier, "p80", "p80"],
  [variable, "albc_xff", "$albc_xff"],
  [locationName, "try_500", "@try_500"],
  [address, "10.0.0.1", "10.0.0.1"],
  [address, "::1", "[::1]"],
  [address, "2001:db8::1", "[2001:db8::1]"],
  [mapHost, "a.example", "a.example"],
  [mapHost, "*.a.example", "*.a.example"],
  [mapHost, "include", "\\include"],
  [mapHost, "*.include", "*.include"],
  [dnsName, "a-b.example", "a-b.example"],
  [cidr, "10.0.0.0/8", "10.0.0.0/8"],
  [cidr, "10.0.0.1", "10.0.0.1"],
  [cidr, "fd00::/8", "fd00::/8"],
  [cidr, "::1", "::1"],
])("%p takes %j", (make, text, written) => {
  expect(make(text).toString()).toBe(written);
});

const HOSTILE = ["", " ", "a b", "a;b", "a{", "}", '"', "'", "$x", "#", "\\", "a\nb", "a\0"];

test.each(
  [word, identifier, variable, locationName, address, cidr, mapHost, dnsName].flatMap((make) =>
    HOSTILE.map((text) => [make, text] as const),
  ),
)("%p refuses %j", (make, text) => {
  expect(() => make(text)).toThrow("not fit for nginx.conf");
});

test.each([
  [identifier, "-p"],
  [identifier, "p/80"],
  [variable, "Host"],
  [variable, "1"],
  [locationName, "Try"],
  [locationName, "try-500"],
  [address, "fe80::1%eth0"],
  [address, "10.0.0.0/8"],
  [address, "localhost"],
  [cidr, "10.0.0.0/33"],
  [cidr, "::/129"],
  [cidr, "10.0.0/8"],
  [cidr, "10.0.0.1/"],
])("%p refuses %j, too", (make, text) => {
  expect(() => make(text)).toThrow("not fit for nginx.conf");
});

test("numbers are whole, and have their unit", () => {
  expect([integerText(0), bytes(1024), seconds(15), milliseconds(250)].map(String)).toEqual([
    "0",
    "1024",
    "15s",
    "250ms",
  ]);
});

test.each([-1, 1.5, NaN, Infinity, 2 ** 53])("%p is refused as a number", (value) => {
  for (const make of [integerText, bytes, seconds, milliseconds]) {
    expect(() => make(value)).toThrow("not fit for nginx.conf as integer");
  }
});

test.each([
  "~a",
  "*",
  "*.",
  ".a",
  "a.",
  "A.example",
  "*.*.a",
  "a_b",
  "ü.example",
  `${"a.".repeat(130)}a`,
])("%j is no hostname of a map", (text) => {
  expect(() => mapHost(text)).toThrow("not fit for nginx.conf");
});

test("an endpoint has an address and a port", () => {
  expect(endpoint("10.0.0.1", 80).toString()).toBe("10.0.0.1:80");
  expect(endpoint("fd00::1", 80).toString()).toBe("[fd00::1]:80");
  expect(() => endpoint("a.example", 80)).toThrow("not fit for nginx.conf");
});
