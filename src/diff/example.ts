/** A request that a change concerns, to try it with curl or `albc explain`. */
import { normalisePath, toWire } from "../explain/request.js";
import type { Predicate } from "../model/route.js";
import { groupBy } from "../support/collections.js";
import { exampleValue, testedValue } from "./conditions.js";
import type { HostCell } from "./host-cells.js";
import type { CellChange } from "./host-changes.js";
import type { Door } from "./side.js";

/** As arguments of `albc explain`. */
export interface Example {
  readonly method: string;
  readonly url: string;
  /** Each is `Name: value`. */
  readonly headers: readonly string[];
  readonly client: string;
}

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/** Undefined: none is found that meets the conditions and no condition of earlier entries. */
export function exampleOf(change: CellChange, door: Door, { host }: HostCell): Example | undefined {
  const { scheme } = door;
  if (scheme !== "http" && scheme !== "https") return undefined;
  const values = new Map([
    ["method ", "GET"],
    ["path ", change.cell.path],
    ["host ", host],
    ["sourceIp ", "127.0.0.1"],
  ]);
  for (const [subject, conditions] of groupBy(change.when, testedValue)) {
    const usual = values.get(subject);
    const suggestions = subject === "method " ? METHODS : usual === undefined ? [] : [usual];
    const value = exampleValue(conditions, suggestions);
    if (value === undefined) return undefined;
    values.set(subject, value);
  }
  const isMet = change.isMetBy((condition) => values.get(testedValue(condition)));
  return isMet && values.get("host ") === host ? written(values, door, change) : undefined;
}

const NOT_SENT_AS_IS = /[^!$&'()*+,./:;=@\w~-]/g;

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function written(
  values: ReadonlyMap<string, string>,
  { scheme, port }: Door,
  { when }: CellChange,
): Example | undefined {
  const valueOf = (of: Predicate["of"], key = ""): string => values.get(`${of} ${key}`) ?? "";
  const keysOf = (of: Predicate["of"]): readonly string[] => [
    ...new Set(when.flatMap((condition) => (condition.of === of ? (condition.key ?? []) : []))),
  ];
  const path = toWire(valueOf("path")).replaceAll(NOT_SENT_AS_IS, percentEncoded);
  // Some paths can't be sent, because nginx changes them: `/a/../b`.
  if (normalisePath(path) !== toWire(valueOf("path"))) return undefined;
  const query = keysOf("query").map(
    (key) => `${encodeURIComponent(key)}=${encodeURIComponent(valueOf("query", key))}`,
  );
  const cookies = keysOf("cookie").map((key) => `${key}=${valueOf("cookie", key)}`);
  const usualPort = scheme === "https" ? 443 : 80;
  const authority = valueOf("host") + (port === usualPort ? "" : `:${String(port)}`);
  return {
    method: valueOf("method"),
    url: `${scheme}://${authority}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    headers: [
      ...keysOf("header").map((key) => `${key}: ${valueOf("header", key)}`),
      ...(cookies.length === 0 ? [] : [`Cookie: ${cookies.join("; ")}`]),
    ],
    client: valueOf("sourceIp"),
  };
}
