import {
  ingress,
  nginx,
  own,
  prefix,
  rules,
  service,
  translated,
} from "../../../support/translated.js";
import {
  MOST_BINDINGS,
  MOST_BINDING_TEXT,
  MOST_REPEATED_TEXT,
} from "../../../../src/translate/size-limits.js";

const WEB = service("web");
const HTTP = 80;
/** Names that are too many for 128 paths: the limit is of their product, so neither has to be large. */
const TOO_MANY = MOST_BINDINGS / 128;

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function paths(count: number, length = 1): readonly string[] {
  return numbers(count).map((i) => `/${String(i).padStart(length - 1, "p")}`);
}

function aliases(count: number): string {
  return numbers(count)
    .map((i) => `a${String(i)}.example`)
    .join(",");
}

describe("an Ingress with further names", () => {
  const at = (
    count: number,
    names: number,
    more: Record<string, string> = {},
    { httpsPort = 0, ...spec }: { httpsPort?: number; defaultBackend?: object } = {},
  ) =>
    translated(
      ingress("big", {
        annotations: nginx({ "server-alias": aliases(names), ...more }),
        spec: { ...(rules({ "own.example": paths(count) }) as object), ...spec },
      }) + WEB,
      { httpsPort },
    );

  it("is bound as often as may be, and no more often", () => {
    const fits = at(128, TOO_MANY - 1);
    expect(fits.reports).toEqual([]);
    // Once for each path: all names share it.
    expect(fits.config.bindings).toHaveLength(128);
    expect(fits.config.bindings[0]?.at[0]?.hosts).toHaveLength(MOST_BINDINGS / 128);
    const tooMany = at(128, TOO_MANY);
    expect(tooMany.reports).toEqual([
      'OBJECT_TOO_LARGE Ingress default/big metadata.annotations["nginx.ingress.kubernetes.io/server-alias"]',
    ]);
    expect(tooMany.messages("OBJECT_TOO_LARGE")).toEqual([
      "128 paths with 128 names of server-alias make 16512 bindings; an Ingress with aliases may have 16384; this answers 500: own.example/0, own.example/1, own.example/2, own.example/3, own.example/4 and 251 more",
    ]);
  });

  it("counts each port, default backends and app-root", () => {
    const more = (annotations: Record<string, string>, spec: object) =>
      at(64, TOO_MANY - 1, annotations, { ...spec, httpsPort: 443 }).reports;
    const backend = { service: { name: "web", port: { number: 80 } } };
    expect(more({}, {})).toEqual([]);
    expect(more({}, { defaultBackend: backend })).toHaveLength(1);
    expect(more({ "app-root": "/app" }, {})).toHaveLength(1);
  });

  it("has no more text than may be", () => {
    const long = MOST_BINDING_TEXT / 1024;
    const text = (length: number): readonly string[] =>
      translated(
        ingress("big", {
          annotations: nginx({ "server-alias": aliases(1023) }),
          spec: rules({ "own.example": paths(1, length) }),
        }) + WEB,
        { httpsPort: 0 },
      ).reports;
    expect(text(long)).toEqual([]);
    expect(text(long + 1)).toHaveLength(1);
  });

  it("that is too large is closed: each path of its own hosts, and all of the others", () => {
    const backend = { service: { name: "web", port: { number: 80 } } };
    const result = at(128, TOO_MANY, { "app-root": "/app" }, { defaultBackend: backend });
    const tried = result.tried(HTTP);
    const own = tried.filter((line) => line.startsWith("own.example"));
    expect([own[0], own.at(-1)]).toEqual([
      "own.example exact / → ingress/default/big/closed",
      "own.example any → ingress/default/big/default",
    ]);
    expect(own.slice(1, -1).sort()).toEqual(
      paths(128)
        .map((path, i) => `own.example prefix ${path}/ → ingress/default/big/0-${String(i)}`)
        .sort(),
    );
    const others = aliases(TOO_MANY).split(",");
    expect(tried.filter((line) => !own.includes(line)).sort()).toEqual(
      others.map((host) => `${host} any → ingress/default/big/closed`).sort(),
    );
    expect(new Set(result.config.routes.map(({ refuse }) => refuse?.[0]))).toEqual(new Set([500]));
  });

  it("that is too large lets no wider rule serve the others", () => {
    const wide = ingress("wide", {
      created: "2020-01-01T00:00:00Z",
      spec: {
        rules: [
          { host: "*.example", http: { paths: [prefix("/very/long/and/exact", "web", "Exact")] } },
          { http: { paths: [prefix("/")] } },
        ],
      },
    });
    const big = ingress("big", {
      annotations: nginx({ "server-alias": aliases(TOO_MANY) }),
      spec: rules({ "own.example": paths(128) }),
    });
    const tried = translated(big + wide + WEB, { httpsPort: 0 }).tried(HTTP);
    const closed = tried.indexOf("a7.example any → ingress/default/big/closed");
    const others = tried.map((line, i) => (line.includes("/wide/") ? i : Infinity));
    expect(closed).toBeGreaterThanOrEqual(0);
    expect(closed).toBeLessThan(Math.min(...others));
  });

  it("that is too large is closed where the first of its paths would be tried", () => {
    const priority = (path: number): string =>
      `alb.cpaas.io/ingress-rule-priority-0-${String(path)}`;
    const big = ingress("big", {
      annotations: { ...nginx({ "server-alias": aliases(TOO_MANY) }), [priority(1)]: "3" },
      spec: rules({ "own.example": ["/", "/first", ...paths(126)] }),
    });
    const other = ingress("other", {
      annotations: { [priority(0)]: "4" },
      spec: rules({ "*.example": ["/"] }),
    });
    const tried = translated(big + other + WEB, { httpsPort: 0 }).tried(HTTP);
    expect(tried.indexOf("a7.example any → ingress/default/big/closed")).toBeLessThan(
      tried.indexOf("*.example prefix / → ingress/default/other/0-0"),
    );
    const own = tried.filter((line) => line.startsWith("own.example"));
    expect([own[0], own.at(-1)]).toEqual([
      "own.example prefix /first/ → ingress/default/big/0-1",
      "own.example prefix / → ingress/default/big/0-0",
    ]);
  });
});

