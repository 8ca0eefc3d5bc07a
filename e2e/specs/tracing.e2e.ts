/** W3C Trace Context: what backends and mirrors get, and which requests are sampled. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EchoBackend, echoOf } from "../harness/echo-backend.js";
import { freePort } from "../harness/free-port.js";
import { authFilter, authPolicy, gatewayOn, routeOf } from "../harness/gateway-manifests.js";
import { Gateway } from "../harness/gateway.js";
import type { HeaderLines } from "../harness/http-message.js";
import { ingress, own, service, yaml } from "../harness/manifests.js";
import { useScene } from "../harness/scene.js";
import { waitFor } from "../harness/wait.js";

const scene = useScene();
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SAMPLED = `00-${TRACE}-00f067aa0ba902b7-01`;
const UNSAMPLED = `00-${TRACE}-00f067aa0ba902b7-00`;
let gateway: Gateway;
let port: number;
let copies: EchoBackend;
let judge: EchoBackend;

beforeAll(async () => {
  const web = await scene.use(EchoBackend.start("web"));
  copies = await scene.use(EchoBackend.start("copies"));
  judge = await scene.use(EchoBackend.start("judge"));
  port = await freePort();
  const [always, never] = ["100", "0"].map((rate) => own({ "trace-rate": rate }));
  const backendRefs = [{ name: "web", port: 80 }];
  const mirror = {
    type: "RequestMirror",
    requestMirror: { backendRef: { name: "copies", port: 80 } },
  };
  const external = {
    type: "ExternalAuth",
    externalAuth: {
      protocol: "HTTP",
      backendRef: { name: "judge", port: 80 },
      http: { path: "/" },
      forwardBody: { maxSize: 1000 },
    },
  };
  const route = routeOf("HTTPRoute", "route", [{ backendRefs }]);
  gateway = await scene.use(
    Gateway.start({
      files: {
        "site.yaml": yaml(
          gatewayOn({ http: port }),
          service("web", [{ port: web.port }]),
          service("copies", [{ port: copies.port }]),
          service("judge", [{ port: judge.port }]),
          authPolicy("asked", { forward: { url: `http://127.0.0.1:${String(judge.port)}/` } }),
          routeOf("HTTPRoute", "asked", [
            { filters: [authFilter("asked"), external], backendRefs },
          ]),
          ingress("open", { hosts: { "open.example": [{ service: "web" }] } }),
          ingress("always", {
            annotations: always ?? {},
            hosts: { "always.example": [{ service: "web" }] },
          }),
          ingress("never", {
            annotations: never ?? {},
            hosts: { "never.example": [{ service: "web" }] },
          }),
          { ...route, metadata: { ...route.metadata, annotations: always ?? {} } },
          routeOf("HTTPRoute", "copied", [{ filters: [mirror], backendRefs }]),
        ),
      },
      flags: [
        ...["--tracing", "headers", "--trace-rate", "0"],
        ...["--access-log-fields", "host,trace_id"],
      ],
    }),
  );
});

async function traceparent(to: string | undefined, headers: HeaderLines): Promise<unknown> {
  const request = { host: `${to ?? "open"}.example`, path: "/", headers };
  const isRoute = to === "route" || to === "copied";
  const response = await gateway.send({ ...request, ...(isRoute && { port }) });
  return echoOf(response).header("traceparent");
}

it("clients can't make the gateway sample their requests, which are logged with their trace", async () => {
  expect(await traceparent("open", [["traceparent", SAMPLED]])).toBe(UNSAMPLED);
  const log = join(gateway.runFolder, "logs/access.log");
  const line = `${JSON.stringify({ host: "open.example", trace_id: TRACE })}\n`;
  await waitFor("the log has the trace", async () => (await readFile(log, "utf8")) === line);
});

it.each([
  ["an Ingress", "always", "01"],
  ["another Ingress", "never", "00"],
  ["an HTTPRoute", "route", "01"],
])("the annotation of %s decides how many of its requests are sampled", async (_, to, flags) => {
  for (let n = 0; n < 3; n += 1) {
    expect(await traceparent(to, [["traceparent", UNSAMPLED]])).toBe(
      `${UNSAMPLED.slice(0, -2)}${flags}`,
    );
  }
});

it("the copy for a mirror belongs to the trace of its request, not to what the client claims", async () => {
  const sent = await traceparent("copied", [
    ["traceparent", "00-nonsense-01"],
    ["tracestate", "vendor=1"],
  ]);
  const copy = await waitFor("the mirror has its copy", () => copies.requests[0]);
  expect(sent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(copy.all("traceparent")).toEqual([sent]);
  expect(copy.all("tracestate")).toEqual([]);
});

it("a request that begins again, to await its body for an auth service, keeps its trace", async () => {
  const request = { port, host: "asked.example", method: "POST", body: "some", chunked: true };
  const echo = echoOf(await gateway.send(request));

  const asked = judge.requests.map((each) => each.header("traceparent"));
  // The first service twice.
  expect(asked).toEqual(Array(3).fill(echo.header("traceparent")));
});
