/** Reads the value of one setting. */
import { parseErrorStatuses } from "../support/error-statuses.js";
import { canonicalAddress, isDnsName, parseIpRange } from "../support/ip-address.js";
import { own } from "../support/json-object.js";
import { type Result, ok, problem } from "../support/result.js";
import { textList } from "../support/text.js";
import { parseByteSize, percentage } from "../support/units.js";
import type { SettingRow } from "./settings-table.js";

export type SettingValue = string | number | boolean | readonly string[];

const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses one value, from text (a flag or variable) or YAML. Durations are in milliseconds, sizes in bytes. */
export function parseSetting(row: SettingRow, raw: unknown): Result<SettingValue> {
  switch (row.kind) {
    case "switch":
      return parseSwitch(raw);
    case "whole":
      return parseWhole(raw);
    case "percent":
      return parsePercent(raw);
    case "list":
      return parseChosen(row, raw);
    case "ranges":
      return parseRanges(raw);
    case "addresses":
      return parseAddresses(raw);
    case "endpoint":
      return parseEndpoint(raw);
    case "statuses":
      return parseStatuses(raw);
    case "bytes":
      return parseByteSize(textOf(raw));
    case "duration":
      return parseTime(textOf(raw));
    case "text":
      return parseText(row, raw);
  }
}

function parseText(row: SettingRow, raw: unknown): Result<SettingValue> {
  if (typeof raw !== "string") return problem("must be text");
  if (row.choices !== undefined && !row.choices.includes(raw))
    return problem(`must be one of ${row.choices.join(", ")}`);
  return ok(raw);
}

function parseSwitch(raw: unknown): Result<SettingValue> {
  if (typeof raw === "boolean") return ok(raw);
  if (raw === "true" || raw === "1") return ok(true);
  if (raw === "false" || raw === "0") return ok(false);
  return problem("must be true or false");
}

function parseWhole(raw: unknown): Result<SettingValue> {
  const value = typeof raw === "string" && /^\d{1,9}$/.test(raw) ? Number(raw) : raw;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65_535
    ? ok(value)
    : problem("must be a whole number from 0 to 65535");
}

function parsePercent(raw: unknown): Result<SettingValue> {
  const value = percentage(textOf(raw));
  return value === undefined ? problem("must be a percentage such as 5 or 0.1") : ok(value);
}

function parseList(raw: unknown): Result<readonly string[]> {
  if (typeof raw === "string") return ok(textList(raw));
  if (Array.isArray(raw) && raw.every((item) => typeof item === "string")) return ok(raw);
  return problem("must be a list of texts");
}

function parseChosen({ choices }: SettingRow, raw: unknown): Result<SettingValue> {
  const list = parseList(raw);
  if (!list.ok || choices === undefined) return list;
  const isKnown = list.value.length > 0 && list.value.every((item) => choices.includes(item));
  return isKnown && new Set(list.value).size === list.value.length
    ? list
    : problem(`must be a list of some of ${choices.join(", ")}, each once`);
}

/** YAML parses statuses as numbers. */
function parseStatuses(raw: unknown): Result<SettingValue> {
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const parsed = parseErrorStatuses(items.map(textOf).join(","));
  return parsed.ok
    ? ok(parsed.value.map(String))
    : problem("must be a list of statuses from 400 to 599 that clients get");
}

function parseRanges(raw: unknown): Result<SettingValue> {
  const list = parseList(raw);
  const isRange = (item: string): boolean => parseIpRange(item).ok;
  return list.ok && list.value.every(isRange)
    ? list
    : problem("must be a list of IP addresses and CIDRs");
}

function parseAddresses(raw: unknown): Result<SettingValue> {
  const list = parseList(raw);
  const isAddress = (item: string): boolean => canonicalAddress(item) !== undefined;
  // Text like an invalid IPv4 address is no name, either.
  const isName = (item: string): boolean => isDnsName(item) && !/^[\d.]+$/.test(item);
  return list.ok && list.value.every((item) => isAddress(item) || isName(item))
    ? list
    : problem("must be a list of IP addresses and DNS names");
}

function parseEndpoint(raw: unknown): Result<SettingValue> {
  if (raw === "") return ok(raw);
  const [, bracketed, plain = "", port = ""] =
    /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(typeof raw === "string" ? raw : "") ?? [];
  const isAddress = canonicalAddress(bracketed ?? plain) !== undefined;
  return isAddress && Number(port) <= 65_535
    ? ok(String(raw))
    : problem("must be ADDRESS:PORT such as 0.0.0.0:10254 or [::]:10254");
}

/** YAML parses a value without a unit as a number. */
function textOf(raw: unknown): string {
  return typeof raw === "number" ? String(raw) : typeof raw === "string" ? raw : "";
}

function parseTime(text: string): Result<SettingValue> {
  const [, count, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = own(TIMES, unit);
  return count === undefined || milliseconds === undefined
    ? problem("must be a time such as 500ms, 5s or 4m")
    : ok(Number(count) * milliseconds);
}
