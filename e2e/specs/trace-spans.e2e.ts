/** Spans arrive at a receiver that decodes OTLP with OpenTelemetry's own definitions. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { type Socket, createServer as createTcpServer } from "node:net";
import root from "otlp-definitions/build/src/generated/root.js";
import { EchoBackend } from "../harness/echo-backend.js";
import { freePort, listen } from "../harness/free-port.js";
import { Gateway } from "../harness/gateway.js";
import { Health } from "../harness/health.js";
import { ingress, nginx, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { residentMemory } from "../harness/processes.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const HOST = "web.example";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: unknown };
}

interface DecodedSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
}

interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}

// Typed as a tree of any names.
const definitions = root as unknown as {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: {
          readonly v1: {
            readonly ExportTraceServiceRequest: { decode(bytes: Uint8Array): Decoded };
          };
        };
      };
    };
  };
};
const { ExportTraceServiceRequest } = definitions.opentelemetry.proto.collector.trace.v1;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const textOf = ({ attributes }: Pick<DecodedSpan, "attributes">, key: string): unknown =>
  attributes.find((each) => each.key === key)?.value.stringValue;

class Collector {
  readonly requests: Decoded[] = [];
  readonly #server: Server;

  readonly port: number;

  private constructor(port: number, server: Server) {
    this.port = port;
    this.#server = server;
  }

  /** Listens on a port of its own unless one is given. */
  static async start(given = 0): Promise<Collector> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        collector.requests.push(ExportTraceServiceRequest.decode(Buffer.concat(parts)));
        response.end();
      });
    });
    const collector = new Collector(await listen(server, { port: given }), server);
    return collector;
  }

  get spans(): readonly DecodedSpan[] {
    return this.requests.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

it("exports the request, the question to the auth service and the tries as spans", async () => {
  const collector = await scene.use(Collector.start());
  const backend = await scene.use(EchoBackend.start("web"));
  const auth = await scene.use(EchoBackend.start("auth"));
  const health = new Health(await freePort());
  const [reports, refused] = [await freePort(), await freePort()];
  const files = {
    "web.yaml": yaml(
      service("web", [{ port: refused }, { port: backend.port }]),
      ingress("web", {
        annotations: nginx({ "auth-url": `http://127.0.0.1:${auth.port}/auth` }),
        hosts: { [HOST]: [{ service: "web" }] },
      }),
    ),
  };
  const gateway = await scene.use(
    Gateway.start({
      files,
      flags: [
        ...["--tracing", "spans", "--trace-address", `127.0.0.1:${reports}`],
        ...["--trace-clients", "trust"],
        ...health.flags,
      ],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
        OTEL_SERVICE_NAME: "edge",
        OTEL_BSP_SCHEDULE_DELAY: "100",
      },
    }),
  );
  const stranger = createSocket("udp4");
  stranger.send("nonsense", reports, "127.0.0.1", () => stranger.close());

  const headers = [["traceparent", `00-${TRACE}-${PARENT}-01`]] as const;
  // Of two endpoints, the one that refuses comes first once in two requests.
  for (let n = 0; n < 4; n += 1) await gateway.send({ host: HOST, path: "/a?token=x", headers });
  const spans = await waitFor("the collector has the spans", () => {
    const found = collector.spans;
    return found.filter(({ kind }) => kind === 2).length === 4 && found;
  });

  const requests = spans.filter(({ kind }) => kind === 2);
  expect(new Set(spans.map(({ traceId }) => hex(traceId)))).toEqual(new Set([TRACE]));
  expect(new Set(requests.map((span) => hex(span.parentSpanId)))).toEqual(new Set([PARENT]));
  expect(requests.map(({ name }) => name)).toEqual(
    Array.from({ length: 4 }, () => "GET ingress/default/web/0-0"),
  );
  expect(new Set(requests.map((span) => textOf(span, "url.path")))).toEqual(new Set(["/a"]));
  const parents = new Set(requests.map(({ spanId }) => hex(spanId)));
  const inside = spans.filter(({ kind }) => kind === 3);
  expect(inside.every(({ parentSpanId }) => parents.has(hex(parentSpanId)))).toBe(true);
  expect(inside.filter(({ name }) => name === "auth")).toHaveLength(4);
  const tries = inside.filter(({ name }) => name === "backend");
  const failed = tries.filter(({ status }) => status?.code === 2);
  expect(failed.length).toBeGreaterThan(0);
  expect(tries).toHaveLength(4 + failed.length);
  const [resource] = collector.requests.flatMap(({ resourceSpans }) => resourceSpans);
  expect(resource && textOf(resource.resource, "service.name")).toBe("edge");

  await waitFor("the metrics have the reports and spans", async () => {
    const counts = await countsOf(health);
    return counts.received === 4 && counts.malformed === 1 && counts.exported === spans.length;
  });
}, 60_000);

