/** The thread that takes nginx's reports and exports spans, so that a compilation in the main thread loses none. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
} from "@opentelemetry/sdk-trace-base";
import { addressAndPort } from "../support/ip-address.js";
import { errorText } from "../support/text.js";
import { CountingExporter } from "./counting-exporter.js";
import { droppedDatagrams } from "./dropped.js";
import { parseReport } from "./report.js";
import { ChosenIds, recordSpans, spanCount } from "./spans.js";
import type { TraceNews, startTracing } from "./tracing.js";

/** Milliseconds between two messages about what became of reports. */
const INTERVAL = 2000;
/** Bytes of the socket's buffer; the kernel may allow less. */
const BUFFER = 4 * 1024 * 1024;
/** Spans that wait for the exporter; OpenTelemetry's default. */
const QUEUE = Number(process.env["OTEL_BSP_MAX_QUEUE_SIZE"]) || 2048;

// eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- as tracing.ts passes it
const data = workerData as Parameters<typeof startTracing>[0];
const ids = new ChosenIds(new RandomIdGenerator());
const exporter = new CountingExporter(new OTLPTraceExporter());
// The exporter and the resource read OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT.
const provider = new BasicTracerProvider({
  idGenerator: ids,
  // nginx has sampled already.
  sampler: new AlwaysOnSampler(),
  resource: defaultResource()
    .merge(resourceFromAttributes({ "service.name": "albc", "service.version": data.version }))
    .merge(detectResources({ detectors: [envDetector] })),
  spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: QUEUE })],
});
const tracer = provider.getTracer("albc", data.version);
const reports = { received: 0, malformed: 0, lost: 0, dropped: 0 };
let recorded = 0;

const { host, port } = addressAndPort(data.address);
const socket = createSocket({ type: host.includes(":") ? "udp6" : "udp4", recvBufferSize: BUFFER });

socket.on("message", (bytes) => {
  const report = parseReport(bytes);
  if (report === undefined) {
    reports.malformed += 1;
    return;
  }
  const count = spanCount(report);
  // The processor would drop them without a count.
  if (recorded + count - exporter.taken > QUEUE) {
    reports.dropped += 1;
    return;
  }
  reports.received += 1;
  recorded += count;
  recordSpans(report, tracer, ids);
});
parentPort?.on("message", () => void close());
parentPort?.postMessage(await listen());
const timer = setInterval(() => void tell(), INTERVAL);

/** Why the socket can't be opened, for tracing.ts; undefined if it is open. */
async function listen(): Promise<string | undefined> {
  try {
    socket.bind(port, host);
    await once(socket, "listening");
    return undefined;
  } catch (error: unknown) {
    return errorText(error);
  }
}

async function tell(): Promise<void> {
  const tables = await Promise.all(
    ["udp", "udp6"].map((name) => readFile(`/proc/self/net/${name}`, "utf8").catch(() => "")),
  );
  reports.lost = droppedDatagrams(tables.join(""), socket.address().port);
  const { exported, failed, problem } = exporter;
  const news: TraceNews = { reports: { ...reports }, spans: { exported, failed }, problem };
  parentPort?.postMessage(news);
}

/** Exports what is left. */
async function close(): Promise<void> {
  clearInterval(timer);
  socket.close();
  await provider.shutdown().catch(() => undefined);
  parentPort?.close();
}
