/** Reads the value of one setting. */
import { parseErrorStatuses } from "../support/error-statuses.js";
import { canonicalAddress, isDnsName, parseIpRange } from "../support/ip-address.js";
import { own } from "../support/json-object.js";
import { type Result, ok, problem } from "../support/result.js";
import { textList, visible } from "../support/text.js";
import { parseByteSize, percentage } from "../support/units.js";
import type { SettingRow } from "./settings-table.js";

export type SettingValue = string | number | boolean | readonly string[];

const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const LONGEST_TEXT = 1024;

/** Timers of Node and of nginx hold 31 bits of milliseconds. */
const LONGEST_TIME = 576 * 3_600_000;

/** Parses one value, from text (a flag or variable) or YAML. Durations are in milliseconds, sizes in bytes. */
export function parseSetting(row: SettingRow, raw: unknown): Result<SettingValue> {
  return PARSERS[row.kind](raw, row.choices);
}

/** What a text must be, and whether it is. */
type Form = readonly [what: string, fits: (text: string) => boolean];

/** Of text like an invalid IPv4 address, a number in the last label makes no name (RFC 3696, 2). */
const isName = (text: string): boolean => isDnsName(text) && !/^[\d.]+$/.test(text);
const isAddress = (text: string): boolean => canonicalAddress(text) !== undefined;

const FORMS: Readonly<Record<"endpoint" | "domain" | "reference" | "log", Form>> = {
  endpoint: [
    "ADDRESS:PORT such as 0.0.0.0:10254 or [::]:10254",
    (text) => text === "" || isEndpoint(text, 0),
  ],
  domain: ["a DNS name in lower case such as example.com", isName],
  reference: [
    "NAMESPACE/NAME",
    (text) => text === "" || (text.split("/").length === 2 && text.split("/").every(isDnsName)),
  ],
  // Other folders are albc's own: nginx would write into the configuration.
  log: [
    "off, stdout or a file such as logs/access.log",
    (text) => /^(?:off|stdout|logs(?:\/(?!\.)[\w.-]+)+)$/.test(text) && text.length < 256,
  ],
};

const ITEMS: Readonly<Record<"ranges" | "addresses" | "servers", Form>> = {
  // nginx takes the length of an IPv4 address in IPv6's form for that of an IPv6 address.
  ranges: ["IP addresses and CIDRs", (item) => parseIpRange(item).ok && !/:.*\./.test(item)],
  addresses: ["IP addresses and DNS names", (item) => isAddress(item) || isName(item)],
  servers: [
    "IP addresses, each perhaps with a port as in 192.0.2.1:53 or [2001:db8::1]:53",
    (item) => isAddress(item.replace(/^\[(.*)\]$/, "$1")) || isEndpoint(item, 1),
  ],
};

function parseForm([what, fits]: Form, raw: unknown): Result<SettingValue> {
  return typeof raw === "string" && fits(raw) ? ok(raw) : problem(`must be ${what}`);
}

function parseItems([what, fits]: Form, raw: unknown): Result<SettingValue> {
  const list = parseList(raw);
  return list.ok && list.value.every(fits) ? list : problem(`must be a list of ${what}`);
}

function isEndpoint(text: string, leastPort: number): boolean {
  const [, bracketed, plain = "", port = ""] =
    /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  return isAddress(bracketed ?? plain) && Number(port) >= leastPort && Number(port) <= 65_535;
}

const PARSERS: Readonly<
  Record<SettingRow["kind"], (raw: unknown, choices: SettingRow["choices"]) => Result<SettingValue>>
> = {
  switch: parseSwitch,
  whole: parseWhole,
  percent: parsePercent,
  list: parseChosen,
  ranges: (raw) => parseItems(ITEMS.ranges, raw),
  addresses: (raw) => parseItems(ITEMS.addresses, raw),
  servers: (raw) => parseItems(ITEMS.servers, raw),
  endpoint: (raw) => parseForm(FORMS.endpoint, raw),
  domain: (raw) => parseForm(FORMS.domain, raw),
  reference: (raw) => parseForm(FORMS.reference, raw),
  log: (raw) => parseForm(FORMS.log, raw),
  statuses: parseStatuses,
  bytes: (raw) => parseByteSize(textOf(raw)),
  duration: (raw) => parseTime(textOf(raw)),
  text: parseText,
};

function parseText(raw: unknown, choices: SettingRow["choices"]): Result<SettingValue> {
  if (typeof raw !== "string" || raw !== visible(raw) || raw.length > LONGEST_TEXT)
    return problem(`must be text of one line, at most ${String(LONGEST_TEXT)} characters`);
  if (choices !== undefined && !choices.includes(raw))
    return problem(`must be one of ${choices.join(", ")}`);
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

function parseChosen(raw: unknown, choices: SettingRow["choices"]): Result<SettingValue> {
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

/** YAML parses a value without a unit as a number. */
function textOf(raw: unknown): string {
  return typeof raw === "number" ? String(raw) : typeof raw === "string" ? raw : "";
}

function parseTime(text: string): Result<SettingValue> {
  const [, count, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(count) * (own(TIMES, unit) ?? NaN);
  return milliseconds <= LONGEST_TIME
    ? ok(milliseconds)
    : problem("must be a time such as 500ms, 5s or 4m, at most 576h");
}
