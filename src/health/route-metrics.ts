/** Metrics by route and auth policy, from the rows that nginx counts in. */
import { KIND_NAMES } from "../api/kinds.js";
import type { DataPlaneRow, DataPlaneRows } from "../output/control-client.js";
import { type MetricRow, ROUTE_METRICS } from "./metrics-table.js";
import { formatHead, formatLabels } from "./text-format.js";

/** Columns of a row of requests: as in lua/alb/request_counts.lua. */
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/**
 * In parts, because there may be hundreds of thousands of lines. Series without any count are left out: their first sample is their first
 * request.
 */
export function routeMetrics({ bounds, outcomes, rows }: DataPlaneRows): readonly Buffer[] {
  const labelled = rows.map((row) => ({
    ...row,
    labels: Buffer.from(formatLabels(labelsOf(row.id))),
  }));
  const requests = labelled.filter(({ of }) => of === "requests");
  const checks = labelled.filter(({ of }) => of === "checks");
  const les = [...bounds.map((bound) => String(bound / 1000)), "+Inf"];
  const times = CLASSES.length;
  const upstreamTimes = times + les.length + 1;
  const sent = upstreamTimes + les.length + 1;
  const text = new Parts();
  writeCounts(text, ROUTE_METRICS.requests, requests, ["status", CLASSES]);
  writeHistogram(text, ROUTE_METRICS.duration, requests, [times, les]);
  writeHistogram(text, ROUTE_METRICS.upstreamDuration, requests, [upstreamTimes, les]);
  writeColumn(text, ROUTE_METRICS.requestBytes, requests, sent + 1);
  writeColumn(text, ROUTE_METRICS.responseBytes, requests, sent);
  writeCounts(text, ROUTE_METRICS.authChecks, checks, ["outcome", outcomes]);
  return text.finished();
}

interface LabelledRow extends DataPlaneRow {
  readonly labels: Buffer;
}

/** A series for each of the first columns, told apart by a label. */
function writeCounts(
  text: Parts,
  metric: MetricRow,
  rows: readonly LabelledRow[],
  [label, names]: readonly [label: string, names: readonly string[]],
): void {
  const start = Buffer.from(`${metric.name}{`);
  const ends = names.map((name) => Buffer.from(`,${label}="${name}"} `));
  if (rows.length > 0) text.add(Buffer.from(formatHead(metric)));
  for (const { labels, values } of rows) {
    for (const [column, end] of ends.entries()) {
      const count = values[column] ?? 0;
      if (count > 0) text.addLine(start, labels, end, count);
    }
  }
}

/** A bucket for each of `les` from column `first` on, then their sum in milliseconds. */
function writeHistogram(
  text: Parts,
  metric: MetricRow,
  rows: readonly LabelledRow[],
  [first, les]: readonly [first: number, les: readonly string[]],
): void {
  const [bucket, sum, total] = ["bucket", "sum", "count"].map((suffix) =>
    Buffer.from(`${metric.name}_${suffix}{`),
  );
  const ends = les.map((le) => Buffer.from(`,le="${le}"} `));
  if (bucket === undefined || sum === undefined || total === undefined) return;
  if (rows.length > 0) text.add(Buffer.from(formatHead(metric)));
  for (const { labels, values } of rows) {
    if (values.subarray(first, first + les.length).every((value) => value === 0)) continue;
    let count = 0;
    for (const [index, end] of ends.entries()) {
      count += values[first + index] ?? 0;
      text.addLine(bucket, labels, end, count);
    }
    text.addLine(sum, labels, END, (values[first + les.length] ?? 0) / 1000);
    text.addLine(total, labels, END, count);
  }
}

function writeColumn(
  text: Parts,
  metric: MetricRow,
  rows: readonly LabelledRow[],
  column: number,
): void {
  const start = Buffer.from(`${metric.name}{`);
  if (rows.length > 0) text.add(Buffer.from(formatHead(metric)));
  for (const { labels, values } of rows) text.addLine(start, labels, END, values[column] ?? 0);
}

const END = Buffer.from("} ");
const PART = 1024 * 1024;
const LONGEST_NUMBER = 32;
const LINE_BREAK = 10;
const ZERO = 48;

/** Text as bytes. Putting together strings of as many lines takes three times as long. */
class Parts {
  readonly #full: Buffer[] = [];
  #part = Buffer.allocUnsafe(PART);
  #length = 0;

  /** One sample: `start`, labels, `end` and the value. */
  addLine(start: Buffer, labels: Buffer, end: Buffer, value: number): void {
    this.#reserve(start.length + labels.length + end.length + LONGEST_NUMBER);
    this.add(start);
    this.add(labels);
    this.add(end);
    this.#addNumber(value);
    this.#part[this.#length++] = LINE_BREAK;
  }

  #addNumber(value: number): void {
    const isShort = Number.isInteger(value) && value >= 0 && value < 1e9;
    if (!isShort) {
      this.#length += this.#part.write(String(value), this.#length, "latin1");
      return;
    }
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits += 1;
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at -= 1) {
      this.#part[at] = ZERO + (rest % 10);
      rest = Math.trunc(rest / 10);
    }
    this.#length += digits;
  }

  add(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#part.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  finished(): readonly Buffer[] {
    this.#full.push(this.#part.subarray(0, this.#length));
    return this.#full;
  }

  #reserve(length: number): void {
    if (this.#length + length <= PART) return;
    this.#full.push(this.#part.subarray(0, this.#length));
    this.#part = Buffer.allocUnsafe(Math.max(PART, length));
    this.#length = 0;
  }
}

/** By the first part of an id, which is the kind in lower case. */
const KINDS = new Map(KIND_NAMES.map((kind) => [kind.toLowerCase(), kind]));

/** An id is `<kind>/<namespace>/<name>`, of a route also `/<rule>`; empty: all that have no row of their own. */
function labelsOf(id: string): Readonly<Record<string, string>> {
  const [kind = "", namespace = "", name = "", ...rule] = id.split("/");
  const known = id === "" ? "other" : (KINDS.get(kind) ?? kind);
  return { namespace, kind: known, name, rule: rule.join("/") };
}
