/** A datagram of nginx about one sampled request (templates/partials/trace.conf.hbs). */
import { parseObject } from "../support/json-object.js";

export interface TraceReport {
  readonly traceId: string;
  readonly spanId: string;
  /** The client's span; undefined if the trace begins here. */
  readonly parentId: string | undefined;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** The other fields as nginx wrote them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly auth: AuthReport | undefined;
  readonly tries: readonly TryReport[];
}

export interface AuthReport {
  readonly start: number;
  readonly end: number;
  /** 0: the service gave no answer. */
  readonly status: number;
  readonly address: string;
}

export interface TryReport {
  readonly address: string;
  /** 0: the endpoint gave no answer. */
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
}

/** Bytes; nginx's own are shorter, because templates/partials/trace.conf.hbs limits texts of clients. */
const LONGEST = 16_384;

/** No route allows so many. */
const MOST_TRIES = 100;

const CONTEXT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

/** Reads a datagram; undefined if it is none of nginx's: any process of the machine may send some. */
export function parseReport(bytes: Uint8Array): TraceReport | undefined {
  if (bytes.length > LONGEST) return undefined;
  const fields = readFields(bytes);
  const { context = "", parent = "" } = fields;
  const [, traceId, spanId] = CONTEXT.exec(context) ?? [];
  const end = milliseconds(fields["end"]);
  if (traceId === undefined || spanId === undefined || end === undefined) return undefined;
  return {
    ...{ traceId, spanId, end, fields },
    parentId: /^[0-9a-f]{16}$/.test(parent) ? parent : undefined,
    start: Math.max(0, end - (milliseconds(fields["duration"]) ?? 0)),
    auth: parseAuth(fields["auth"] ?? ""),
    tries: parseTries(fields),
  };
}

function readFields(bytes: Uint8Array): Readonly<Record<string, string>> {
  const text = Buffer.from(bytes).toString("utf8");
  const value = parseObject(text.slice(text.indexOf("{"))) ?? {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      typeof each === "string" ? [[name, each] as const] : [],
    ),
  );
}

/** Seconds with a fraction as milliseconds; with more digits, OTLP has no room for the nanoseconds. */
function milliseconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}(\.\d{1,9})?$/.test(text)
    ? Math.round(Number(text) * 1000)
    : undefined;
}

function parseAuth(text: string): AuthReport | undefined {
  const [, from, seconds, status, address = ""] =
    /^(\d+\.\d+) (\d+\.\d+) (\d{1,3}) (.+)$/.exec(text) ?? [];
  const start = milliseconds(from);
  if (start === undefined) return undefined;
  return { start, end: start + (milliseconds(seconds) ?? 0), status: Number(status), address };
}

/** nginx separates tries by `, `, and those of one location from those of the next by ` : `. */
function parseTries(fields: Readonly<Record<string, string>>): readonly TryReport[] {
  const list = (text = ""): readonly string[] => text.split(/, | : /);
  const [statuses, times] = [list(fields["upstream_status"]), list(fields["upstream_time"])];
  return list(fields["addr"])
    .slice(0, MOST_TRIES)
    .map((address, index) => ({
      address,
      status: Number(/^\d{3}$/.exec(statuses[index] ?? "")?.[0] ?? 0),
      duration: milliseconds(times[index]) ?? 0,
    }))
    .filter(({ address }) => address !== "");
}