const RESULTS = ["received", "malformed", "lost", "dropped", "exported", "failed"] as const;

async function countsOf(health: Health): Promise<Record<(typeof RESULTS)[number], number>> {
  const metrics = await health.metrics();
  const of = (result: string): number =>
    metrics.get(`albc_trace_reports_total{result="${result}"}`) ??
    metrics.get(`albc_trace_spans_total{result="${result}"}`) ??
    0;
  const [received, malformed, lost, dropped, exported, failed] = RESULTS.map(of);
  return { received, malformed, lost, dropped, exported, failed } as never;
}

/** What nginx would send of a request with a try, so two spans. */
function report(span: number): Buffer {
  const context = `00-${TRACE}-${span.toString(16).padStart(16, "0")}-01`;
  const fields = { context, end: "1000.5", duration: "0.1", method: "GET", status: "200" };
  const more = { route: "r", addr: "10.0.0.1:80", upstream_status: "200", upstream_time: "0.1" };
  return Buffer.from(`<190>Nov 26 03:00:00 albc: ${JSON.stringify({ ...fields, ...more })}`);
}

it("a flood of reports while the collector is silent costs bounded memory, is counted, and ends", async () => {
  const backend = await scene.use(EchoBackend.start("web"));
  const health = new Health(await freePort());
  const [reports, collectorPort] = [await freePort(), await freePort()];
  const site = ingress("web", { hosts: { [HOST]: [{ service: "web" }] } });
  const gateway = await scene.use(
    Gateway.start({
      files: { "web.yaml": yaml(service("web", [{ port: backend.port }]), site) },
      flags: [
        ...["--tracing", "spans", "--trace-address", `127.0.0.1:${reports}`],
        ...["--trace-rate", "100", ...health.flags],
      ],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: "200",
        OTEL_BSP_SCHEDULE_DELAY: "100",
        OTEL_BSP_MAX_QUEUE_SIZE: "1000",
      },
    }),
  );
  // It takes connections and never answers.
  const silent = createTcpServer();
  await listen(silent, { port: collectorPort });
  const held: Socket[] = [];
  silent.on("connection", (socket) => held.push(socket));
  const before = await residentMemory(gateway.albc.pid);
  const flood = createSocket("udp4");
  const send = (bytes: Uint8Array): Promise<unknown> =>
    new Promise((resolve) => {
      flood.send(bytes, reports, "127.0.0.1", resolve);
    });
  const huge = Buffer.alloc(60_000, report(1));
  for (let n = 1; n <= 20_000; n += 1) await send(report(n));
  for (let n = 0; n < 500; n += 1) await send(huge);
  flood.close();

  // Neither requests nor probes wait for it.
  expect((await gateway.send({ host: HOST, path: "/" })).status).toBe(200);
  expect(await health.ask("/healthz")).toBe("200 ok");
  await waitFor("every report is counted", async () => {
    const { received, malformed, lost, dropped, failed } = await countsOf(health);
    return received + malformed + lost + dropped === 20_501 && dropped > 0 && failed > 0;
  });
  expect((await residentMemory(gateway.albc.pid)) - before).toBeLessThan(100 * 1024 * 1024);
  expect(gateway.albc.log).toContain("spans can't be exported");

  silent.close();
  for (const socket of held) socket.destroy();
  await once(silent, "close");
  const collector = await scene.use(Collector.start(collectorPort));
  await waitFor("later requests are exported", async () => {
    await gateway.send({ host: HOST, path: "/later" });
    return collector.spans.some((span) => textOf(span, "url.path") === "/later");
  });
  await waitFor("albc says so", () => gateway.albc.log.includes("spans are exported again"));
}, 60_000);
