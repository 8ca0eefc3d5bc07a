import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import type { Route } from "../../../../src/model/route.js";
import type { BackendTls } from "../../../../src/model/upstream.js";
import {
  authoritiesPath,
  backendTlsView,
  clientView,
  hasPages,
  pageViews,
  policyMemory,
  tryViews,
  variablesView,
} from "../../../../src/render/nginx/http-view.js";
import { integerText } from "../../../../src/render/nginx/text.js";
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
  [true, {}, "$albc_port"],
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

describe("locations with error pages", () => {
  const page = (id: string, more: Partial<Route>) => ({ ...plainRoute(id), ...more });
  const names = (views: readonly object[]) =>
    views.map((view) => String((view as { name: unknown }).name));
  const errorPages = { statuses: [404, 503], upstream: "pages" };
  const deadlines = { request: 1000 };
  const h2c = [{ upstream: "a", weight: 1, protocol: "h2c" }] as const;

  test("are none without pages", () => {
    const config = { ...EMPTY_CONFIG, routes: [page("a", {})] };
    expect(hasPages(config)).toBe(false);
    expect(pageViews(config)).toEqual([]);
  });

  test("have a set of statuses each, and 502, by which errors of the gateway leave nginx", () => {
    const config = {
      ...EMPTY_CONFIG,
      routes: [
        page("a", { errorPages }),
        page("b", { errorPages }),
        page("c", { errorPages: { upstream: "pages" } }),
      ],
    };
    const views = pageViews(config);
    expect(hasPages(config)).toBe(true);
    expect(names(views)).toEqual(["@http_page_404_503", "@stream_page_404_503"]);
    expect(views[0]?.pages).toEqual([404, 502, 503].map(integerText));
  });

  test("name ranges of statuses", () => {
    const statuses = [400, 401, 404, 500, 501, 502, 599];
    const config = { ...EMPTY_CONFIG, routes: [page("a", { errorPages: { statuses } })] };
    expect(names(pageViews(config))[0]).toBe("@http_page_400to401_404_500to502_599");
  });

  test("are also for HTTP/2 backends and for tries, but not for gRPC", () => {
    const routes = [
      page("a", { errorPages, backends: h2c }),
      page("b", { errorPages, deadlines, backends: [...h2c, { ...h2c[0], protocol: "grpc" }] }),
    ];
    const config = { ...EMPTY_CONFIG, routes };
    expect(names(pageViews(config))).toEqual([
      "@h2c_page_404_503",
      "@http_page_404_503",
      "@stream_page_404_503",
    ]);
    expect(names(tryViews(config))).toEqual([
      "@grpc_try",
      "@h2c_try",
      "@h2c_try_page_404_503",
      "@try",
    ]);
  });

  test("of the gateway are there before the first route", () => {
    expect(names(pageViews(EMPTY_CONFIG, [500]))).toEqual(["@http_page_500", "@stream_page_500"]);
    const config = { ...EMPTY_CONFIG, routes: [page("a", { errorPages: { upstream: "pages" } })] };
    expect(names(pageViews(config, [500]))).toEqual(["@http_page_500", "@stream_page_500"]);
  });
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