describe("an Ingress without further names", () => {
  it("is as large as it is written", () => {
    const many = ingress("big", { spec: rules({ "own.example": paths(MOST_BINDINGS / 2 + 1) }) });
    const result = translated(many + WEB);
    expect(result.reports).toEqual([]);
    expect(result.config.bindings).toHaveLength(MOST_BINDINGS + 2);
  });
});

describe("annotations that every path repeats", () => {
  const ranges = (length: number): string => "10.0.0.0/8,".padEnd(length - 10, " ") + "10.0.0.0/8";
  const big = (annotations: Record<string, string>, count: number, host = "own.example") =>
    translated(ingress("big", { annotations, spec: rules({ [host]: paths(count) }) }) + WEB);

  it("may be so long and no longer", () => {
    const most = MOST_REPEATED_TEXT / 1024;
    const name = "whitelist-source-range";
    expect(big(nginx({ [name]: ranges(most) }), 1024).reports).toEqual([]);
    const result = big(nginx({ [name]: ranges(most + 1) }), 1024);
    expect(result.reports).toEqual(["OBJECT_TOO_LARGE Ingress default/big metadata.annotations"]);
    expect(result.route("ingress/default/big/0-0")).toMatchObject({
      refuse: [500, expect.anything()],
    });
    expect(result.route("ingress/default/big/0-0").allow).toBeUndefined();
  });

  it.each([
    ["that have no effect", nginx({ "configuration-snippet": "x".repeat(100_000) })],
    [
      "of auth, which paths share",
      nginx({ "auth-url": `http://auth.example/${"x".repeat(100_000)}` }),
    ],
    ["of one path", own({ "whitelist-source-range": ranges(100_000) }, "0-0")],
    ["of hosts that it has none of", nginx({ "server-alias": aliases(4000) }), ""],
    ["of others", { "example.com/note": "x".repeat(100_000) }],
  ])("are not those %s", (_what, annotations, host = "own.example") => {
    expect(big(annotations, 1024, host).reports).not.toContain(
      "OBJECT_TOO_LARGE Ingress default/big metadata.annotations",
    );
  });

  it("are snippets that are translated", () => {
    const annotations = nginx({
      "configuration-snippet": `add_header X-A ${"x".repeat(100_000)};`,
    });
    const spec = rules({ "own.example": paths(200) });
    const { reports } = translated(ingress("big", { annotations, spec }) + WEB, {
      snippets: "translate",
    });
    expect(reports).toContain("OBJECT_TOO_LARGE Ingress default/big metadata.annotations");
  });

  it("are those of auth where each path has its own", () => {
    const annotations = {
      ...nginx({ "auth-url": `http://auth.example/${"x".repeat(100_000)}` }),
      ...Object.assign(
        {},
        ...numbers(200).map((i) => own({ "auth-method": "HEAD" }, `0-${String(i)}`)),
      ),
    } as Record<string, string>;
    expect(big(annotations, 200).reports).toContain(
      "OBJECT_TOO_LARGE Ingress default/big metadata.annotations",
    );
  });
});

describe("a ConfigMap of headers for an auth service", () => {
  /** Of headers of 1,000 characters each. */
  const configMap = (count: number): string => {
    const metadata = { name: "headers", namespace: "default" };
    const names = numbers(count).map((i) => `x-${String(i)}`);
    const data = Object.fromEntries(names.map((name) => [name, "v".repeat(1000 - name.length)]));
    return `\n---\n${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data })}\n`;
  };
  const at = (headers: number, more: Record<string, string>) =>
    translated(
      ingress("big", {
        annotations: {
          ...nginx({
            "auth-url": "http://auth.example/",
            "auth-proxy-set-headers": "default/headers",
          }),
          ...more,
        },
        spec: rules({ "own.example": paths(300) }),
      }) +
        configMap(headers) +
        WEB,
    ).reports;
  const methods = (count: number): Record<string, string> =>
    Object.assign(
      {},
      ...numbers(count).map((i) => own({ "auth-method": "HEAD" }, `0-${String(i)}`)),
    ) as Record<string, string>;

  it("is held once for all paths that share a policy", () => {
    expect(at(60, {})).toEqual([]);
  });

  it("counts for each path that has one of its own", () => {
    expect(at(60, methods(270))).toEqual([]);
    expect(at(60, methods(290))).toEqual([
      "OBJECT_TOO_LARGE Ingress default/big metadata.annotations",
    ]);
  });
});
