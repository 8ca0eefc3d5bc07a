import type { Predicate } from "../model/match.js";
import { addressBytes, cidrContains } from "../support/ip-address.js";
import { pcreTest } from "./pcre.js";
import type { ExplainRequest } from "./request.js";
import { cookieValue, headerValue, queryValue } from "./request.js";
import { toWire } from "./wire-text.js";

/** A request and what was made of its target. */
export interface RoutedRequest extends ExplainRequest {
  /** Normalised path. */
  readonly path: string;
}

/** The value that a predicate is about (wire text); undefined: the request has none. */
export function predicateValue(
  { of, key = "" }: Predicate,
  request: RoutedRequest,
): string | undefined {
  switch (of) {
    case "method":
      return request.method;
    case "path":
      return request.path;
    case "host":
      return request.host;
    case "sourceIp":
      return request.client;
    case "header":
      return headerValue(request, toWire(key));
    case "query":
      return queryValue(request, toWire(key));
    case "cookie":
      return cookieValue(request, toWire(key));
  }
}

/** Does the condition hold? Undefined: only PCRE can tell. A missing value holds for nothing. */
export function predicateHolds(predicate: Predicate, request: RoutedRequest): boolean | undefined {
  const value = predicateValue(predicate, request);
  if (value === undefined) return false;
  const results = predicate.any.map(([op, ...args]) => testHolds(op, args.map(toWire), value));
  return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
}

type ValueTest = (value: string, args: readonly string[]) => boolean | undefined;

/** The tests of model/match.ts by operator. */
const TESTS: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
  ["eq", (value, [expected]) => value === expected],
  ["in", (value, args) => args.includes(value)],
  ["start", (value, [start = ""]) => value.startsWith(start)],
  ["end", (value, [end = ""]) => value.endsWith(end)],
  ["oneLabel", (value, [suffix]) => afterFirstLabel(value) === suffix],
  ["regex", (value, [pattern = ""]) => pcreTest(pattern, "", value)],
  ["range", (value, [low = "", high = ""]) => inRange(value, low, high)],
  ["cidr", (value, [cidr = ""]) => cidrContains(cidr, value)],
  ["exists", () => true],
]);

/** One of an unknown kind never holds. */
function testHolds(op: string, args: readonly string[], value: string): boolean | undefined {
  const test = TESTS.get(op);
  return test === undefined ? false : test(value, args);
}

function afterFirstLabel(host: string): string | undefined {
  const dot = host.indexOf(".");
  return dot > 0 ? host.slice(dot + 1) : undefined;
}

/** Inclusive; addresses of one family as addresses, else numbers as numbers. */
function inRange(value: string, low: string, high: string): boolean {
  const [address, from, to] = [value, low, high].map(addressBytes);
  if (address !== undefined && from !== undefined && to !== undefined) {
    const oneFamily = address.length === from.length && address.length === to.length;
    return oneFamily && address >= from && address <= to;
  }
  return number(value) >= number(low) && number(value) <= number(high);
}

/** NaN, which is in no range, for text that is no number to Lua either. */
function number(text: string): number {
  const decimal = /^\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;
  return decimal.test(text) || /^\s*0[xX][0-9A-Fa-f]+\s*$/.test(text) ? Number(text) : Number.NaN;
}
