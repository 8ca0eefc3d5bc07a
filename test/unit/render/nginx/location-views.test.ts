import type { ConfRoute } from "../../../../src/render/nginx/conf-model.js";
import type { Route } from "../../../../src/model/route.js";
import type { BackendTls } from "../../../../src/model/upstream.js";
import {
  adaptorView,
  authoritiesPath,
  hasPages,
  pageViews,
  tryViews,
} from "../../../../src/render/nginx/location-views.js";
import { type NginxText, integerText } from "../../../../src/render/nginx/text.js";
import { EMPTY_CONFIG, plainRoute } from "../../../support/data-plane-config.js";

const NONE = new Map<string, string>();
const namesOf = (views: readonly { readonly name: NginxText }[]) =>
  views.map(({ name }) => name.toString());

test("each set of statuses in use has one location per protocol family", () => {
  const route = (id: string, codes: readonly (500 | 503)[], protocol: "http" | "https" | "grpc") =>
    plainRoute(id, {
      retry: { codes, attempts: 1 },
      backends: [{ upstream: "a", weight: 1, protocol }],
    });
  const routes = [route("a", [500, 503], "http"), route("b", [500, 503], "https")];
  const views = tryViews({ ...EMPTY_CONFIG, routes: [...routes, route("c", [503], "grpc")] }, NONE);
  expect(namesOf(views)).toEqual(["@grpc_try_503", "@try", "@try_500_503"]);
});

describe("locations with error pages", () => {
  const page = (id: string, more: Partial<Route>) => ({ ...plainRoute(id), ...more });
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
    expect(namesOf(views)).toEqual(["@http_page_404_503", "@stream_page_404_503"]);
    expect(views[0]?.pages).toEqual([404, 502, 503].map(integerText));
  });

  test("name ranges of statuses", () => {
    const statuses = [400, 401, 404, 500, 501, 502, 599];
    const config = { ...EMPTY_CONFIG, routes: [page("a", { errorPages: { statuses } })] };
    expect(namesOf(pageViews(config))[0]).toBe("@http_page_400to401_404_500to502_599");
  });

  test("are also for HTTP/2 backends and for tries, but not for gRPC", () => {
    const routes = [
      page("a", { errorPages, backends: h2c }),
      page("b", { errorPages, deadlines, backends: [...h2c, { ...h2c[0], protocol: "grpc" }] }),
    ];
    const config = { ...EMPTY_CONFIG, routes };
    expect(namesOf(pageViews(config))).toEqual([
      "@h2c_page_404_503",
      "@http_page_404_503",
      "@stream_page_404_503",
    ]);
    expect(namesOf(tryViews(config, NONE))).toEqual([
      "@grpc_try",
      "@h2c_try",
      "@h2c_try_page_404_503",
      "@try",
    ]);
  });

  test("of the gateway are there before the first route", () => {
    expect(namesOf(pageViews(EMPTY_CONFIG, { pages: [500] }))).toEqual([
      "@http_page_500",
      "@stream_page_500",
    ]);
    const config = { ...EMPTY_CONFIG, routes: [page("a", { errorPages: { upstream: "pages" } })] };
    expect(namesOf(pageViews(config, { pages: [500] }))).toEqual([
      "@http_page_500",
      "@stream_page_500",
    ]);
  });
});

describe("verified TLS to backends", () => {
  const system = { hostname: "a.example", authorities: { kind: "system" } } as const;
  const names = [["uri", "spiffe://mesh/a"]] as const;
  const PROFILES: readonly BackendTls[] = [
    { id: "one-a", ...system },
    { id: "one-b", ...system, hostname: "b.example" },
    { id: "one-c", ...system, names },
    { id: "two-d", ...system, clientCertificate: "shown" },
  ];
  const CERTIFICATES = new Map([["shown", "certificates/shown.pem"]]);
  const to = (tls: string, protocol: "https" | "grpcs", more: Partial<ConfRoute> = {}) => ({
    ...more,
    backends: [{ protocol, tls }],
  });
  const config = (...routes: readonly ConfRoute[]) => ({
    ...EMPTY_CONFIG,
    backendTls: PROFILES,
    routes,
  });

  test("has a location for the same authorities and certificate, in the variants in use", () => {
    const routes = [
      to("one-a", "https"),
      to("one-b", "https"),
      to("one-a", "grpcs", { retry: { codes: [503], attempts: 2 } }),
      to("two-d", "https", { errorPages: { statuses: [404] } }),
      to("one-c", "https"),
    ];
    expect(namesOf(tryViews(config(...routes), CERTIFICATES))).toEqual([
      "@grpc_try_one_503",
      "@try",
      "@try_one",
      "@try_two",
      "@try_two_page_404",
    ]);
  });

  test("has a location of the adaptor only for names that nginx can't check, and for mirrors", () => {
    expect(adaptorView(config(to("one-a", "https")), CERTIFICATES)).toBe(false);
    const routes = [to("one-c", "https"), { mirrorTls: ["two-d"] }];
    const adaptor = adaptorView(config(...routes), CERTIFICATES);
    expect(namesOf(adaptor === false ? [] : adaptor.locations)).toEqual([
      "@adapt_one",
      "@adapt_two",
    ]);
  });

  test("throws if the client certificate is missing", () => {
    expect(() => tryViews(config(to("two-d", "https")), new Map())).toThrow(
      "no certificate shown for two-d",
    );
  });

  test("reads the machine's authorities, or a file named after the PEM", () => {
    expect(authoritiesPath({ id: "t", ...system })).toBe("environment/ca.pem");
    const own = { id: "t", authorities: { kind: "pem", pem: "x" } } as const;
    expect(authoritiesPath(own)).toMatch(/^authorities\/[0-9a-f]{32}\.pem$/);
  });
});
