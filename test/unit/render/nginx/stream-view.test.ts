import type { DataPlaneConfig } from "../../../../src/model/config.js";
import type { StreamClass, StreamServer } from "../../../../src/model/stream.js";
import { DEFAULT_OPTIONS, type DataPlaneOptions } from "../../../../src/model/options.js";
import { contentsOf } from "../../../../src/render/rendered-file.js";
import { Renderer } from "../../../../src/render.js";
import { EMPTY_CONFIG } from "../../../support/data-plane-config.js";

/** HTTPS for `web.example` and TLS for all else on one port, and a port of TCP and UDP. */
const CONFIG: DataPlaneConfig = {
  ...EMPTY_CONFIG,
  servers: [{ id: "p443", addresses: ["10.0.0.1"], port: 443, tls: true }],
  listeners: [{ id: "l", server: "p443", hostname: { kind: "exact", host: "web.example" } }],
  streams: [
    {
      ...{ protocol: "tls", id: "p443", addresses: ["10.0.0.1"], port: 443 },
      names: [
        { host: { kind: "any" }, to: { kind: "pool", pool: "tlsroute/n/a" } },
        { host: { kind: "exact", host: "web.example" }, to: { kind: "https" } },
      ],
      classes: [],
    },
    { protocol: "tcp", id: "p53", addresses: ["10.0.0.1"], port: 53 },
    { protocol: "udp", id: "p53-udp", addresses: ["10.0.0.1"], port: 53 },
  ],
  pools: [{ id: "tlsroute/n/a", transport: "tcp", backends: [{ weight: 1 }] }],
};

function conf(dataPlane: Partial<DataPlaneOptions> = {}, config = CONFIG): string {
  const options = {
    ...DEFAULT_OPTIONS,
    dataPlane: { ...DEFAULT_OPTIONS.dataPlane, ...dataPlane },
  };
  const file = new Renderer().render(config, options).find(({ path }) => path === "nginx.conf");
  return file === undefined ? "" : contentsOf(file);
}

function listens(text: string): readonly string[] {
  return [...text.matchAll(/^ +(listen 10.*|listen unix:control\/https.*);/gm)].map(
    ([, line = ""]) => line,
  );
}

test("a port has one owner: HTTPS gets its connections from the stream", () => {
  expect(listens(conf())).toEqual([
    "listen unix:control/https-p443.sock ssl",
    "listen 10.0.0.1:53 so_keepalive=on backlog=4096",
    "listen 10.0.0.1:53 udp reuseport",
    "listen 10.0.0.1:443 so_keepalive=on backlog=4096",
  ]);
});

test("the PROXY protocol is expected where connections arrive, and of no datagrams", () => {
  expect(listens(conf({ proxyProtocol: true }))).toEqual([
    "listen unix:control/https-p443.sock ssl",
    "listen 10.0.0.1:53 proxy_protocol so_keepalive=on backlog=4096",
    "listen 10.0.0.1:53 udp reuseport",
    "listen 10.0.0.1:443 proxy_protocol so_keepalive=on backlog=4096",
  ]);
});

test("a name without a line of its own goes where the wildcard of all leads", () => {
  expect(conf()).toMatch(/hostnames;\n +default pool-[0-9a-f]{20};\n/);
  expect(conf()).toContain("web.example unix:control/https-p443.sock;");
});

test("the port that backends are told of is known without one", () => {
  expect(conf()).toContain("set $albc_own_port 443;");
  expect(conf({ trustedProxies: ["10.0.0.9"], proxyProtocol: true })).not.toContain("$albc_port;");
});

test("without HTTPS behind a stream no variable is named that no server sets", () => {
  const config = { ...CONFIG, servers: [], listeners: [] };
  expect(conf({}, config)).not.toContain("$albc_own_port");
});

test("without the access log there is none of streams", () => {
  const off = conf({ accessLog: "off" });
  expect(off.slice(off.indexOf("\nstream {"))).not.toContain("log_format");
});

test("without streams nothing is said of them", () => {
  const config = { ...CONFIG, streams: [], pools: [] };
  expect(conf({}, config)).not.toContain("\nstream {");
  expect(new Renderer().render(config, DEFAULT_OPTIONS).map(({ path }) => path)).not.toContain(
    "streams/endpoints.conf",
  );
});

test("a map has a name once, whatever the model says: nginx would refuse the whole file", () => {
  const to = { kind: "pool", pool: "tlsroute/n/a" } as const;
  const names = (["one", "many"] as const).map((labels) => ({
    host: { kind: "wildcard", suffix: "w.example", labels } as const,
    to,
  }));
  const stream = {
    protocol: "tls",
    id: "p443",
    addresses: ["10.0.0.1"],
    port: 443,
    names,
    classes: [],
  } as const;
  const text = conf({}, { ...CONFIG, streams: [stream] });
  expect(text.match(/ \*\.w\.example .*;/g)).toEqual([
    expect.stringMatching(/^ \*\.w\.example pool-/),
  ]);
});

const NAMED = [
  { host: { kind: "exact", host: "a.example" }, to: { kind: "pool", pool: "tlsroute/n/a" } },
  { host: { kind: "exact", host: "b.example" }, to: { kind: "class", id: "c1.c0" } },
] as const;

/** Ports of TLS on 10.0.0.1. */
function confOf(ports: Readonly<Record<number, readonly StreamClass[]>>): string {
  const streams = Object.entries(ports).map(([port, classes]): StreamServer => {
    const bound = { id: `p${port}`, addresses: ["10.0.0.1"], port: Number(port) };
    return { protocol: "tls", ...bound, names: NAMED, classes };
  });
  return conf({}, { ...CONFIG, servers: [], listeners: [], streams });
}

test("ports whose names lead to the same are one server, with one list of names", () => {
  const classes: readonly StreamClass[] = [];
  const text = confOf({ 1: classes, 2: classes });

  expect(listens(text).map((line) => line.split(" ")[1])).toEqual(["10.0.0.1:1", "10.0.0.1:2"]);
  expect(text.match(/a\.example/g)).toHaveLength(1);
  expect(text.match(/ pass \$/g)).toHaveLength(1);
});

test("ports that differ in classes have one list of names, and a map of classes each", () => {
  const closed = { kind: "closed" } as const;
  const pool = { kind: "pool", pool: "tlsroute/n/a" } as const;
  const text = confOf({
    1: [
      { id: "c0", to: closed },
      { id: "c1.c0", to: pool },
    ],
    2: [{ id: "c0", to: pool }],
  });

  expect(text.match(/a\.example/g)).toHaveLength(1);
  expect(text).toContain("b.example c1.c0;");
  expect(text).toMatch(
    /map \$albc_class_p1 \$albc_name_p1 {\n +hostnames;\n +default \$albc_class_p1;\n/,
  );
  expect(text).toMatch(/\.c0 unix:control\/no-route.sock;\n +\.c1\.c0 pool-[0-9a-f]+;\n/);
  expect(text).toMatch(/map \$albc_class_p1 \$albc_name_p2 {/);
  expect(text.match(/ pass \$/g)).toHaveLength(2);
});
