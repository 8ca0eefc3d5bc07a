/** Conditions on a request's values: whether one follows from others, whether they exclude each other, and a value that meets them. */
import { passes } from "../explain/candidates.js";
import { toWire } from "../explain/request.js";
import type { Predicate, ValueTest } from "../model/route.js";
import { cidrContains } from "../support/ip-address.js";
import { groupBy } from "../support/collections.js";
import { literalStart } from "../support/literal-start.js";

export function conditionKey({ of, key = "", any }: Predicate): string {
  return JSON.stringify([of, key, any]);
}

/** What a condition is about. */
export function testedValue({ of, key = "" }: Pick<Predicate, "of" | "key">): string {
  return `${of} ${key}`;
}

/** A regular expression as a condition. */
export function pathCondition(pattern: string, flags: string): Predicate {
  return { of: "path", any: [["regex", flags === "i" ? `(?i)${pattern}` : pattern]] };
}

/** Whether every request that meets all of `given` meets `condition`, as far as that is easy to see. */
export function follows(condition: Predicate, given: readonly Predicate[]): boolean {
  const key = conditionKey(condition);
  return given.some(
    (other) =>
      conditionKey(other) === key ||
      (testedValue(other) === testedValue(condition) && narrows(other, condition)),
  );
}

function narrows({ any }: Predicate, wider: Predicate): boolean {
  if (wider.any.some(([op]) => op === "exists")) return true;
  const values = valuesOf(any);
  if (values !== undefined) return values.every((value) => meets(wider, value) === true);
  return any.every((test) =>
    wider.any.some((other) => JSON.stringify(other) === JSON.stringify(test)),
  );
}

/** Whether no request meets all of them, as far as that is easy to see. */
export function excludeEachOther(conditions: readonly Predicate[]): boolean {
  if (conditions.length < 2) return false;
  return [...groupBy(conditions, testedValue).values()].some((same) =>
    same.some((one, i) => same.slice(i + 1).some((other) => areDisjoint(one, other))),
  );
}

function areDisjoint(one: Predicate, other: Predicate): boolean {
  const [values, others] = [valuesOf(one.any), valuesOf(other.any)];
  if (values !== undefined) return values.every((value) => meets(other, value) === false);
  if (others !== undefined) return others.every((value) => meets(one, value) === false);
  return one.any.every((a) => other.any.every((b) => testsDiffer(a, b)));
}

/** Two tests for many values each. */
function testsDiffer(a: ValueTest, b: ValueTest): boolean {
  const [first, second] = [startOf(a), startOf(b)];
  if (first !== undefined && second !== undefined) {
    return !first.startsWith(second) && !second.startsWith(first);
  }
  if (a[0] !== "cidr" || b[0] !== "cidr") return false;
  const [network = ""] = a[1].split("/");
  const [other = ""] = b[1].split("/");
  return !cidrContains(a[1], other) && !cidrContains(b[1], network);
}

/** Text with which all values that pass start. */
function startOf([op, value = ""]: ValueTest): string | undefined {
  if (op === "start") return value;
  if (op !== "regex") return undefined;
  const { text, insensitive } = literalStart(value, "");
  return insensitive || text === "" ? undefined : text;
}

/** All values that meet a condition, if they are few. */
function valuesOf(any: readonly ValueTest[]): readonly string[] | undefined {
  const values: string[] = [];
  for (const [op, ...args] of any) {
    if (op !== "eq" && op !== "in") return undefined;
    values.push(...args);
  }
  return values;
}

/** Whether a value meets a condition; undefined: only PCRE can decide. */
export function meets({ any }: Predicate, value: string): boolean | undefined {
  const results = any.map((test) => passes(test, toWire(value)));
  return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
}

/** A value that meets all conditions, which are about one subject; undefined: none is found. */
export function exampleValue(
  conditions: readonly Predicate[],
  suggestions: readonly string[] = [],
): string | undefined {
  const tests = conditions.flatMap(({ any }) => any);
  return [...suggestions, ...tests.flatMap(valuesFor)].find((value) =>
    conditions.every((condition) => meets(condition, value) === true),
  );
}

function valuesFor([op, ...args]: ValueTest): readonly string[] {
  const [value = ""] = args;
  switch (op) {
    case "eq":
    case "in":
    case "start":
    case "end":
    case "range":
      return args;
    case "oneLabel":
      return [`any.${value}`];
    case "cidr":
      return [value.replace(/\/.*/s, "")];
    case "exists":
      return ["any"];
    case "regex": {
      const { text } = literalStart(value, "");
      return ["", "/", "any", "/any", "1"].map((end) => text + end);
    }
  }
}
