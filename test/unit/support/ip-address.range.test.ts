import { fc } from "../../support/fast-check.js";
import {
  canonicalAddress,
  formatAddress,
  parseIpRange,
  rangeHolds,
  rangeSize,
} from "../../../src/support/ip-address.js";

test.each([
  ["10.0.0.7", "10.0.0.7", "10.0.0.7", 1n],
  ["10.0.0.7/32", "10.0.0.7", "10.0.0.7", 1n],
  ["10.0.0.7/31", "10.0.0.6", "10.0.0.7", 2n],
  ["10.0.0.7/29", "10.0.0.1", "10.0.0.6", 6n],
  ["10.244.3.4/16", "10.244.0.1", "10.244.255.254", 65_534n],
  ["fd00::7", "fd00::7", "fd00::7", 1n],
  ["fd00::7/126", "fd00::5", "fd00::7", 3n],
  ["fd00::7/127", "fd00::6", "fd00::7", 2n],
])("%s is from %s to %s", (text, first, last, size) => {
  const range = parseIpRange(text);
  if (!range.ok) throw new Error(range.problem);
  expect(formatAddress(range.value.family, range.value.first)).toBe(first);
  expect(formatAddress(range.value.family, range.value.last)).toBe(last);
  expect(rangeSize(range.value)).toBe(size);
  expect([rangeHolds(range.value, first), rangeHolds(range.value, last)]).toEqual([true, true]);
});

test.each([
  "",
  "a",
  "10.0.0",
  "10.0.0.1/33",
  "10.0.0.1/",
  "10.0.0.1/8/8",
  "::1/129",
  "10.0.0.1/-1",
])("%j is no range", (text) => {
  expect(parseIpRange(text).ok).toBe(false);
});

test.each([
  ["10.0.0.0/29", "10.0.0.0", false],
  ["10.0.0.0/29", "10.0.0.7", false],
  ["10.0.0.0/29", "10.0.0.8", false],
  ["10.0.0.0/29", "::a00:1", false],
  ["10.0.0.0/29", "a.example", false],
  ["fd00::/64", "FD00:0::1", true],
  ["fd00::/64", "fd00::", false],
])("%s holds %s: %s", (text, address, expected) => {
  const range = parseIpRange(text);
  expect(range.ok && rangeHolds(range.value, address)).toBe(expected);
});

test("addresses of one value have one text, which is shorter or equal", () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = canonicalAddress(text);
      expect(canonical).toBeDefined();
      expect(canonicalAddress(canonical ?? "")).toBe(canonical);
    }),
  );
  expect(canonicalAddress("FD00:0:0:0:0:0:0:1")).toBe("fd00::1");
  expect(canonicalAddress("::ffff:10.0.0.1")).toBe("10.0.0.1");
  expect(canonicalAddress("a.example")).toBeUndefined();
});
