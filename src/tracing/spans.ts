/** Reports of sampled requests → spans: the request, the question to an auth service, and the tries of endpoints. */
import {
  type Attributes,
  type Context,
  type Span,
  type Tracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import type { IdGenerator } from "@opentelemetry/sdk-trace-base";
import type { AuthReport, TraceReport, TryReport } from "./report.js";

/** Ids that nginx has chosen already: it has sent them to backends. */
export class ChosenIds implements IdGenerator {
  readonly #random: IdGenerator;
  #next: { readonly trace: string; readonly span: string } | undefined;

  /** `random`: for spans that nothing else refers to. */
  constructor(random: IdGenerator) {
    this.#random = random;
  }

  /** The span that `start` starts has these ids. */
  use(traceId: string, spanId: string, start: () => Span): Span {
    this.#next = { trace: traceId, span: spanId };
    try {
      return start();
    } finally {
      this.#next = undefined;
    }
  }

  readonly generateTraceId = (): string => this.#next?.trace ?? this.#random.generateTraceId();
  readonly generateSpanId = (): string => this.#next?.span ?? this.#random.generateSpanId();
}

/** How many spans `recordSpans` makes. */
export function spanCount({ auth, tries }: TraceReport): number {
  return 1 + (auth ? 1 : 0) + tries.length;
}

/** Makes the spans of a report and ends them, which hands them to the exporter. */
export function recordSpans(report: TraceReport, tracer: Tracer, ids: ChosenIds): void {
  const { traceId, spanId, parentId, start, end, auth } = report;
  const parent = parentId === undefined ? ROOT_CONTEXT : remote(traceId, parentId);
  const request = ids.use(traceId, spanId, () =>
    tracer.startSpan(nameOf(report), requestOptions(report), parent),
  );
  const status = Number(report.fields["status"]);
  if (status >= 500) request.setStatus({ code: SpanStatusCode.ERROR });
  const inside = trace.setSpan(ROOT_CONTEXT, request);
  if (auth) recordAuth(auth, tracer, inside);
  recordTries(report, tracer, inside);
  request.end(Math.max(start, end));
}

function remote(traceId: string, spanId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, isRemote: true, traceFlags: TraceFlags.SAMPLED },
  });
}

function nameOf({ fields }: TraceReport): string {
  const method = knownMethod(fields["method"]);
  return [method === OTHER ? "HTTP" : method, fields["route"]].filter(Boolean).join(" ");
}

/** Methods of RFC 9110 and RFC 5789. Clients may send any word, and names of spans are kept apart in stores. */
const METHODS = "GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH".split(" ");
const OTHER = "_OTHER";

function knownMethod(method: string | undefined): string | undefined {
  return method === undefined || METHODS.includes(method) ? method : OTHER;
}

function requestOptions({ fields, start }: TraceReport): object {
  return { kind: SpanKind.SERVER, startTime: start, attributes: requestAttributes(fields) };
}

/** Names of OpenTelemetry's semantic conventions for HTTP; ours begin with `albc`. Never a query, which may hold tokens. */
function requestAttributes(fields: Readonly<Record<string, string>>): Attributes {
  const texts = {
    "http.request.method": knownMethod(fields["method"]),
    "url.scheme": fields["scheme"],
    "url.path": fields["path"],
    "server.address": fields["host"],
    "client.address": fields["client"],
    "user_agent.original": fields["agent"],
    "network.protocol.version": fields["protocol"]?.replace(/^HTTP\//, ""),
    "albc.route": fields["route"],
    "albc.reason": fields["reason"],
    "albc.request_id": fields["request"],
  };
  const known = Object.entries(texts).filter(([, value]) => value !== undefined && value !== "");
  return {
    ...Object.fromEntries(known),
    "http.response.status_code": Number(fields["status"]),
  };
}

function recordAuth(auth: AuthReport, tracer: Tracer, inside: Context): void {
  const attributes = { "server.address": auth.address, ...statusAttribute(auth.status) };
  const options = { kind: SpanKind.CLIENT, startTime: auth.start, attributes };
  const span = tracer.startSpan("auth", options, inside);
  // A refusal is an answer.
  if (auth.status === 0 || auth.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(auth.end);
}

function statusAttribute(status: number): Attributes {
  return status === 0 ? {} : { "http.response.status_code": status };
}

/** nginx tells how long each try took. They follow each other, and the last ends with the request. */
function recordTries({ tries, end }: TraceReport, tracer: Tracer, inside: Context): void {
  const duration = tries.reduce((sum, each) => sum + each.duration, 0);
  let start = Math.max(0, end - duration);
  for (const [index, each] of tries.entries()) {
    recordTry(each, { index, start }, tracer, inside);
    start += each.duration;
  }
}

function recordTry(
  { address, status, duration }: TryReport,
  { index, start }: { readonly index: number; readonly start: number },
  tracer: Tracer,
  inside: Context,
): void {
  const attributes = {
    "server.address": address,
    ...statusAttribute(status),
    ...(index > 0 && { "http.request.resend_count": index }),
  };
  const span = tracer.startSpan(
    "backend",
    { kind: SpanKind.CLIENT, startTime: start, attributes },
    inside,
  );
  if (status === 0 || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(start + duration);
}
