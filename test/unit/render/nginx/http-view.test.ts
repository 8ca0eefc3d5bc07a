import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import type { BackendTls } from "../../../../src/model/upstream.js";
import {
  authoritiesPath,
  backendTlsView,
  clientView,
  policyMemory,
  tryViews,
  variablesView,
} from "../../../../src/render/nginx/http-view.js";
import { EMPTY_CONFIG, plainRoute } from "../../../support/data-plane-config.js";

const OPTIONS = DEFAULT_OPTIONS.dataPlane;
const MIB = 1024 * 1024;

test("the policy's memory is at least 64 MiB and four times the policy", () => {
  expect([0, 16 * MIB, 16 * MIB + 1, 33 * MIB].map((size) => policyMemory(size) / MIB)).toEqual([
    64, 64, 128, 256,
  ]);
});

test("every peer is trusted with its address only if it speaks the PROXY protocol", () => {
  const trusted = (options: object) =>
    (clientView({ ...OPTIONS, ...options }) as { trusted: unknown[] }).trusted.map(String);
  expect(trusted({})).toEqual([]);
  expect(trusted({ proxyProtocol: true })).toEqual(["0.0.0.0/0", "::/0"]);
  expect(trusted({ proxyProtocol: true, trustedProxies: ["10.0.0.0/8"] })).toEqual(["10.0.0.0/8"]);
});

test.each([
  [false, {}, "$server_port"],
  [true, {}, "$server_port"],
  [true, { trustedProxies: ["10.0.0.0/8"] }, "$albc_port"],
  [true, { trustedProxies: ["10.0.0.0/8"], proxyProtocol: true }, "$proxy_protocol_server_port"],
])("the port of servers behind a stream (%p) with %p is %s", (behind, options, port) => {
  const view = variablesView({ ...OPTIONS, ...options }, behind) as { port: unknown };
  expect(String(view.port)).toBe(port);
});

test("each set of statuses in use has one location per protocol family", () => {
  const route = (id: string, codes: readonly (500 | 503)[], protocol: "http" | "https" | "grpc") =>
    plainRoute(id, {
      retry: { codes, attempts: 1 },
      backends: [{ upstream: "a", weight: 1, protocol }],
    });
  const routes = [route("a", [500, 503], "http"), route("b", [500, 503], "https")];
  const views = tryViews({ ...EMPTY_CONFIG, routes: [...routes, route("c", [503], "grpc")] });
  expect(views.map((view) => String((view as { name: unknown }).name))).toEqual([
    "@grpc_try_503",
    "@try",
    "@try_500_503",
  ]);
});

describe("verified TLS to backends", () => {
  const TLS: BackendTls = { id: "t", hostname: "a.example", authorities: { kind: "system" } };

  test("has no hop if no backend needs one", () => {
    expect(backendTlsView(EMPTY_CONFIG, new Map())).toBe(false);
  });

  test("throws if the client certificate is missing", () => {
    const config = { ...EMPTY_CONFIG, backendTls: [{ ...TLS, clientCertificate: "gone" }] };
    expect(() => backendTlsView(config, new Map())).toThrow("no certificate gone for t");
  });

  test("reads the machine's authorities, or a file named after the PEM", () => {
    expect(authoritiesPath(TLS)).toBe("environment/ca.pem");
    const own = { ...TLS, authorities: { kind: "pem", pem: "x" } } as const;
    expect(authoritiesPath(own)).toMatch(/^authorities\/[0-9a-f]{32}\.pem$/);
  });
});
